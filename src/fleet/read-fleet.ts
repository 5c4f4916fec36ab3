import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { inlineAreaSchema } from '../catalog/fleet-schema.js'
import { placeDocument } from '../documents/place.js'
import { type Files, nodeFiles } from '../files/files.js'
import { findManifests } from '../files/find-manifests.js'
import { notRead } from '../files/not-read.js'
import { join, normalizePath } from '../files/paths.js'
import { isObject, type Json, type JsonObject, numberOf, objectOf, textEntries, textMembers } from '../json/json.js'
import { durationMs } from '../manifest/duration.js'
import { hideInUnreadable } from '../manifest/hide-secrets.js'
import { isNull, type MapNode, plain, valueAt, wordsFor } from '../manifest/node.js'
import { problemsInOrder } from '../manifest/problems-in-order.js'
import { placeOf, type Source, type SourceRange } from '../manifest/source.js'
import { readYaml } from '../manifest/yaml/read-yaml.js'
import type { Ports } from '../ports/ports.js'
import {
  areasByName,
  areaTwice,
  missingAreas,
  missingFleet,
  noAreas,
  notAnArea,
  unknownFleetKey,
} from '../problems/fleet.js'
import { wrongType } from '../problems/manifests.js'
import { hasErrors, type Place, type Problem, type ReportProblem } from '../problems/problem.js'
import { notADocumentOf } from '../problems/project.js'
import { nearest } from '../problems/suggest.js'
import { checkDurations, checkRollout, checkSchedule, checkServe, checkUse } from './check-fleet.js'
import { areaCheck, checked, fleetCheck, hideDoubtful, inlineCheck } from './check-schema.js'
import type { CredentialVariables, Fleet, FleetArea, FleetKey } from './fleet.js'

/** The default name of the fleet file. */
export const fleetFile = 'gatewright.fleet.yaml'

/** A fleet with its problems. */
export interface ReadFleet {
  /** Undefined if there are errors. */
  readonly fleet: Fleet | undefined
  readonly problems: readonly Problem[]
}

interface ReadAreas extends ReadFleet {
  /** The areas that could be read, even if there are errors. */
  readonly areas: readonly FleetArea[]
}

/** Reads a fleet file and the files of its areas, and performs all checks that need no project. `file` is relative to `cwd`. */
export const readFleet = (file: string, { cwd }: Pick<Ports, 'cwd'>): ReadAreas => readWith(nodeFiles(cwd), file)

/** The name of a fleet, even if its file has errors; undefined if the file cannot be read. */
export function fleetNameIn(file: string, { cwd }: Pick<Ports, 'cwd'>): string | undefined {
  const path = normalizePath(file)
  const read = nodeFiles(cwd).readText(path)
  if ('failure' in read) return undefined
  const [root] = mappings({ file: path, text: read.text }, 'the fleet file', 'Fleet', () => undefined)
  return root && textAt(objectAt(plain(root), 'metadata'), 'name')
}

/**
 * Reads the fleet at each call. If no file has changed since the last call, the result is the same value, and nothing is parsed.
 */
export function fleetReader(file: string, { cwd }: Pick<Ports, 'cwd'>): () => ReadFleet {
  let last: { readonly read: ReadFleet; readonly isSame: () => boolean } | undefined
  return () => {
    if (last?.isSame()) return last.read
    const { files, isSame } = noted(nodeFiles(cwd))
    last = { read: readWith(files, file), isSame }
    return last.read
  }
}

/** The same files; `isSame` repeats all earlier questions and is true if all answers are the same. */
function noted(files: Files): { readonly files: Files; readonly isSame: () => boolean } {
  const requested: (() => boolean)[] = []
  const note = <Answer>(read: () => Answer): Answer => {
    const answer = read()
    requested.push(() => isDeepStrictEqual(read(), answer))
    return answer
  }
  return {
    files: {
      ...files,
      readText: (path, limits) => note(() => files.readText(path, limits)),
      list: (folder) => note(() => files.list(folder)),
      exists: (path) => note(() => files.exists(path)),
    },
    isSame: () => requested.every((isAnsweredSo) => isAnsweredSo()),
  }
}

