import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { catalog } from '../../src/catalog/catalog.js'
import { ancestors, kinds, metadataWord } from '../../src/catalog/queries.js'
import type { Kind } from '../../src/catalog/types.js'
import { diagnosticsDocument } from '../../src/documents/diagnostics.js'
import { plainColours } from '../../src/report/colours.js'
import { problemsJson, problemsMarkdown, problemsText } from '../../src/report/problems.js'
import { manifestsOf } from './manifests-of.js'

/** Literal secrets in a file, in any spelling and with any mistake in the file: no output displays a part of them. */

/** The output of all reports for the problems of a file. */
function outputsOf(text: string): string {
  const { problems } = manifestsOf({ 'a.yaml': text }, { paths: ['a.yaml'] })
  const reports = [
    problemsText(problems, { colours: plainColours }),
    problemsJson(problems),
    problemsMarkdown(diagnosticsDocument(problems)),
  ]
  return reports.map(({ output }) => output).join('\n')
}

const secretFields = kinds.flatMap((kind) =>
  Object.values(kind.fields)
    .filter((field) => field.secret)
    .map((field) => ({ kind, field: field.name })),
)

/** A word that is nowhere else, and the part of it that must not be displayed. */
const word = fc
  .string({ unit: fc.constantFrom(...'BCDFGHJKLMNPQRSTVWXZ23456789'), minLength: 6, maxLength: 14 })
  .filter((text) => /[A-Z]/.test(text))
// No comma, and no colon with a space after it: the text after these is another key or its value.
const sign = fc.constantFrom(...' :#-{}[]&*!|>\'"%@`~?=/+\\$<.', ' #', '- ', '${')
const line = fc
  .tuple(word, fc.array(fc.tuple(sign, word), { maxLength: 2 }))
  .map(([first, more]) => first + more.map((each) => each.join('')).join(''))
const secret = fc.array(line, { minLength: 1, maxLength: 3 })

const partsOf = (lines: readonly string[]): readonly string[] =>
  (lines.join('\n').match(/[A-Z0-9]{6,}/g) ?? []).flatMap((each) =>
    Array.from({ length: each.length - 4 }, (_, index) => each.slice(index, index + 5)),
  )

/**
 * The same secret as a value in the forms of YAML, as lines; the first is after the colon. Not every form can contain every
 * sign.
 */
const spellings: readonly (readonly [string, (lines: readonly string[]) => readonly string[]])[] = [
  ['plain', (lines) => [lines.join(' ')]],
  ['plain over lines', (lines) => ['', ...lines.map((each) => `  ${each}`)]],
  ['plain that goes on', ([first = '', ...more]) => [first, ...more.map((each) => `  ${each}`)]],
  ['single quotes', (lines) => [`'${lines.join(' ').replaceAll("'", "''")}'`]],
  ['single quotes over lines', (lines) => [`'${lines.join('\n\n').replaceAll("'", "''")}'`].flatMap(indented)],
  ['double quotes', (lines) => [JSON.stringify(lines.join('\n'))]],
  ['double quotes over lines', (lines) => [`"${lines.map(escaped).join('\n\n')}"`].flatMap(indented)],
  ['double quotes, joined lines', (lines) => [`"${lines.map(escaped).join('\\\n')}"`].flatMap(indented)],
  ['a literal block', (lines) => ['|', ...lines.map((each) => `  ${each}`)]],
  ['a kept block', (lines) => ['|+', ...lines.map((each) => `    ${each}`), '', '']],
  ['a folded block', (lines) => ['>-', '', ...lines.map((each) => `  ${each}`)]],
  ['a block of written indentation', (lines) => ['|1', ...lines.map((each) => ` ${each}`)]],
  ['an anchor', (lines) => [`&s ${JSON.stringify(lines.join(' '))}`]],
  ['a tag', (lines) => [`!!str ${JSON.stringify(lines.join(' '))}`]],
  ['a wrong list', (lines) => ['', ...lines.map((each) => `- ${each}`)]],
  ['a wrong flow list', (lines) => [`[${lines.join(', ')}]`]],
  ['a wrong mapping', (lines) => [`{${lines.map((each) => `${each}: ${each}`).join(', ')}}`]],
  ['a part', (lines) => [`"\${env:SET}${lines.join(' ').replaceAll(/["\\]/g, '')}"`]],
]

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)
const indented = (text: string): readonly string[] =>
  text.split('\n').map((each, index) => (index === 0 || each === '' ? each : `  ${each}`))

