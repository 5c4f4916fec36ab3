import type { FieldDocument } from '../documents/plan.js'
import { groupBy } from '../json/groups.js'
import type { Json } from '../json/json.js'
import { keysOf } from '../json/pointer.js'
import { printable } from '../json/printable.js'
import { masked } from '../secrets/hidden-words.js'
import { diffOfLines, type Line } from './line-diff.js'

/** A field to show. Fields from a record have no verdict. */
export type FieldToShow = Omit<FieldDocument, 'verdict'> & Partial<Pick<FieldDocument, 'verdict'>>

/** How a field is shown: short values on one line, changes of long texts and lists as a diff. */
export type FieldView =
  | { readonly is: 'inline'; readonly before: string | undefined; readonly after: string | undefined }
  | { readonly is: 'diff'; readonly lines: readonly Line[] }

export function fieldView(field: FieldToShow): FieldView {
  const { before, after } = field
  if (!field.sensitive && isTextOrNothing(before) && isTextOrNothing(after)) {
    const [old, next] = [before ?? '', after ?? '']
    if (isLong(old) || isLong(next)) return { is: 'diff', lines: lineDiff(old, next) }
  }
  if (!field.sensitive && Array.isArray(before) && Array.isArray(after)) {
    const [old, next] = [before.map(valueText), after.map(valueText)]
    if (isWide(old) || isWide(next)) return { is: 'diff', lines: lineDiff(asLines(old), asLines(next)) }
  }
  return {
    is: 'inline',
    before: inline(before, field.sensitive),
    after: field.unavailable ? notSet : inline(after, field.sensitive),
  }
}

/** The text for a manifest value with a secret that is not set here. */
const notSet = `${masked.slice(0, -1)}, not set here)`

/** The sides of a drifted field, each on one line. */
export const sidesOf = ({ before = null, after = null, applied, sensitive, unavailable }: FieldDocument) => ({
  live: sensitive ? masked : valueText(before),
  git: manifestText(after, sensitive, unavailable),
  applied: inline(applied, sensitive),
})

/** The manifest's value of a field, on one line. */
export function manifestText(value: Json, sensitive: boolean, unavailable: true | undefined): string {
  if (unavailable) return notSet
  return sensitive ? masked : valueText(value)
}

/** The text of a value on one line, or undefined if there is no value. */
function inline(value: Json | undefined, sensitive: boolean): string | undefined {
  if (value === undefined) return undefined
  return sensitive && value !== null ? masked : valueText(value)
}

/** A value on one line, in YAML's flow style; control characters are escaped. */
export function valueText(value: Json): string {
  if (value === null || value === '') return '(empty)'
  if (typeof value !== 'object') return typeof value === 'string' ? wordText(value) : String(value)
  if (Array.isArray(value)) return `[${value.map((each: Json) => valueText(each)).join(', ')}]`
  const members = Object.entries(value).map(([name, member]) => `${wordText(name)}: ${valueText(member ?? null)}`)
  return `{${members.join(', ')}}`
}

/** Plain words are not quoted; texts that could be read as something else are. */
const wordText = (text: string): string =>
  /^[A-Za-z_/.][\w./@:+-]*$/.test(text) && !notAText.test(text) ? text : printable(JSON.stringify(text))

/** What YAML reads as a flag, as nothing or as a number if it is not quoted. */
const notAText = /^(?:true|false|null|\.inf|\.nan|\.\d+(?:e[+-]?\d+)?)$/i

const isTextOrNothing = (value: Json | undefined): value is string | undefined =>
  value === undefined || typeof value === 'string'

const isLong = (text: string): boolean => text.includes('\n')

/** Whether lists are too long for one line. Then a diff shows their changes, one entry per line. */
const isWide = (entries: readonly string[]): boolean => entries.join(', ').length > 60

const asLines = (entries: readonly string[]): string => entries.map((entry) => `${entry}\n`).join('')

/** The number of unchanged lines shown around a change. */
const contextLines = 2

/**
 * The lines of a diff without line ends, unless two lines differ only in their line end. Most unchanged lines are left out, and
 * only the others are converted for display.
 */
function lineDiff(before: string, after: string): readonly Line[] {
  const lines = diffOfLines(before, after)
  const changed = new Set(lines.flatMap(({ mark, text }) => (mark === ' ' ? [] : [text])))
  const spellings = groupBy(changed, withoutEnd)
  return withoutFarContext(lines).map(({ mark, text }) => {
    const needsEnd = mark !== ' ' && (spellings.get(withoutEnd(text))?.length ?? 0) > 1
    return { mark, text: printable(needsEnd ? text : withoutEnd(text)) }
  })
}

const withoutEnd = (line: string): string => line.replace(/\r?\n$/, '')

function withoutFarContext(lines: readonly Line[]): readonly Line[] {
  const isNear = lines.map(() => false)
  for (const [index, { mark }] of lines.entries()) {
    if (mark !== ' ') isNear.fill(true, Math.max(0, index - contextLines), index + contextLines + 1)
  }
  const near = (index: number) => isNear[index] === true
  return lines.flatMap((line, index) => {
    if (near(index)) return [line]
    return index > 0 && near(index - 1) ? [{ mark: ' ', text: '…' }] : []
  })
}

/** The pointer of a member in the form that people use: `cors.maxAge`. */
export const memberText = (pointer: string): string => printable(keysOf(pointer).join('.'))