function readWith(files: Files, file: string): ReadAreas {
  const problems: Problem[] = []
  const report: ReportProblem = (problem) => problems.push(problem)
  const { fleet, areas } = fleetIn(normalizePath(file), files, report)
  return { fleet: hasErrors(problems) ? undefined : fleet, areas, problems: problemsInOrder(problems) }
}

/** The parts of a fleet that could be read. */
interface FoundFleet extends Pick<ReadAreas, 'areas'> {
  readonly fleet?: Fleet
}

function fleetIn(file: string, files: Files, report: ReportProblem): FoundFleet {
  const read = files.readText(file)
  if ('failure' in read) {
    report(read.broken ? notRead(file, read) : missingFleet(file, read.failure))
    return { areas: [] }
  }
  const [root, second] = mappings({ file, text: read.text }, 'the fleet file', 'Fleet', report)
  if (!root) return { areas: [] }
  if (second) report(notADocumentOf(placeOf(second.range), 'the fleet file', 'a second document', 'Fleet'))
  const isFleet = checked(root, fleetCheck, 'the fleet file', report)
  const dir = dirname(file)
  const spec = mapAt(root, 'spec')
  const own = objectAt(plain(root), 'spec')
  const { written, areas: found, isWhole } = areasOf(spec, dir, files, report)
  const common = textEntries(own.variables)
  const areas = found.map((area) => ({ ...area, variables: [...common, ...area.variables] }))
  const keys = Object.fromEntries(
    Object.entries(objectAt(own, 'keys')).map(([name, key]) => [name, fleetKey(objectOf(key))]),
  )
  // A misspelled word `keys` is reported once, and not again for every area.
  if (isFleet || valueAt(spec, 'keys')) checkAreas(written, Object.keys(keys), report)
  for (const problem of [...checkDurations(spec), ...checkSchedule(spec), ...checkServe(spec)]) report(problem)
  if (!isFleet) return { areas }
  const fleet: Fleet = {
    name: textAt(objectAt(plain(root), 'metadata'), 'name') ?? '',
    ...{ file, dir, keys, areas },
    drift: driftOf(objectAt(own, 'drift')),
    rollout: rolloutOf(own, spec),
    records: join(dir, normalizePath(textAt(own, 'records') ?? '.gatewright/fleets')),
    timeoutMs: durationMs(textAt(own, 'timeout') ?? '') ?? 3_600_000,
    serve: serveOf(objectAt(own, 'serve')),
  }
  if (isWhole) {
    for (const problem of [...checkRollout(fleet, valueAt(spec, 'rollout')?.range), ...checkUse(fleet, spec)])
      report(problem)
  }
  return { fleet, areas }
}

/** The YAML documents of a text that are mappings. Others are reported. */
function mappings(
  source: Source,
  checkedAs: string,
  kind: 'Fleet' | 'Area',
  report: ReportProblem,
): readonly MapNode[] {
  const { documents, problems } = readYaml(source)
  if (problems.length > 0) hideInUnreadable(source)
  for (const problem of problems) report(problem)
  if (documents.length === 0 && problems.length === 0) {
    const place = placeOf({ source, start: 0, end: 0 })
    report(kind === 'Fleet' ? notADocumentOf(place, checkedAs, 'no document', kind) : notAnArea(place, 'no document'))
  }
  return documents.flatMap((root) => {
    if (root.is === 'map') return [root]
    report(wrongType(placeOf(root.range), checkedAs, 'a mapping', root.is === 'list' ? 'a list' : 'a text'))
    return []
  })
}

/** An area with its source. */
interface WrittenArea {
  readonly area: FleetArea
  readonly spec: MapNode
}

interface WrittenAreas {
  readonly written: readonly WrittenArea[]
  readonly areas: readonly FleetArea[]
  /**
   * True if all areas could be read. Otherwise, areas that could not be read may be in the empty waves or use the unused keys.
   */
  readonly isWhole: boolean
}

