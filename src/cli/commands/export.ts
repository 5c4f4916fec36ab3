import { existsSync, lstatSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { findKind, kindNames, rootOf } from '../../catalog/queries.js'
import type { Kind } from '../../catalog/types.js'
import type { Reading } from '../../client/types.js'
import { type Files, nodeFiles } from '../../manifest/files.js'
import { join, tidy } from '../../manifest/paths.js'
import type { Project } from '../../manifest/project.js'
import { nameArea } from '../../manifest/write/area-names.js'
import { nameVariables, type Variables } from '../../manifest/write/variables.js'
import { withoutTemporaryPaths } from '../../planner/routes.js'
import {
  badUsage,
  exportDirIsFile,
  exportIntoLink,
  exportOutsideManifests,
  exportWithoutProject,
  invalidOption,
  notAvailable,
  type Problem,
  ProblemError,
} from '../../problem.js'
import { digest } from '../area.js'
import { codify, knownValues } from '../codify/codify.js'
import { exportSpec } from '../codify/export-spec.js'
import { isCovered, type ManifestTexts, readTexts, resolvedText } from '../codify/manifest-texts.js'
import type { Home } from '../codify/new-files.js'
import { selects } from '../codify/selection.js'
import { writeTexts } from '../codify/write-texts.js'
import { exit } from '../exit.js'
import { showExport } from '../export-view.js'
import type { Io } from '../io.js'
import { projectOf, readingLive } from '../live-area.js'
import type { ExportOptions } from '../options.js'
import { fingerprintKeyOf } from '../settings.js'
import { keyNames, knownIn, readSnapshot } from '../snapshot-area.js'

/** `export --dir DIR`: the live area as manifests; what people wrote is edited in place. Sends only GET. */
export async function exportCommand(options: ExportOptions, io: Io): Promise<number> {
  const dir = folderOf(options)
  const kinds = kindsOf(options)
  const project = projectOf(options, io)
  const texts = textsOf(dir, project, options, io)
  if (['file', 'other'].includes(texts.files.exists(dir))) throw new ProblemError([exportDirIsFile(dir)])
  const reading = await readArea(texts, kinds, options, io)
  const snapshot = withoutTemporaryPaths(reading.snapshot, digest)
  const variables = nameVariables(nameArea(snapshot), snapshot)
  const known = { ...texts, env: { ...knownValues(variables), ...io.env } }
  const found = codify({
    snapshot,
    variables,
    purpose: 'export',
    fullness: options.full ? 'full' : 'short',
    vanished: options.prune ? 'remove' : 'keep',
    keyName: keyNames(io),
    read: (changed) => readTexts(known, changed),
    valueOf: (text) => resolvedText(text, known),
    isOurs: isInside(dir, io.cwd),
    isSelected: selects(options.select, kinds),
    wants: () => true,
    mayAdd: () => true,
    isGone: () => true,
    home: homeIn(dir, project, texts.files, io.cwd),
  })
  const files = writeTexts(found.texts, io.cwd)
  const problems = [...found.problems, ...placeProblems(dir, project, [...found.texts.keys()], options, io)]
  showExport({ files, variables: usedVariables(variables, dir, texts), problems }, options, io)
  return exit.done
}

function folderOf({ dir, labels }: ExportOptions): string {
  if (dir === undefined) throw new ProblemError([badUsage('export needs --dir', 'gatewright export --dir manifests')])
  // Labels are ours alone: no live object has one.
  if (labels.length > 0) throw new ProblemError([notAvailable('--label', 'choose with --select or --kind')])
  return tidy(dir)
}

function kindsOf({ kinds }: ExportOptions): readonly Kind[] {
  return kinds.map((name) => {
    const kind = findKind(name)
    if (!kind || kind.within) throw new ProblemError([invalidOption('--kind', name, `one of: ${kindNames.join(', ')}`)])
    return rootOf(kind)
  })
}

/** Manifests of the project, if the folder is among them, or else those of the folder. */
function textsOf(dir: string, project: Project, options: ExportOptions, io: Io): ManifestTexts {
  const isOfProject = isCovered(join(dir, 'any.yaml'), project, io.cwd)
  const named = options.paths.length > 0 ? [...options.paths, dir] : [dir]
  return {
    project,
    files: nodeFiles(io.cwd),
    paths: isOfProject && options.paths.length === 0 ? [] : named,
    env: io.env,
    fingerprintKey: fingerprintKeyOf(io),
  }
}

function readArea(texts: ManifestTexts, kinds: readonly Kind[], options: ExportOptions, io: Io): Promise<Reading> {
  if (options.snapshot !== undefined) {
    const known = knownIn(readTexts(texts, new Map()))
    return Promise.resolve(readSnapshot(options.snapshot, known, io))
  }
  const spec = exportSpec(
    kinds.map((kind) => kind.name),
    readTexts(texts, new Map()).resources,
  )
  return readingLive(options, io, (client) => client.read(spec))
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
    schemaFor: (file) => relative(dirname(resolve(cwd, file)), resolve(cwd, schema)).replaceAll('\\', '/'),
    textOf: (path) => {
      const link = linkOnTheWay(dir, path, cwd)
      if (link !== undefined) throw new ProblemError([exportIntoLink(link)])
      const read = files.exists(path) === 'file' ? files.readText(path) : undefined
      return read && 'text' in read ? read.text : undefined
    },
  }
}

