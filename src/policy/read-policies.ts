import { parseAddress } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { hazardNames } from '../catalog/hazards.js'
import { apiVersion, documentKeys } from '../catalog/metadata-keys.js'
import { policyActions, policyKind, policyLevels } from '../catalog/policy-schema.js'
import { elementOf, kindNames } from '../catalog/queries.js'
import { ownValue } from '../catalog/record.js'
import { documentName } from '../catalog/shapes.js'
import type { KindName } from '../catalog/types.js'
import { isDay } from '../catalog/value.js'
import { isGlob } from '../files/glob.js'
import { type Json, type JsonObject, objectOf, withoutMembers } from '../json/json.js'
import { keysOf } from '../json/pointer.js'
import { isAddressGlob } from '../manifest/compose/targets.js'
import { itemsOf, readFlag, readString, readValue, readWord } from '../manifest/field-value.js'
import {
  displayedText,
  entryAt,
  formWords,
  isNull,
  keyWords,
  type MapNode,
  type Node,
  plain,
  valueAt,
  wordsFor,
} from '../manifest/node.js'
import { isPolicy } from '../manifest/policy-files.js'
import type { Scope } from '../manifest/scope.js'
import { placeOf, type Source } from '../manifest/source.js'
import { reportUnknownDocumentKeys, reportUnknownKeys, reportUnknownMetadata } from '../manifest/unknown-keys.js'
import { readYaml } from '../manifest/yaml/read-yaml.js'
import {
  badAddress,
  badPointer,
  missingName,
  notOurApiVersion,
  unknownField,
  wrongType,
} from '../problems/manifests.js'
import { badDay, missingPart, notAPolicy, twoPolicies } from '../problems/policies.js'
import type { ReportProblem } from '../problems/problem.js'
import { isMistyped, nearest } from '../problems/suggest.js'
import { masked, maskedChange } from '../secrets/hidden-words.js'
import type { Expression, MadeUpChange, Policy, PolicyTest, Rule, Waiver } from './policy.js'

/** Reads the policies of one file; there are no placeholders in it. */
export function readPolicies(source: Source, report: ReportProblem): readonly Policy[] {
  const { documents, problems } = readYaml(source)
  for (const problem of problems) report(problem)
  return documents.flatMap((root) => readDocument(root, report) ?? [])
}

/** Reports an error for every policy with the name of another one: results name their policy. */
export function reportSameNames(policies: readonly Policy[], report: ReportProblem): void {
  const known = new Map<string, Policy>()
  for (const policy of policies) {
    const first = known.get(policy.name)
    if (first) report(twoPolicies(placeOf(policy.range), policy.name, placeOf(first.range)))
    else known.set(policy.name, policy)
  }
}

function readDocument(root: Node, report: ReportProblem): Policy | undefined {
  const kind = root.is === 'map' ? entryAt(root, 'kind') : undefined
  if (root.is !== 'map' || !isPolicy(root)) {
    report(notAPolicy(placeOf((kind?.value ?? root).range), kind ? wordsFor(kind.value) : 'no kind'))
    return undefined
  }
  const version = valueAt(root, 'apiVersion')
  if (version?.is !== 'scalar' || version.value !== apiVersion) {
    report(
      notOurApiVersion(placeOf((version ?? root).range), version && displayedText(version), apiVersion, 'anything'),
    )
  }
  reportUnknownDocumentKeys(root, report)
  const name = readName(root, report)
  const spec = partOf(root, 'spec', report)
  // A policy without rules would look as if it were satisfied.
  const [holder, key, keys] = spec ? ([spec, 'rules', specKeys] as const) : ([root, 'spec', documentKeys] as const)
  if (isEmpty(valueAt(holder, key)) && !isMistypedIn(holder, key, keys)) {
    report(missingPart(placeOf(root.range), name === undefined ? 'this policy' : `the policy ${name}`, 'rules'))
  }
  if (!spec) return undefined
  reportUnknownKeys(spec, 'spec', specKeys, report)
  const match = readMatch(partOf(spec, 'match', report), report)
  const kinds = match.kinds
  const rules = itemsIn(spec, 'rules', report).flatMap(
    (item, index) => readRule(item, { number: index + 1, kinds }, report) ?? [],
  )
  const waivers = itemsIn(spec, 'waivers', report).flatMap((item) => readWaiver(item, report) ?? [])
  const tests = itemsIn(spec, 'tests', report).flatMap(
    (item, index) => readTest(item, { number: index + 1, labels: match.labels }, report) ?? [],
  )
  if (name === undefined) return undefined
  return { name, range: root.range, match, rules, waivers, tests, demands: demandsOf(name, plain(spec)) }
}