function areasOf(spec: MapNode, dir: string, files: Files, report: ReportProblem): WrittenAreas {
  const node = valueAt(spec, 'areas')
  // That there are no areas is already reported.
  if (!node) return { written: [], areas: [], isWhole: false }
  const problems: Problem[] = []
  const tell: ReportProblem = (problem) => problems.push(problem)
  const items = node.is === 'list' ? node.items : [node]
  const written = items.flatMap((item): readonly WrittenArea[] => {
    if (item.is === 'map') return isByName(item) ? byName(item, tell) : inlineArea(item, dir, tell)
    if (item.is === 'scalar' && typeof item.value === 'string') return areasIn(item.value, item.range, dir, files, tell)
    tell(wrongType(placeOf(item.range), 'spec.areas', 'a file, a pattern or an area', wordsFor(item)))
    return []
  })
  if (items.length === 0) tell(noAreas(placeOf(node.range)))
  const first = new Map<string, FleetArea>()
  for (const { area } of written) {
    const other = first.get(area.name)
    if (other) tell(areaTwice(area.place, area.name, other.place))
    else first.set(area.name, area)
  }
  for (const problem of problems) report(problem)
  return { written, areas: [...first.values()], isWhole: !hasErrors(problems) }
}

/** True if the mapping has areas by their names, in the form of keys and environments. */
const isByName = ({ entries }: MapNode): boolean =>
  entries.length > 0 && entries.every(({ key, value }) => value.is === 'map' && !areaKeys.includes(key))

const areaKeys = Object.keys(objectAt(inlineAreaSchema(), 'properties'))

function byName(node: MapNode, report: ReportProblem): readonly WrittenArea[] {
  for (const { value } of node.entries) hideDoubtful(value, [inlineAreaSchema()])
  const [first] = node.entries
  report(areasByName(placeOf((first ?? node).range), first?.key ?? ''))
  return []
}

function inlineArea(node: MapNode, dir: string, report: ReportProblem): readonly WrittenArea[] {
  if (!checked(node, inlineCheck, 'the area', report)) return []
  const value = plain(node)
  const name = (isObject(value) && textAt(value, 'name')) || ''
  return [{ area: areaFrom(name, node, dir, rangeOfKey(node, 'name')), spec: node }]
}

/** The areas of a file, folder or pattern; `range`: the position of its name. */
function areasIn(
  path: string,
  range: SourceRange,
  dir: string,
  files: Files,
  report: ReportProblem,
): readonly WrittenArea[] {
  const where = { origin: 'named', paths: [join(dir, normalizePath(path))], pipes: 'refuse' } as const
  const missing = ({ message }: Problem) => report(missingAreas(placeOf(range), message))
  return findManifests(where, files, missing).flatMap(({ path: file }) => areasOfFile(file, files, report))
}

function areasOfFile(file: string, files: Files, report: ReportProblem): readonly WrittenArea[] {
  const read = files.readText(file)
  if ('failure' in read) {
    report(notRead(file, read))
    return []
  }
  return mappings({ file, text: read.text }, file, 'Area', report).flatMap((root): readonly WrittenArea[] => {
    const kind = valueAt(root, 'kind')
    if (kind?.is !== 'scalar' || kind.value !== 'Area') {
      report(notAnArea(placeOf((kind ?? root).range), kind ? wordsFor(kind) : 'no kind'))
      return []
    }
    if (!checked(root, areaCheck, 'the area', report)) return []
    const value = plain(root)
    const spec = mapAt(root, 'spec')
    const name = textAt(objectAt(value, 'metadata'), 'name') ?? ''
    return [{ area: areaFrom(name, spec, dirname(file), rangeOfKey(mapAt(root, 'metadata'), 'name')), spec }]
  })
}