/** A folder between the export's and a new file that is a link: what is written there would never be read again. */
function linkOnTheWay(dir: string, path: string, cwd: string): string | undefined {
  const folder = dirname(path)
  if (resolve(cwd, folder) === resolve(cwd, dir) || folder === dirname(folder)) return undefined
  const full = resolve(cwd, folder)
  const isLink = existsSync(full) && lstatSync(full).isSymbolicLink()
  return isLink ? folder : linkOnTheWay(dir, folder, cwd)
}

/** The schemas as `init` writes them, unless the project has only those of the package, as npm installs it. */
function schemaIn({ dir }: Project, files: Files): string {
  const own = join(dir, 'schemas/gatewright.schema.json')
  const installed = join(dir, 'node_modules/gatewright/schemas/gatewright.schema.json')
  return files.exists(own) === 'no' && files.exists(installed) === 'file' ? installed : own
}

function placeProblems(
  dir: string,
  project: Project,
  written: readonly string[],
  options: ExportOptions,
  io: Io,
): readonly Problem[] {
  if (options.paths.length > 0) return []
  if (project.file === undefined) return [exportWithoutProject(dir)]
  const probes = written.length > 0 ? written : [join(dir, 'any.yaml')]
  if (probes.every((path) => isCovered(path, project, io.cwd))) return []
  const searched = project.manifests.length > 0 ? project.manifests : [`everything below ${project.dir}`]
  return [exportOutsideManifests(dir, project.file, searched)]
}

/** The variables that the manifests of the folder name: those of the area's secrets, and whatever is not set. */
function usedVariables(variables: Variables, dir: string, { files, env }: ManifestTexts): readonly string[] {
  const known = new Set([...variables.values()].flatMap((fields) => [...fields.values()].map(({ name }) => name)))
  const used = new Set<string>()
  const paths = files.exists(dir) === 'folder' ? files.list(dir).filter((path) => /\.ya?ml$/.test(path)) : []
  for (const path of paths) {
    const read = files.readText(join(dir, path))
    const text = 'text' in read ? read.text : ''
    for (const name of variablesIn(text)) if (known.has(name) || env[name] === undefined) used.add(name)
  }
  return [...used].sort()
}

/** `$${` is a literal, and lines of comment take nothing. */
const variablesIn = (text: string): readonly string[] =>
  [...text.replaceAll(/^\s*#.*$/gm, '').matchAll(/(?<!\$)\$\{env:([^}]+)\}/g)].map(([, name = '']) => name)