const specKeys = ['match', 'rules', 'waivers', 'tests']

/** Whether a key is written under a mistyped name, which is reported as unknown. */
const isMistypedIn = (map: MapNode, key: string, known: readonly string[]): boolean =>
  isMistyped(
    key,
    map.entries.map((entry) => entry.key),
    known,
  )

const lacks = (map: MapNode, key: string, known: readonly string[]): boolean =>
  !entryAt(map, key) && !isMistypedIn(map, key, known)

/** Absent, null, or an empty list. */
const isEmpty = (node: Node | undefined): boolean =>
  node === undefined || isNull(node) || (node.is === 'list' && node.items.length === 0)

/** Tests are not a part of what a policy demands. */
const demandsOf = (name: string, spec: Json): JsonObject => ({
  name,
  ...withoutMembers(objectOf(spec), ['tests']),
})

function readName(root: MapNode, report: ReportProblem): string | undefined {
  const metadata = partOf(root, 'metadata', report)
  reportUnknownMetadata(metadata, ['name'], report)
  const entry = metadata && entryAt(metadata, 'name')
  const name = entry && readString(entry.value, 'metadata.name', { report })
  const isLacking = metadata ? lacks(metadata, 'name', ['name']) : lacks(root, 'metadata', documentKeys)
  if (name === '' || isLacking) report(missingName(placeOf((metadata ?? root).range), policyKind, 'metadata.name'))
  return name === '' ? undefined : name
}

/** A mapping inside a mapping; undefined if it is absent or not a mapping. */
function partOf(map: MapNode, key: string, report: ReportProblem): MapNode | undefined {
  const node = valueAt(map, key)
  return !node || isNull(node) ? undefined : asMapping(node, key, report)
}

function asMapping(node: Node, what: string, report: ReportProblem): MapNode | undefined {
  if (node.is === 'map') return node
  report(wrongType(placeOf(node.range), what, 'a mapping', formWords(node)))
  return undefined
}

function itemsIn(map: MapNode, key: string, report: ReportProblem): readonly Node[] {
  const node = valueAt(map, key)
  return node && !isNull(node) ? itemsOf(node, key, { report }) : []
}

function flagIn(map: MapNode, key: string, report: ReportProblem): boolean {
  const node = valueAt(map, key)
  return node && !isNull(node) ? (readFlag(node, key, report) ?? false) : false
}

function readTextAt(map: MapNode, key: string, owner: string, report: ReportProblem): string | undefined {
  const node = valueAt(map, key)
  if (!node || isNull(node)) return undefined
  return readString(node, `${key} of ${owner}`, { report })
}

function labelsIn(map: MapNode, report: ReportProblem): Readonly<Record<string, string>> {
  const entries = partOf(map, 'labels', report)?.entries ?? []
  return Object.fromEntries(
    entries.flatMap(({ key, value }): [string, string][] => {
      const text = readString(value, `labels.${key}`, { report })
      return text === undefined ? [] : [[key, text]]
    }),
  )
}

const matchKeys = ['kinds', 'actions', 'environments', 'labels', 'unchanged']

function readMatch(map: MapNode | undefined, report: ReportProblem): Policy['match'] {
  if (!map) return { kinds: [], actions: [], environments: [], labels: {}, unchanged: false }
  reportUnknownKeys(map, 'match', matchKeys, report)
  const words = <const Word extends string>(key: string, known: readonly Word[]) =>
    itemsIn(map, key, report).flatMap((item) => readWord(item, `match.${key}`, known, report) ?? [])
  return {
    kinds: words('kinds', kindNames),
    actions: words(
      'actions',
      policyActions.filter((action) => action !== 'unchanged'),
    ),
    environments: itemsIn(map, 'environments', report).flatMap((item) => {
      const name = readString(item, 'match.environments', { report })
      return name === undefined ? [] : [{ name, range: item.range }]
    }),
    labels: labelsIn(map, report),
    unchanged: flagIn(map, 'unchanged', report),
  }
}

