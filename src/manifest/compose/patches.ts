import { findKind, isKindName, kindNames } from '../../catalog/queries.js'
import { ownValue } from '../../catalog/record.js'
import { memberOf } from '../../catalog/shapes.js'
import type { Kind } from '../../catalog/types.js'
import type { PatchOperation } from '../../json/patch.js'
import { isWithin, keysOf } from '../../json/pointer.js'
import { badPatch, patchOmits } from '../../problems/compose.js'
import { badAddress, unknownManifestKind, wrongType } from '../../problems/manifests.js'
import type { ReportProblem } from '../../problems/problem.js'
import { nearest } from '../../problems/suggest.js'
import { itemsOf, readFlag, readString, refusesNumber } from '../field-value.js'
import {
  displayedText,
  formWords,
  isNull,
  type MapNode,
  type Node,
  plain,
  scalarText,
  valueAt,
  wordsFor,
} from '../node.js'
import { reportSecretNames } from '../secret-paths.js'
import { placeOf } from '../source.js'
import { reportUnknownKeys } from '../unknown-keys.js'
import { readLayerFields } from './defaults.js'
import type { Patch } from './layers.js'
import { isAddressGlob, kindOfTarget } from './targets.js'

/**
 * Reads patches. `owner`: what messages call their owner. `bare`: the kind of a target that is a pattern of names instead of an
 * address.
 */
export function readPatches(
  node: Node | undefined,
  owner: string,
  report: ReportProblem,
  bare?: Kind,
): readonly Patch[] {
  if (!node || isNull(node)) return []
  if (node.is !== 'list') {
    report(wrongType(placeOf(node.range), 'patches', 'a list', wordsFor(node)))
    return []
  }
  return node.items.flatMap((item, index) => {
    const layer = `patches[${index}] of ${owner}`
    if (item.is === 'map') return readPatch(item, layer, report, bare) ?? []
    report(wrongType(placeOf(item.range), layer, 'a mapping with a target', wordsFor(item)))
    return []
  })
}

const patchKeys = ['target', 'expect', 'merge', 'unset', 'json', 'omit']

function readPatch(map: MapNode, layer: string, reportTo: ReportProblem, bare: Kind | undefined): Patch | undefined {
  let isBroken = false
  const report: ReportProblem = (problem) => {
    isBroken = true
    reportTo(problem)
  }
  const target = readTarget(valueAt(map, 'target'), map, report, bare)
  // Without its wrong part, the target would match more objects than intended.
  const isMeant = !isBroken
  reportUnknownKeys(map, 'a patch', patchKeys, report)
  if (!target || !isMeant) return undefined
  const merge = valueAt(map, 'merge')
  const omit = valueAt(map, 'omit')
  if (!isBroken && !['merge', 'unset', 'json', 'omit'].some((key) => valueAt(map, key) !== undefined)) {
    report(badPatch(placeOf(map.range), 'the patch says nothing to do', 'write merge, unset, json or omit: true'))
  }
  const isOmitted = omit !== undefined && readFlag(omit, 'omit', report) === true
  const changes = ['merge', 'unset', 'json'].filter((key) => valueAt(map, key) !== undefined)
  if (omit && isOmitted && changes.length > 0) {
    reportTo(patchOmits(placeOf(omit.range), changes))
  }
  const parts = {
    target: target.target,
    expect: readExpect(valueAt(map, 'expect'), map, report),
    omit: isOmitted,
    merge: merge ? readLayerFields(merge, target.kind, 'merge', layer, report) : [],
    unset: readPointers(valueAt(map, 'unset'), report),
    json: readOperations(valueAt(map, 'json'), target.kind, report),
  }
  return { layer, range: map.range, ...parts, isBroken }
}

interface ReadTarget {
  readonly target: Patch['target']
  /** The kind of the objects, if the target names one. */
  readonly kind: Kind | undefined
}

function readTarget(
  node: Node | undefined,
  map: MapNode,
  report: ReportProblem,
  bare: Kind | undefined,
): ReadTarget | undefined {
  if (!node) {
    report(
      badPatch(placeOf(map.range), 'the patch has no target', 'write target: Service/NAME, or {kind, name, labels}'),
    )
    return undefined
  }
  if (node.secret) {
    reportSecretNames(node, report)
    return undefined
  }
  if (node.is === 'map') return readSelection(node, report)
  const glob = readString(node, 'target', { report })
  if (glob === undefined) return undefined
  if (!isAddressGlob(glob) && bare) {
    return { target: { kind: bare.name, name: glob, labels: {}, range: node.range, words: glob }, kind: bare }
  }
  if (!isAddressGlob(glob)) {
    report(badAddress(placeOf(node.range), glob, 'Service/*/Endpoint/upload*'))
    return undefined
  }
  return { target: { glob, range: node.range, words: glob }, kind: findKind(kindOfTarget({ glob }) ?? '') }
}

const selectionKeys = ['kind', 'name', 'labels']

