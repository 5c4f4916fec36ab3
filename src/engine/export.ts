import { existsSync, lstatSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { addressOf } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { findKind, kindNames, rootOf } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import type { Reading } from '../client/types.js'
import { type ExportDocument, exportDocument } from '../documents/export.js'
import { type Files, nodeFiles } from '../files/files.js'
import { findManifests, manifestsBelow } from '../files/find-manifests.js'
import { join, normalizePath } from '../files/paths.js'
import { digest } from '../json/digest.js'
import type { Json } from '../json/json.js'
import { indexLive } from '../live/live-index.js'
import { addressOfLive, pathTo } from '../live/names.js'
import { nameVariables, type Variables, variableNames } from '../live/variables.js'
import { isCovered, isFolderCovered } from '../manifest/covered.js'
import type { Project } from '../manifest/project.js'
import type { Manifests } from '../manifest/resource.js'
import { objectsOfBase } from '../planner/base/base-object.js'
import { isBlank } from '../planner/compare/blank.js'
import { valueAtPath } from '../planner/compare/secret-values.js'
import { withoutTemporaryPaths } from '../planner/routes.js'
import type { Ports } from '../ports/ports.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import { badUsage, invalidOption, notAvailable } from '../problems/project.js'
import { nothingSelected } from '../problems/refusals.js'
import { nearest } from '../problems/suggest.js'
import {
  collectionNotRead,
  exportDirIsFile,
  exportIntoLink,
  exportOutsideManifests,
  exportWithoutProject,
  nothingExported,
  secretsLeftOut,
} from '../problems/write-back.js'
import { showsSecret } from '../secrets/mask.js'
import { leftOutOf } from './left-out.js'
import { projectOf, readingLive } from './live-area.js'
import { nothingRecorded, type RecordedBase, wasSecretIn } from './recorded-base.js'
import type { ExportRequest } from './requests.js'
import { targetOfProject, vocabularyOf } from './settings.js'
import { keyNames, knownIn, readSnapshot } from './snapshot-area.js'
import { exportSpec } from './write-back/export-spec.js'
import { layersOf } from './write-back/layers.js'
import { type ManifestTexts, manifestTexts, readTexts, resolvedText, wholeOf } from './write-back/manifest-texts.js'
import type { Home } from './write-back/new-files.js'
import { desiredElsewhere, leftToOthers } from './write-back/other-environments.js'
import { selects } from './write-back/selection.js'
import { knownValues, writeBack } from './write-back/write-back.js'
import { writeTexts } from './write-back/write-texts.js'

/** The result of an export. */
export interface Exported {
  readonly document: ExportDocument
  readonly problems: readonly Problem[]
}

/** Exports the live area as manifests. Existing files are edited in place. Sends only GET. */
export async function exportArea(request: ExportRequest, ports: Ports): Promise<Exported> {
  const dir = folderOf(request)
  const kinds = kindsOf(request)
  const project = projectOf(request, ports)
  const texts = folderTexts(dir, project, request, ports)
  if (['file', 'other'].includes(texts.files.exists(dir))) throw new ProblemError([exportDirIsFile(dir)])
  refuseMissing(
    request.paths.filter((path) => normalizePath(path) !== dir),
    texts.files,
  )
  const { reading, records } = await readForExport(texts, kinds, request, ports)
  const empty = emptyIn(request, kinds, reading, readTexts(texts, new Map()))
  if (empty.length > 0) throw new ProblemError(empty)
  const snapshot = withoutTemporaryPaths(reading.snapshot, digest)
  const variables = nameVariables(indexLive(snapshot))
  const known = { ...texts, env: { ...knownValues(variables), ...ports.env } }
  const keyName = keyNames(ports)
  // A folder that the project does not read gets the live values of this environment, without layers.
  const isOfProject = isFolderCovered(dir, project, ports.cwd)
  const layers =
    project.layers && isOfProject ? layersOf(project.layers, request.into ?? 'environment', known) : undefined
  const shared = { target: targetOfProject(project, request, ports), snapshot, records, keyName }
  const elsewhere = desiredElsewhere(layers, shared, request, ports)
  const isSecret = (value: Json) => showsSecret(value, ports.mask)
  const found = writeBack({
    snapshot,
    variables,
    secrets: request.withSecrets ? 'as variables' : 'left out',
    purpose: 'export',
    fullness: request.full ? 'full' : 'short',
    vocabulary: vocabularyOf(project, ports),
    isSecret,
    wasSecret: wasSecretIn(records),
    vanished: () => (request.prune ? 'remove' : 'keep'),
    keyName,
    recordedId: (address) => records.base?.objects.get(address)?.id,
    isRecorded: objectsOfBase(records.base),
    read: (changed) => readTexts(known, changed),
    whole: isOfProject ? wholeOf(known) : undefined,
    valueOf: (text) => resolvedText(text, known),
    isOurs: isInside(dir, ports.cwd),
    selection: request.select.length + kinds.length === 0 ? 'all' : 'some',
    isSelected: selects(request.select, kinds),
    wants: () => true,
    mayAdd: (object) => !elsewhere.has(object),
    // The manifest of an empty object is still right if the object does not exist.
    isGone: (resource) => !isBlank(resource),
    home: homeIn(dir, project, texts.files, ports.cwd),
    layers,
  })
  // Errors of the new manifests are reported before anything is written.
  const written = new Map(readTexts(known, found.texts).resources.map((each) => [each.address, each]))
  const files = writeTexts(found.texts, texts.files)
  const isSelected = selects(request.select, kinds)
  const selected = indexLive(snapshot).all.filter((object) => isSelected(pathTo(object)))
  const left = leftOutOf(selected, isSecret, {
    saysField: (object, field) => written.get(addressOfLive(object))?.fields[field] !== undefined,
    saysPath: (object, path) => {
      const resource = written.get(addressOfLive(object))
      return resource === undefined || valueAtPath(resource.fields, path) !== undefined
    },
  })
  const problems = [
    ...(written.size === 0 && files.length === 0 ? [nothingExported(dir)] : []),
    ...found.problems,
    ...leftToOthers([...elsewhere].filter(([object]) => isSelected(pathTo(object)))),
    ...left.problems,
    ...[...(reading.refused ?? [])].map(([kind, why]) => collectionNotRead(kind, why)),
    ...records.problems,
    ...(found.secretsLeftOut.size === 0 ? [] : [secretsLeftOut(found.secretsLeftOut)]),
    ...(request.paths.length > 0
      ? []
      : placeProblems(dir, project, [...found.texts.keys()].filter(isInside(dir, ports.cwd)), ports.cwd)),
  ]
  const document = {
    files,
    leftOut: left.fields,
    variables: usedVariables(variables, dir, { files: nodeFiles(ports.cwd), env: texts.env }),
    problems,
  }
  return { document: exportDocument(document), problems }
}

/**
 * Errors if a selection fits no object: neither a live one nor one in the folder, which may have been deleted on the platform.
 */
function emptyIn(
  { select }: ExportRequest,
  kinds: readonly Kind[],
  { snapshot }: Reading,
  { resources }: Manifests,
): readonly Problem[] {
  if (select.length === 0) return []
  const objects = [...snapshot.objects, ...resources.filter(({ parent }) => parent === undefined)]
  const empty = select.filter((glob) => !objects.some((object) => selects([glob], kinds)([object])))
  if (empty.length === 0) return []
  const addresses = objects.map(({ kind, key }) => addressOf(catalog[kind], key, undefined))
  return [nothingSelected(empty, nearest(empty[0] ?? '', addresses))]
}

/** The folder of an export. Throws a ProblemError if none is named. */
export function folderOf({ dir, labels }: ExportRequest): string {
  if (dir === undefined) throw new ProblemError([badUsage('export needs --dir', 'gatewright export --dir manifests')])
  // Labels exist only in manifests: no live object has one.
  if (labels.length > 0) throw new ProblemError([notAvailable('--label', 'choose with --select or --kind')])
  return normalizePath(dir)
}

/** The root kinds of the requested kinds. Throws a ProblemError if a name is no kind. */
export function kindsOf({ kinds }: ExportRequest): readonly Kind[] {
  return kinds.map((name) => {
    const kind = findKind(name)
    if (!kind || kind.within) throw new ProblemError([invalidOption('--kind', name, `one of: ${kindNames.join(', ')}`)])
    return rootOf(kind)
  })
}

/** The manifests of the project if the folder is part of them, otherwise those of the folder. */
function folderTexts(dir: string, project: Project, request: ExportRequest, ports: Ports): ManifestTexts {
  const isOfProject = isFolderCovered(dir, project, ports.cwd)
  const named = request.paths.length > 0 ? [...request.paths, dir] : [dir]
  return manifestTexts(project, isOfProject && request.paths.length === 0 ? [] : named, request, ports)
}

/** The folder of an export may be new, but not a file that the user wants to be read. */
function refuseMissing(paths: readonly string[], files: Files): void {
  const problems: Problem[] = []
  findManifests({ origin: 'named', paths, pipes: 'read' }, files, (problem) => void problems.push(problem))
  if (problems.length > 0) throw new ProblemError(problems)
}

/** Reads the area and the records. The records decide what else is read. */
async function readForExport(
  texts: ManifestTexts,
  kinds: readonly Kind[],
  request: ExportRequest,
  ports: Ports,
): Promise<{ readonly reading: Reading; readonly records: RecordedBase }> {
  const written = readTexts(texts, new Map())
  if (request.snapshot !== undefined) {
    return { reading: readSnapshot(request.snapshot, knownIn(written), ports), records: nothingRecorded }
  }
  const names = kinds.map((kind) => kind.name)
  const reading = await readingLive(request, ports, (client, { base }) =>
    client.read({ ...exportSpec(names, written, base, request.full ? 'full' : 'short'), unknown: 'looked for' }),
  )
  return { reading, records: reading.recorded }
}

const isInside =
  (dir: string, cwd: string) =>
  (file: string): boolean =>
    resolve(cwd, file).startsWith(`${resolve(cwd, dir)}/`)

function homeIn(dir: string, project: Project, files: Files, cwd: string): Home {
  const there = files.exists(dir) === 'folder' ? files.list(dir) : []
  const schema = schemaIn(project, files)
  return {
    path: (file) => join(dir, file),
    taken: new Set(there.map((file) => file.toLowerCase())),
    schemaFor: (file) => schema && relative(dirname(resolve(cwd, file)), resolve(cwd, schema)).replaceAll('\\', '/'),
    textOf: (path) => {
      const link = linkOnTheWay(dir, path, cwd)
      if (link !== undefined) throw new ProblemError([exportIntoLink(link)])
      const read = files.exists(path) === 'file' ? files.readText(path) : undefined
      return read && 'text' in read ? read.text : undefined
    },
  }
}

/** A symbolic link between the folder of the export and a new file. A file in it would never be read again. */
function linkOnTheWay(dir: string, path: string, cwd: string): string | undefined {
  const folder = dirname(path)
  if (resolve(cwd, folder) === resolve(cwd, dir) || folder === dirname(folder)) return undefined
  const full = resolve(cwd, folder)
  const isLink = existsSync(full) && lstatSync(full).isSymbolicLink()
  return isLink ? folder : linkOnTheWay(dir, folder, cwd)
}

/** The schema that `init` writes, or else the one in the installed npm package. Undefined if neither exists. */
const schemaIn = ({ dir }: Project, files: Files): string | undefined =>
  ['schemas', 'node_modules/gatewright/schemas']
    .map((folder) => join(dir, `${folder}/gatewright.schema.json`))
    .find((path) => files.exists(path) === 'file')

/** Problems of files that plans of the project do not read. */
export function placeProblems(
  dir: string,
  project: Project,
  written: readonly string[],
  cwd: string,
): readonly Problem[] {
  if (project.file === undefined) return existsSync(resolve(cwd, dir)) ? [exportWithoutProject(dir)] : []
  const probes = written.length > 0 ? written : [join(dir, 'any.yaml')]
  if (probes.every((path) => isCovered(path, project, cwd))) return []
  const searched = project.manifests.length > 0 ? project.manifests : [`everything below ${project.dir}`]
  return [exportOutsideManifests(dir, project.file, searched)]
}

/** The variables in the manifests of the folder: those of the area's secrets, and all that are not set. */
function usedVariables(
  variables: Variables,
  dir: string,
  { files, env }: Pick<ManifestTexts, 'env'> & { readonly files: Files },
): readonly string[] {
  const known = new Set(variableNames(variables))
  const used = new Set<string>()
  for (const path of manifestsBelow(dir, files)) {
    const read = files.readText(path)
    const text = 'text' in read ? read.text : ''
    for (const name of variablesIn(text)) if (known.has(name) || env[name] === undefined) used.add(name)
  }
  return [...used].sort()
}

/** The variables in a text. `$${` is a literal, and comment lines contain no variables. */
export const variablesIn = (text: string): readonly string[] =>
  [...text.replaceAll(/^\s*#.*$/gm, '').matchAll(/(?<!\$)\$\{env:([^}]+)\}/g)].map(([, name = '']) => name)
