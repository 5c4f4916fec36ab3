import { selectionKeys } from '../../catalog/openapi.js'
import { nameMatcher } from '../../files/glob.js'
import { unknownField, wrongType } from '../../problems/manifests.js'
import { selectsNothing } from '../../problems/openapi.js'
import type { ReportProblem } from '../../problems/problem.js'
import { nearest } from '../../problems/suggest.js'
import { itemsOf, readString } from '../field-value.js'
import { formWords, isNull, keyWords, type Node, valueAt } from '../node.js'
import { reportSecretNames } from '../secret-paths.js'
import { placeOf, type SourceRange } from '../source.js'
import type { ApiOperation } from './api.js'

type SelectionKey = (typeof selectionKeys)[number]

interface Pattern {
  readonly text: string
  readonly range: SourceRange
  fits(operation: ApiOperation): boolean
}

/** The content of `only` or `except`; undefined if it is not written. */
export type OperationSelection = ReadonlyMap<SelectionKey, readonly Pattern[]> | undefined

/** Reads `only` or `except`. */
export function readSelection(node: Node | undefined, at: string, report: ReportProblem): OperationSelection {
  if (!node || isNull(node)) return undefined
  if (node.is !== 'map') {
    report(wrongType(placeOf(node.range), at, `a mapping (${selectionKeys.join(', ')})`, formWords(node)))
    return undefined
  }
  const found = new Map<SelectionKey, readonly Pattern[]>()
  for (const { key, range, value } of node.entries) {
    const known = selectionKeys.find((each) => each === key)
    if (!known) report(unknownField(placeOf(range), at, keyWords(key), nearest(key, selectionKeys), selectionKeys))
    else found.set(known, patternsIn(known, value, `${at}.${key}`, report))
  }
  return found
}

const patternsIn = (key: SelectionKey, node: Node, at: string, report: ReportProblem): readonly Pattern[] =>
  itemsOf(node, at, { report }).flatMap((item) => {
    reportSecretNames(item, report)
    const text = item.secret ? undefined : readString(item, at, { report })
    return text === undefined ? [] : [{ text, range: item.range, fits: matcherOf(key, text) }]
  })

function matcherOf(key: SelectionKey, text: string): Pattern['fits'] {
  const fits = nameMatcher(text)
  switch (key) {
    case 'tags':
      return ({ tags }) => tags.some(fits)
    case 'operationIds':
      return ({ operationId }) => operationId !== undefined && fits(operationId.text)
    case 'paths':
      return ({ at }) => fits(at.path)
    case 'extensions':
      return extensionMatcher(text)
  }
}

/**
 * `x-internal`: the extension is written and not false; `x-audience=partner`: it has that value. The operation takes precedence
 * over its path.
 */
function extensionMatcher(text: string): Pattern['fits'] {
  const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? []
  return ({ map, at }) => {
    const node = valueAt(map, name) ?? valueAt(at.map, name)
    if (!node) return false
    const written = node.is === 'scalar' ? String(node.value) : ''
    return value === undefined ? written !== 'false' : written === value
  }
}

/**
 * The operations that are not skipped, that match every key of `only`, and that match no key of `except`. A pattern that matches
 * nothing is reported.
 */
export function chosen(
  operations: readonly ApiOperation[],
  { only, except }: { readonly only: OperationSelection; readonly except: OperationSelection },
  report: ReportProblem,
): readonly ApiOperation[] {
  for (const [key, patterns] of [...(only ?? []), ...(except ?? [])]) {
    for (const pattern of patterns) {
      if (!operations.some((each) => pattern.fits(each)))
        report(selectsNothing(placeOf(pattern.range), key, pattern.text))
    }
  }
  const isAny = (patterns: readonly Pattern[], operation: ApiOperation) => patterns.some((each) => each.fits(operation))
  return operations.filter(
    (operation) =>
      !operation.extensions.skip &&
      !operation.at.extensions.skip &&
      [...(only ?? [])].every(([, patterns]) => isAny(patterns, operation)) &&
      ![...(except ?? [])].some(([, patterns]) => isAny(patterns, operation)),
  )
}