/** `spec` is valid by its schema; `range`: the position of the name. */
function areaFrom(name: string, spec: MapNode, dir: string, range: SourceRange): FleetArea {
  const written = plain(spec)
  const value = objectOf(written)
  return {
    name,
    project: join(dir, normalizePath(textAt(value, 'project') ?? '.')) || '.',
    environment: textAt(value, 'environment'),
    area: textAt(value, 'area'),
    values: objectAt(value, 'values'),
    labels: textMembers(objectAt(value, 'labels')),
    key: textAt(value, 'key'),
    credentials: credentialsOf(value),
    variables: textEntries(value.variables),
    place: placeDocument(placeOf(range)),
    places: Object.fromEntries([
      ...placesIn(spec, '').filter(([key]) => ['project', 'environment', 'area'].includes(key)),
      ...placesIn(mapAt(spec, 'values'), 'values.'),
    ]),
  }
}

/** The positions without the source lines around them: a fleet is stored as JSON. */
const placesIn = (node: MapNode, before: string): readonly (readonly [string, Place])[] =>
  node.entries.map(({ key, value }) => [`${before}${key}`, placeDocument(placeOf(value.range))])

const rangeOfKey = (node: MapNode, key: string): SourceRange => valueAt(node, key)?.range ?? node.range

function checkAreas(written: readonly WrittenArea[], keys: readonly string[], report: ReportProblem): void {
  for (const { area, spec } of written) {
    if (area.key === undefined || keys.includes(area.key)) continue
    report(unknownFleetKey(placeOf(rangeOfKey(spec, 'key')), area.key, nearest(area.key, keys), keys))
  }
}

const fleetKey = (value: JsonObject): FleetKey => ({
  requestsPerSecond: numberOf(value.requestsPerSecond),
  requestsPerDay: numberOf(value.requestsPerDay),
  concurrency: numberOf(value.concurrency) ?? 1,
  credentials: credentialsOf(value),
})

/** The names of the variables. The schema accepts nothing else here. */
function credentialsOf(value: JsonObject): CredentialVariables {
  const names = Object.entries(textMembers(objectAt(value, 'credentials'))).map(([name, text]) => [
    name,
    text.slice('${env:'.length, -1),
  ])
  return Object.fromEntries(names)
}

const serveOf = (value: JsonObject): Fleet['serve'] => ({
  userHeader: textAt(value, 'userHeader')?.toLowerCase(),
  trustedProxies: textEntries(value.trustedProxies),
  origin: textAt(value, 'origin'),
  retentionDays: numberOf(value.retentionDays) ?? 90,
})

function driftOf(value: JsonObject): Fleet['drift'] {
  const schedule = textAt(value, 'schedule')
  if (schedule === undefined) return undefined
  const jitterMs = durationMs(textAt(value, 'jitter') ?? '') ?? 0
  return { schedule, timezone: textAt(value, 'timezone') ?? 'UTC', jitterMs }
}

function rolloutOf(own: JsonObject, spec: MapNode): Fleet['rollout'] {
  const node = valueAt(spec, 'rollout')
  if (node?.is !== 'map') return undefined
  const value = objectAt(own, 'rollout')
  const waves = Array.isArray(value.waves) ? value.waves : [{}]
  const written = valueAt(node, 'waves')
  const stop = objectAt(value, 'stop')
  return {
    waves: waves.map((wave: Json, index: number) => {
      const each = objectOf(wave)
      return {
        labels: textMembers(objectAt(each, 'labels')),
        percent: numberOf(each.percent),
        bakeMs: durationMs(textAt(each, 'bake') ?? '') ?? 0,
        approve: each.approve === true,
        place: placeDocument(
          placeOf((written?.is === 'list' && written.items[index] ? written.items[index] : node).range),
        ),
      }
    }),
    stop: { failures: numberOf(stop.failures), failedPercent: numberOf(stop.failedPercent) },
  }
}

function mapAt(node: MapNode, key: string): MapNode {
  const found = valueAt(node, key)
  return found?.is === 'map'
    ? found
    : { is: 'map', entries: [], range: isNull(found) && found ? found.range : node.range }
}

function objectAt(value: Json, key: string): JsonObject {
  const found = isObject(value) ? value[key] : undefined
  return objectOf(found)
}

const textAt = (value: JsonObject, key: string): string | undefined => {
  const found = value[key]
  return typeof found === 'string' ? found : undefined
}
