import { error, type Place, type Problem, warning } from './problem.js'

/** The possible syntax errors of a YAML text. */
export type YamlMistake =
  | 'anchor'
  | 'behind-value'
  | 'block-header'
  | 'bracket'
  | 'character'
  | 'colon'
  | 'comma'
  | 'conflict'
  | 'deeper'
  | 'directive'
  | 'escape'
  | 'first-character'
  | 'indentation'
  | 'marker'
  | 'no-colon'
  | 'no-comma'
  | 'not-indented'
  | 'open'
  | 'placeholder'
  | 'quote'
  | 'tab'
  | 'tag'

/** The message and the hint for each error. */
const yamlMistakes: Readonly<Record<YamlMistake, readonly [string, string]>> = {
  anchor: [
    'this is not an anchor or alias',
    'write a value that begins with & or * in quotes; a value has one anchor at most',
  ],
  'behind-value': [
    'there is more on this line after the value',
    'write a value that has ": ", " #" or quotes in it in quotes',
  ],
  'block-header': [
    'there is something else on the line of the | or >',
    'begin the text on the next line, or write it in quotes',
  ],
  bracket: ['a list [ or a mapping { is not closed', 'write the missing ] or }'],
  character: ['there is a control character here', 'remove it, or write it in double quotes as \\xNN'],
  colon: ['a space is missing after the colon', 'write key: value'],
  comma: ['there is a comma where a value is expected', 'remove the comma, or write the value before it'],
  conflict: [
    'a merge has left the changes of both sides here, between <<<<<<<, ======= and >>>>>>>',
    'keep what is right of the two, and remove these lines',
  ],
  deeper: [
    'this line does not fit the lines above it: it is indented deeper than the one before',
    'indent it as deep as that line',
  ],
  directive: ['this is not a directive of YAML 1.2', 'write a value that begins with % in quotes'],
  escape: ['this is not an escape sequence of YAML', 'write \\\\ for a backslash, or use single quotes'],
  'first-character': ['a value cannot begin with this character', 'write the value in quotes'],
  indentation: [
    'this line does not fit the lines above it',
    'indent it as deep as the lines that it belongs to; lines of a mapping are key: value, those of a list begin with "- "',
  ],
  marker: [
    'a document marker (--- or ...) has something before or after it',
    'begin the line with it, and the next document on the line below',
  ],
  'no-colon': [
    'a key: value is expected here, and there is no colon with a space after it',
    'write key: value, with a space after the colon; the further lines of a text are indented deeper than its key',
  ],
  'no-comma': [
    'a comma is missing between two entries of a list [ or a mapping {',
    'write the comma, or close the bracket before it',
  ],
  'not-indented': [
    'a quoted text, a list [ or a mapping { is not closed, and this line is not indented deeper than its key',
    'close the quote or the bracket, or indent this line',
  ],
  open: ['a quoted text, a list [ or a mapping { is not closed', 'write the missing quote, ] or }'],
  placeholder: [
    'a placeholder has no quotes around it in a list [ or a mapping {',
    'write the whole text in quotes, such as "${env:NAME}"',
  ],
  quote: ['a quoted text is not closed', 'write the missing quote'],
  tab: ['there is a tab in the indentation', 'indent with spaces'],
  tag: ['this is not a tag', 'write a value that begins with ! in quotes; a value has one tag at most'],
}

/** The message does not show the text: it may be a part of a secret. */
export function brokenYaml(place: Place, kind: YamlMistake): Problem {
  const [words, way] = yamlMistakes[kind]
  const hint = `${way}; nothing of this document was checked further`
  return error('yaml-syntax', place, `the YAML cannot be read: ${words}`, hint)
}

export const yamlWarning = (place: Place, what: 'tag' | 'directive'): Problem => {
  const words = {
    tag: 'a tag that has no meaning here',
    directive: 'a directive that has no meaning here',
  }
  const ways = {
    tag: 'only tags of the YAML core schema have a meaning in manifests',
    directive: 'manifests are read as YAML 1.2',
  }
  return warning('yaml-warning', place, words[what], ways[what])
}