function readSelection(node: MapNode, report: ReportProblem): ReadTarget | undefined {
  reportUnknownKeys(node, 'target', selectionKeys, report)
  const written = valueAt(node, 'kind')
  const kind = written && readString(written, 'target.kind', { report })
  if (written && kind !== undefined && !isKindName(kind)) {
    report(unknownManifestKind(placeOf(written.range), displayedText(written), nearest(kind, kindNames), kindNames))
    return undefined
  }
  const named = valueAt(node, 'name')
  const name = named && readString(named, 'target.name', { report })
  const labelled = valueAt(node, 'labels')
  const labels = labelled?.is === 'map' ? labelled.entries : []
  const texts = labels.flatMap(({ key, value }): [string, string][] => {
    const text = readString(value, `target.labels.${key}`, { report })
    return text === undefined ? [] : [[key, text]]
  })
  if (labelled && labelled.is !== 'map') {
    report(wrongType(placeOf(labelled.range), 'target.labels', 'a mapping of texts', formWords(labelled)))
    return undefined
  }
  // The target would match every object; a part was probably forgotten.
  if (!written && !named && labels.length === 0) {
    report(badPatch(placeOf(node.range), 'the target tells no objects', 'write kind, name or labels'))
    return undefined
  }
  // The unreadable part was reported. Without it, the patch would match more objects than intended.
  const isUnread = (written && kind === undefined) || (named && name === undefined) || texts.length < labels.length
  if (isUnread) return undefined
  const words = [kind, name, ...texts.map((pair) => pair.join('='))].filter((word) => word !== undefined).join(', ')
  return {
    target: { kind, name, labels: Object.fromEntries(texts), range: node.range, words: `{${words}}` },
    kind: kind === undefined ? undefined : findKind(kind),
  }
}

function readExpect(node: Node | undefined, map: MapNode, report: ReportProblem): Patch['expect'] {
  const any = { atLeast: 1, atMost: Number.POSITIVE_INFINITY, range: node?.range ?? map.range }
  if (!node) return any
  const [, count, more] = /^(\d{1,9})(\+?)$/.exec(node.is === 'scalar' ? String(node.value) : '') ?? []
  if (count === undefined) {
    report(wrongType(placeOf(node.range), 'expect', 'a number of objects, such as 1, "1+" or "0+"', wordsFor(node)))
    return any
  }
  return { ...any, atLeast: Number(count), atMost: more === '+' ? any.atMost : Number(count) }
}

function readPointers(node: Node | undefined, report: ReportProblem): Patch['unset'] {
  if (!node || isNull(node)) return []
  return itemsOf(node, 'unset', { report }).flatMap((item) => {
    reportSecretNames(item, report)
    const pointer = item.secret ? undefined : readString(item, 'unset', { report })
    if (pointer === undefined) return []
    if (pointer.startsWith('/') && pointer.length > 1) return [{ pointer, node: item }]
    report(badPatch(placeOf(item.range), `"${displayedText(item)}" is not a JSON Pointer`, 'write it as /field'))
    return []
  })
}

function readOperations(node: Node | undefined, kind: Kind | undefined, report: ReportProblem): Patch['json'] {
  if (!node || isNull(node)) return []
  if (node.is !== 'list') {
    report(wrongType(placeOf(node.range), 'json', 'a list of operations (RFC 6902)', formWords(node)))
    return []
  }
  const tested: string[] = []
  return node.items.flatMap((item) => {
    const operation = readOperation(item, report)
    if (!operation) return []
    if (operation.op === 'test') tested.push(operation.path)
    for (const pointer of operation.op === 'test' ? [] : pathsOf(operation)) {
      if (isGuarded(pointer, kind, tested)) continue
      report(
        badPatch(
          placeOf(item.range),
          `${pointer} leads through an entry of a list, which may be another one tomorrow`,
          'put a test operation of that entry before it',
        ),
      )
    }
    return [{ operation, node: item }]
  })
}

const operations = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const

function readOperation(node: Node, report: ReportProblem): PatchOperation | undefined {
  const bad = (words: string): undefined => {
    report(badPatch(placeOf(node.range), words, 'write it as {op: replace, path: /field, value: …} (RFC 6902)'))
  }
  if (node.is !== 'map') return bad('an operation is a mapping with op and path')
  const text = (key: string) => scalarText(valueAt(node, key))
  const op = operations.find((each) => each === text('op'))
  const path = text('path')
  const from = text('from')
  const value = valueAt(node, 'value')
  const secret = ['path', 'from'].flatMap((key) => valueAt(node, key) ?? []).find((each) => each.secret)
  if (secret) {
    reportSecretNames(secret, report)
    return undefined
  }
  if (!op) return bad(`op is one of ${operations.join(', ')}`)
  if (path === undefined || !path.startsWith('/')) return bad('path is a JSON Pointer that starts with "/"')
  if ((op === 'move' || op === 'copy') && !from?.startsWith('/')) return bad(`${op} needs from, a JSON Pointer`)
  if ((op === 'add' || op === 'replace' || op === 'test') && !value) return bad(`${op} needs a value`)
  if (value && refusesNumber(value, `value of the operation at ${path}`, { report })) return undefined
  return { op, path, ...(from !== undefined && { from }), ...(value && { value: plain(value) }) }
}

/** The paths that an operation takes from or changes. */
const pathsOf = ({ op, path, from }: PatchOperation): readonly string[] =>
  from !== undefined && (op === 'move' || op === 'copy') ? [from, path] : [path]

/** Whether each list index in the path was tested. "-" is behind the last entry, so there is nothing to test. */
function isGuarded(path: string, kind: Kind | undefined, tested: readonly string[]): boolean {
  const keys = keysOf(path)
  const inMap = keyOfMap(keys, kind)
  return keys.every((key, index) => {
    if (!/^\d+$/.test(key) || index === inMap) return true
    const entry = `/${path
      .split('/')
      .slice(1, index + 2)
      .join('/')}`
    return tested.some((each) => isWithin(each, entry))
  })
}

/**
 * The position in a path of the key of a free map, which may be a number: the step behind the field or member that is the map.
 */
function keyOfMap([field = '', ...members]: readonly string[], kind: Kind | undefined): number | undefined {
  let type = kind && ownValue(kind.fields, field)?.type
  let behind = 1
  for (const member of members) {
    if (type?.is !== 'shape') break
    type = memberOf(type.shape, member)?.type
    behind += 1
  }
  return type?.is === 'map' ? behind : undefined
}