const ruleKeys = ['assert', 'message', 'at', 'level', 'plan']

function readRule(
  written: Node,
  { number, kinds }: { readonly number: number; readonly kinds: readonly KindName[] },
  report: ReportProblem,
): Rule | undefined {
  const node = asMapping(written, 'an entry of rules', report)
  if (!node) return undefined
  reportUnknownKeys(node, 'a rule', ruleKeys, report)
  const assert = expressionIn(node, 'assert', report)
  if (lacks(node, 'assert', ruleKeys)) report(missingPart(placeOf(node.range), `rule ${number}`, 'assert'))
  const level = valueAt(node, 'level')
  const message = expressionIn(node, 'message', report)
  const at = readAt(node, kinds, report)
  if (!assert) return undefined
  return {
    ...{ number, assert, message, at, range: node.range },
    of: flagIn(node, 'plan', report) ? 'plan' : 'change',
    level: (level && readWord(level, 'level', policyLevels, report)) ?? 'error',
  }
}

/** `true` and numbers are expressions, too. */
function expressionIn(map: MapNode, key: string, report: ReportProblem): Expression | undefined {
  const node = valueAt(map, key)
  if (!node) return undefined
  if (node.is === 'scalar' && node.value !== null) return { text: String(node.value), node }
  report(
    wrongType(
      placeOf(node.range),
      key,
      'an expression',
      formWords(node),
      'put it in quotes: { and [ begin YAML of their own',
    ),
  )
  return undefined
}

function readAt(map: MapNode, kinds: readonly KindName[], report: ReportProblem): Rule['at'] {
  const node = valueAt(map, 'at')
  const pointer = node && readString(node, 'at', { report })
  if (!node || pointer === undefined) return undefined
  const [first = ''] = keysOf(pointer)
  const known = fieldNamesOf(kinds)
  if (!pointer.startsWith('/')) report(badPointer(placeOf(node.range), pointer, `/${pointer.replaceAll('.', '/')}`))
  else if (!known.has(documentName(first))) {
    const near = nearest(first, known)
    report(badPointer(placeOf(node.range), pointer, near && `/${near}`))
  }
  return { pointer, range: node.range }
}

/** The fields of these kinds; of all kinds if none is named. */
const fieldNamesOf = (kinds: readonly KindName[]): ReadonlySet<string> =>
  new Set((kinds.length === 0 ? kindNames : kinds).flatMap((kind) => Object.keys(catalog[kind].fields)))

const waiverKeys = ['address', 'reason', 'owner', 'until'] as const

function readWaiver(written: Node, report: ReportProblem): Waiver | undefined {
  const node = asMapping(written, 'an entry of waivers', report)
  if (!node) return undefined
  reportUnknownKeys(node, 'a waiver', waiverKeys, report)
  const [address, reason, owner, until] = waiverKeys.map((key) => {
    const text = readTextAt(node, key, 'a waiver', report)
    if (lacks(node, key, waiverKeys) || text === '') report(missingPart(placeOf(node.range), 'a waiver', key))
    return text === '' ? undefined : text
  })
  if (address !== undefined && !isPossible(address)) {
    report(badAddress(placeOf(valueAt(node, 'address')?.range ?? node.range), address, 'Package/Gold*'))
  }
  if (until !== undefined && !isDay(until)) {
    report(badDay(placeOf(valueAt(node, 'until')?.range ?? node.range), until))
    return undefined
  }
  if (address === undefined || reason === undefined || owner === undefined || until === undefined) return undefined
  return { address, reason, owner, until, range: node.range }
}

/** Whether any object can have this address, or one that matches it: `*` matches any text, including "/". */
function isPossible(address: string): boolean {
  const [first = ''] = address.split('/')
  return isGlob(address) ? isGlob(first) || isAddressGlob(`${first}/*`) : isAddressGlob(address)
}

const testKeys = ['name', 'change', 'changes', 'environment', 'expect']