/** A document with a field of a kind, as lines: alone, inside its parents, in flow style, as JSON, elsewhere. */
const forms: readonly (readonly [
  string,
  (kind: Kind, field: string, value: readonly string[]) => readonly string[],
])[] = [
  ['alone', (kind, field, value) => [...head(kind), 'spec:', ...below(2, entry(field, value))]],
  ['inside its parents', (kind, field, value) => nested(kind, entry(field, value))],
  ['with quoted keys', (kind, field, value) => nested(kind, entry(`"${field}"`, value))],
  ['explicit', (kind, field, value) => nested(kind, [`? ${field}`, ...entry('', value)])],
  [
    'in flow style',
    (kind, field, [first = '', ...more]) => [
      ...head(kind),
      `spec: {name: x, ${field}: ${first}`,
      ...below(2, more),
      '  , description: y}',
    ],
  ],
  [
    'in flow style on a line',
    (kind, field, value) => [...head(kind), `spec: {${field}: ${value.join(' ')}, name: x, nonsense: 1}`],
  ],
  [
    'as JSON',
    (kind, field, value) => [...head(kind), `spec: {"name":"x","${field}":${JSON.stringify(value.join('\n'))}}`],
  ],
  [
    'in an unknown kind',
    (kind, field, value) => [
      'apiVersion: gatewright/v1',
      `kind: ${kind.name}s`,
      'spec:',
      ...below(2, entry(field, value)),
    ],
  ],
  [
    'in another kind',
    (_, field, value) => [
      'apiVersion: gatewright/v1',
      'kind: Role',
      'metadata: {name: R}',
      'spec:',
      ...below(2, entry(field, value)),
    ],
  ],
  [
    'misspelt',
    (kind, field, value) => [...head(kind), 'spec:', ...below(2, entry(field.toLowerCase().slice(1), value))],
  ],
  [
    'merged',
    (kind, field, value) => [
      'x:',
      '  base: &base',
      ...below(4, entry(field, value)),
      ...head(kind),
      'spec:',
      '  <<: *base',
    ],
  ],
  [
    'an alias',
    (kind, field, [first = '', ...more]) => [
      ...[...head(kind), 'spec:', `  anchors: &value ${first}`],
      ...[...below(2, more), `  ${field}: *value`],
    ],
  ],
]

const head = (kind: Kind): readonly string[] => {
  const parents = ancestors(kind).map((each) => `${metadataWord(each)}: p`)
  const name = kind.naming === undefined ? [] : ['name: n']
  return ['apiVersion: gatewright/v1', `kind: ${kind.name}`, `metadata: {${[...parents, ...name].join(', ')}}`]
}

const entry = (key: string, [first = '', ...more]: readonly string[]): readonly string[] => [
  'description: something',
  `${key}: ${first}`,
  ...more,
  'tags: more',
]

const below = (columns: number, lines: readonly string[]): readonly string[] =>
  lines.map((each) => (each === '' ? '' : ' '.repeat(columns) + each))

function nested(kind: Kind, fields: readonly string[]): readonly string[] {
  const { parent } = kind
  if (!parent) return [...head(kind), 'spec:', ...below(2, fields)]
  const [first = '', ...rest] = fields
  const lines = parent.single ? below(2, fields) : [`  - ${first}`, ...below(4, rest)]
  return nested(catalog[parent.kind], ['name: parent', `${parent.field}:`, ...lines])
}

/** Possible damage to a file in an editor. */
const damage = fc.record({
  at: fc.nat(2000),
  cut: fc.nat(3),
  insert: fc.constantFrom(
    '',
    ' ',
    '  ',
    '\n',
    ':',
    ': ',
    '-',
    '- ',
    '#',
    ' #',
    '"',
    "'",
    '|',
    '>',
    '[',
    '{',
    '}',
    ']',
    ',',
    '&',
    '*',
    '!',
    '\t',
    '\r',
    '%',
    '---\n',
    '? ',
    'x',
  ),
  where: fc.constantFrom('anywhere' as const, 'line start' as const, 'line end' as const),
})

function damaged(
  text: string,
  {
    at,
    cut,
    insert,
    where,
  }: { at: number; cut: number; insert: string; where: 'anywhere' | 'line start' | 'line end' },
): string {
  const any = at % (text.length + 1)
  const end = text.indexOf('\n', any)
  const places = {
    anywhere: any,
    'line start': text.lastIndexOf('\n', any - 1) + 1,
    'line end': end === -1 ? text.length : end,
  }
  const place = places[where]
  return text.slice(0, place) + insert + text.slice(place + cut)
}

describe('no part of a secret is in any output', () => {
  test.each(forms)('%s', (_, form) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...secretFields),
        fc.constantFrom(...spellings),
        secret,
        fc.array(damage, { maxLength: 3 }),
        ({ kind, field }, [, spell], lines, damages) => {
          const whole = `${form(kind, field, spell(lines)).join('\n')}\n`
          const text = damages.reduce(damaged, whole)
          const outputs = outputsOf(text)
          const seen = partsOf(lines).filter((part) => outputs.includes(part))
          expect(seen.length === 0 ? '' : `${seen[0]} in\n${text}\n${outputs}`).toBe('')
        },
      ),
      { numRuns: Number(process.env.LAW_RUNS ?? 100) },
    )
  })
})

const key = (more: string): string => `apiVersion: gatewright/v1
kind: PackageKey
metadata: {member: m, application: a${more.startsWith(',') ? more : ''}}
spec: {package: P, plan: G${more.startsWith(',') ? '' : `, ${more}`}}
`

test.each([
  ['a number in a field whose secret identifies the object', key('apikey: 8675309')],
  ['a boolean in such a field', key('apikey: true, secret: 8675309')],
  ['a key in the metadata', key(', name: 8675309')],
  [
    'a default after the name of a variable',
    'apiVersion: gatewright/v1\nkind: Member\nmetadata: {name: m}\nspec: {email: "${env:UNSET:-8675309}", firstName: "${env:UNSET-8675309 }"}',
  ],
])('%s is not displayed', (_, text) => {
  const outputs = outputsOf(text)
  expect(outputs).toContain('error')
  expect(outputs).not.toContain('8675309')
})