function readTest(
  written: Node,
  { number, labels }: { readonly number: number; readonly labels: Readonly<Record<string, string>> },
  report: ReportProblem,
): PolicyTest | undefined {
  const node = asMapping(written, 'an entry of tests', report)
  if (!node) return undefined
  reportUnknownKeys(node, 'a test', testKeys, report)
  const single = valueAt(node, 'change')
  const items = single ? [single] : itemsIn(node, 'changes', report)
  const expected = valueAt(node, 'expect')
  if (!single && lacks(node, 'changes', testKeys) && lacks(node, 'change', testKeys))
    report(missingPart(placeOf(node.range), 'a test', 'change'))
  if (lacks(node, 'expect', testKeys)) report(missingPart(placeOf(node.range), 'a test', 'expect'))
  const expect = expected && readWord(expected, 'expect', [...policyLevels, 'pass'], report)
  const changes = items.flatMap((each) => readChange(each, labels, report) ?? [])
  if (expect === undefined || changes.length < items.length || (!single && !entryAt(node, 'changes'))) return undefined
  return {
    name: readTextAt(node, 'name', 'a test', report) ?? `test ${number}`,
    of: single ? 'change' : 'plan',
    changes,
    environment: readTextAt(node, 'environment', 'a test', report),
    expect,
    range: node.range,
  }
}

const changeKeys = ['kind', 'action', 'name', 'address', 'before', 'after', 'hazards', 'labels']

/** `labels`: the labels of the change unless it has its own. */
function readChange(
  written: Node,
  labels: Readonly<Record<string, string>>,
  report: ReportProblem,
): MadeUpChange | undefined {
  const node = asMapping(written, 'a change of a test', report)
  if (!node) return undefined
  reportUnknownKeys(node, 'a change of a test', changeKeys, report)
  const kindNode = valueAt(node, 'kind')
  const actionNode = valueAt(node, 'action')
  if (lacks(node, 'kind', changeKeys)) report(missingPart(placeOf(node.range), 'a change of a test', 'kind'))
  const kind = kindNode && readWord(kindNode, 'kind', kindNames, report)
  const action = actionNode ? readWord(actionNode, 'action', policyActions, report) : 'update'
  const address = readTextAt(node, 'address', 'a change of a test', report)
  const name =
    readTextAt(node, 'name', 'a change of a test', report) ?? (address && nameInAddress(address)) ?? 'example'
  if (!kind || !action) return undefined
  return {
    ...{
      kind,
      action,
      name,
      address: address ?? `${kind}/${name}`,
      labels: entryAt(node, 'labels') ? labelsIn(node, report) : labels,
    },
    before: fieldsIn(node, 'before', kind, report),
    after: fieldsIn(node, 'after', kind, report),
    hazards: itemsIn(node, 'hazards', report).flatMap((item) => readWord(item, 'hazards', hazardNames, report) ?? []),
  }
}

/** The name in an address. */
export const nameInAddress = (address: string): string | undefined => parseAddress(address)?.steps.at(-1)?.name

/**
 * With a field that its kind does not have, or a value that the field cannot have, a test would be about an impossible object.
 */
function fieldsIn(map: MapNode, key: string, kind: KindName, report: ReportProblem): JsonObject {
  const fields = partOf(map, key, report)
  const known = fieldNamesOf([kind])
  const scope: Scope = { kind: catalog[kind], extraFields: 'pass', clearSecrets: 'warning', report, leftOut: [] }
  const values = (fields?.entries ?? []).map(({ key: name, range, value }): [string, Json] => {
    const field = ownValue(catalog[kind].fields, documentName(name))
    if (!field) report(unknownField(placeOf(range), kind, keyWords(name), nearest(name, known), [...known]))
    const isPlain = field && !['child', 'reference'].includes(elementOf(field.type).is) && !isNull(value)
    const read = isPlain && !isHidden(value) ? readValue(field.type, value, `${kind}.${name}`, scope) : undefined
    return [name, read ?? plain(value)]
  })
  return Object.fromEntries(values)
}

/** What policies get instead of a secret, whatever the type of its field. */
const isHidden = (node: Node): boolean => node.is === 'scalar' && (node.value === masked || node.value === maskedChange)
