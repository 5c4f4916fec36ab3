import { basename, resolve } from 'node:path'
import { projectSchema, pruneModes } from '../catalog/project-schema.js'
import { findVocabulary, type Vocabulary } from '../catalog/vocabulary.js'
import { type Files, folderFault } from '../files/files.js'
import type { WrittenAt } from '../files/find-manifests.js'
import { notRead } from '../files/not-read.js'
import { join, normalizePath } from '../files/paths.js'
import { isObject, type Json, type JsonObject, numberOf, objectOf, textEntries, textMembers } from '../json/json.js'
import { unsetHere, wrongType } from '../problems/manifests.js'
import { hasErrors, type Place, type Problem, type ReportProblem } from '../problems/problem.js'
import { missingProject, missingProjectFolder, notAProject, unreadableProject } from '../problems/project.js'
import { hiddenText } from '../secrets/hidden-words.js'
import { type GuardRails, isWiderPrune } from './compose/guard.js'
import type { WrittenLayers } from './compose/layers.js'
import { type LayerChoice, layerKeys, openLayers, readLayers } from './compose/read-layers.js'
import { durationMs } from './duration.js'
import { hideCredentials, hideInUnreadable, hideLogins } from './hide-secrets.js'
import { KnownProject } from './known-project.js'
import { type Entry, formWords, type MapNode, type Node, plain, valueAt } from './node.js'
import type { ValueSources } from './placeholder-sources.js'
import { problemsInOrder } from './problems-in-order.js'
import { checkProject, clearCredentials } from './project-check.js'
import { projectFile } from './project-files.js'
import { placeOf, type Source } from './source.js'
import { resolveValues } from './values.js'
import { readWebhooks, type Webhook } from './webhooks.js'
import { type Documents, readYaml } from './yaml/read-yaml.js'

/** What a login consists of: a token, or all the others. */
export type LoginMember = 'apiKey' | 'apiSecret' | 'username' | 'password' | 'token'

/** The project as the rest of the program uses it: defaults are filled in and placeholders are resolved. */
export interface Project {
  /** The project file as the user would type it; undefined if there is none. */
  readonly file: string | undefined
  /** The folder that the project's paths are relative to, as the user would type it; "." is the working directory. */
  readonly dir: string
  readonly name: string
  /** Files, folders and patterns, relative to the working directory; empty: every manifest below `dir`. */
  readonly manifests: readonly string[]
  /** Where the project file names each path of manifests and of policies. */
  readonly writtenAt?: WrittenAt | undefined
  readonly platform: {
    readonly url?: string
    readonly area?: string
    readonly concurrency: number
    readonly conventionalOperations: 'use' | 'refuse'
    readonly requestsPerSecond?: number
    /** The vocabulary of the platform; GATEWRIGHT_VOCABULARY takes precedence over it. */
    readonly vocabulary: Vocabulary
    /** Credentials of an environment, if they are not those of the GATEWRIGHT_* variables. */
    readonly credentials?: Readonly<Partial<Record<LoginMember, string>>>
    /** If a create gets no answer: how long to look for the created object. */
    readonly createPatienceMs: number
  }
  /** Empty: no limit. */
  readonly scope: { readonly kinds: readonly string[]; readonly names: readonly string[] }
  readonly prune: 'none' | 'applied' | 'all'
  readonly limits: { readonly deletes: number; readonly changedPercent: number }
  /** Variables that are not secret, and patterns of the variables that manifests may use; empty: all. */
  readonly secrets: {
    readonly public: readonly string[]
    readonly env: readonly string[]
    /** The age recipients that inline values are encrypted for. */
    readonly recipients: readonly string[]
  }
  /**
   * `file:FOLDER`, with the folder relative to `dir`, `git`, `git:REMOTE` or `postgres://…`; GATEWRIGHT_RECORDS takes precedence
   * over the file.
   */
  readonly records: string
  /**
   * Where the address comes from. A place that a file names must not get credentials that the environment has for another place.
   */
  readonly recordsFrom: 'environment' | 'file' | 'file and environment'
  /** Problems about variables that are not set here. They matter only to commands that use the area, or the records. */
  readonly unset: { readonly credentials: readonly Problem[]; readonly records: readonly Problem[] }
  /** Where notifications of drift and of failed runs are sent. */
  readonly webhooks: readonly Webhook[]
  /** Files, folders and patterns of policies, relative to the working directory; absent: those below the folder `policies`. */
  readonly policies?: readonly string[]
  /** The conditions for changes to the area of the chosen environment. */
  readonly guard?: GuardRails
  /** Environments, values, defaults and patches; absent if the project file has none. */
  readonly layers?: WrittenLayers
}

export interface ProjectInput extends Partial<LayerChoice> {
  /** The folder of the project (`-C`). */
  readonly dir: string
  /** The name of the project file in that folder, if it is not gatewright.yaml; then it must exist. */
  readonly file?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** What an earlier reading has found; this one adds its own for the next. */
  readonly known?: KnownProject | undefined
}

/** What records are kept for, besides url and area: the project, and its environment if one is chosen. */
export const recordedName = ({ name, layers }: Pick<Project, 'name' | 'layers'>): string =>
  layers?.environment === undefined ? name : `${name}\u001f${layers.environment}`

/** The name of the project, and of its environment, in documents. */
export const projectIn = ({ name, layers }: Pick<Project, 'name' | 'layers'>) => ({
  project: name,
  ...(layers?.environment === undefined ? {} : { environment: layers.environment }),
})

/** The API secret from the project file; undefined if variables are not set: their placeholders are not secrets. */
export const givenApiSecret = ({ platform, unset }: Project): string | undefined =>
  unset.credentials.length === 0 ? platform.credentials?.apiSecret : undefined

/**
 * Whether a problem of a project file at another commit does not matter if only what was applied or guarded there is read: a
 * variable is not set here, or its environments are in a circle, which today's file may have corrected.
 */
export const isNoMatterThere = ({ code }: Pick<Problem, 'code'>): boolean =>
  code === 'unset-variable' || code === 'environments-in-circle'

/** Reads the project file of a folder; if there is none, the project has the defaults. */
export function readProject(
  options: ProjectInput,
  files: Files,
): { readonly project: Project; readonly problems: readonly Problem[] } {
  const dir = normalizePath(options.dir)
  const file = join(dir, options.file ?? projectFile)
  const defaultName = basename(resolve(files.cwd, dir)) || 'project'
  const records = options.env.GATEWRIGHT_RECORDS || undefined
  const without = (problems: readonly Problem[]) => ({
    project: projectFrom({}, { file: undefined, dir, defaultName, records }),
    problems,
  })
  const fault = folderFault(dir, files)
  if (fault !== undefined) return without([missingProjectFolder(dir, fault)])
  if (files.exists(file) === 'no') {
    return without(options.file === undefined ? [] : [missingProject(file)])
  }
  const read = files.readText(file)
  if ('failure' in read) return without([read.broken ? notRead(file, read) : unreadableProject(file, read.failure)])
  const { value, problems, recordsFrom, layers, guard, webhooks, unset, writtenAt } = readProjectText(
    { file, text: read.text },
    { env: options.env, files, dir, secrets: 'none' },
    options,
  )
  const settings = projectFrom(value, { file, dir, defaultName, records, guard })
  const project = { ...settings, webhooks, unset, writtenAt, ...(guard && { guard }) }
  const reported = records === undefined ? { ...project, recordsFrom } : project
  return { project: layers ? { ...reported, layers } : reported, problems }
}

interface ProjectText extends Pick<Project, 'recordsFrom' | 'layers' | 'guard' | 'webhooks' | 'unset' | 'writtenAt'> {
  readonly value: JsonObject
  readonly problems: readonly Problem[]
}

const resolvedSchema = projectSchema('resolved')

function readProjectText(source: Source, sources: ValueSources, options: ProjectInput): ProjectText {
  const { known = new KnownProject() } = options
  const { documents, problems } = known.documents(source, documentsIn)
  const [root, second] = documents
  if (problems.length > 0 && !root) return broken(problems.map(withoutLogin))
  const start = { source, start: 0, end: 0 }
  if (!root) return broken([...problems, notAProject(placeOf(start), 'no document')])
  if (second) return broken([...problems, notAProject(placeOf(second.range), 'a second document')])
  if (root.is !== 'map') {
    return broken([wrongType(placeOf(root.range), 'the project file', 'a mapping', formWords(root))])
  }
  const reported: Problem[] = []
  const report = (problem: Problem) => reported.push(problem)
  const choice = { environment: options.environment, values: options.values ?? [] }
  const layers = readLayers(specOf(root), choice, { ...sources, known }, report)
  const unset: { readonly credentials: Problem[]; readonly records: Problem[] } = { credentials: [], records: [] }
  const resolved = resolvedProject(root, layers.settings, sources, { report, unset })
  const webhooks = readWebhooks(valueAt(specOf(resolved), 'notify'), sources, report)
  const value = typed(resolved, resolvedSchema)
  for (const problem of checkProject(resolved, value)) report(problem)
  // Otherwise the reader of manifests reports the mistakes in layers; it does not run if the project is broken.
  if (hasErrors([...problems, ...reported])) {
    // If the chosen environment does not exist, the values that it would give are not missing.
    const isKnown = choice.environment === layers.layers.environment
    openLayers(layers.layers, { ...sources, secrets: 'kept' }, (problem) => {
      if (isKnown || problem.code !== 'value-missing') report(problem)
    })
  }
  const found = [...problems, ...reported]
  if (found.length > 0) for (const document of [root, ...layers.documents]) known.hideDoubtful(document)
  if (options.env.GATEWRIGHT_RECORDS) unset.records.length = 0
  const notes = [...unset.credentials, ...unset.records].map(unsetHere)
  const read = {
    value: objectOf(value),
    problems: problemsInOrder([...found, ...clearCredentials(resolved), ...notes].map(withoutLogin)),
    unset,
    writtenAt: new Map(
      ['manifests', 'policies'].flatMap((key) => pathsIn(valueAt(specOf(resolved), key), sources.dir)),
    ),
    recordsFrom: originOf(root, resolved),
    webhooks,
    ...(layers.guard && { guard: layers.guard }),
  }
  return hasLayers(specOf(root), choice) ? { ...read, layers: layers.layers } : read
}

function documentsIn(source: Source): Documents {
  const read = readYaml(source)
  hideLogins(source)
  if (read.problems.length > 0) hideInUnreadable(source)
  for (const document of read.documents) hideCredentials(document)
  return read
}

const hasLayers = (spec: MapNode, { environment, values }: LayerChoice): boolean =>
  environment !== undefined || values.length > 0 || spec.entries.some(({ key }) => layerKeys.includes(key))

function specOf(root: MapNode): MapNode {
  const spec = valueAt(root, 'spec')
  return spec?.is === 'map' ? spec : { is: 'map', entries: [], range: root.range }
}

const broken = (problems: readonly Problem[]): ProjectText => ({
  value: {},
  problems,
  recordsFrom: 'file',
  webhooks: [],
  unset: nothingUnset,
})

const pathsIn = (node: Node | undefined, dir: string): readonly (readonly [string, Place])[] =>
  (node?.is === 'list' ? node.items : [])
    .filter((item) => item.is === 'scalar')
    .map((item) => [join(dir, normalizePath(String(item.value))), placeOf(item.range)])

const nothingUnset: Project['unset'] = { credentials: [], records: [] }

/** A value that is one variable and nothing else comes from the environment. */
function originOf(root: MapNode, resolved: MapNode): Project['recordsFrom'] {
  const [written, value] = [root, resolved].map((each) => valueAt(specOf(each), 'records'))
  if (value?.is !== 'scalar' || value.from === 'text' || written?.is !== 'scalar') return 'file'
  return /^\$\{env:[^}]*\}$/.test(String(written.value)) ? 'environment' : 'file and environment'
}

/** The address of a database may contain a login, which no message may show; a shortened one may have lost its "@". */
const withoutLogin = (problem: Problem): Problem => ({
  ...problem,
  message: problem.message.replaceAll(/:\/\/[^\s"']+(?:@|…)/g, `://${hiddenText}@`),
})

/**
 * The project with the settings of the chosen environment. Layers keep their placeholders: the variables of another environment
 * need not be set.
 */
function resolvedProject(
  root: MapNode,
  settings: readonly Entry[],
  sources: ValueSources,
  { report, unset }: Reports,
): MapNode {
  const isLayer = ({ key }: Entry) => layerKeys.includes(key)
  const entries = root.entries.map((entry) => {
    if (entry.key !== 'spec' || entry.value.is !== 'map') {
      return { ...entry, value: resolveValues(entry.value, sources, report) }
    }
    const own = withSettings(
      entry.value.entries.filter((each) => !isLayer(each)),
      settings,
    )
    // Only notifications need the address of a webhook, and it may be a variable of that job alone.
    const isLate = ({ key }: Entry) => key === 'notify'
    const now = own.filter((each) => !isLate(each)).map((each) => resolvedSetting(each, sources, { report, unset }))
    const others = [...own.filter(isLate), ...entry.value.entries.filter(isLayer)]
    return { ...entry, value: { ...entry.value, entries: [...now, ...others] } }
  })
  return { ...root, entries }
}

interface Reports {
  readonly report: ReportProblem
  readonly unset: { readonly credentials: Problem[]; readonly records: Problem[] }
}

/**
 * A variable that is not set is not a mistake for commands that do not need it. An empty one counts as not set, because secrets
 * of CI systems are empty for some jobs (A110).
 */
function resolvedSetting(entry: Entry, sources: ValueSources, { report, unset }: Reports): Entry {
  if (entry.key === 'platform' && entry.value.is === 'map') {
    const entries = entry.value.entries.map((each) => resolvedSetting(each, sources, { report, unset }))
    return { ...entry, value: { ...entry.value, entries } }
  }
  if (entry.key !== 'credentials' && entry.key !== 'records')
    return { ...entry, value: resolveValues(entry.value, sources, report) }
  const later = unset[entry.key]
  const sort = (problem: Problem) => (problem.code === 'unset-variable' ? later.push(problem) : report(problem))
  return { ...entry, value: resolveValues(entry.value, { ...sources, secrets: 'login' }, sort) }
}

/** Merges the settings of an environment over those of the project: member by member for platform and limits, otherwise whole. */
function withSettings(own: readonly Entry[], above: readonly Entry[]): readonly Entry[] {
  const kept = own.map((entry) => {
    const other = above.find(({ key }) => key === entry.key)
    if (!other || entry.value.is !== 'map' || other.value.is !== 'map' || entry.key === 'scope') return other ?? entry
    return { ...entry, value: { ...entry.value, entries: withSettings(entry.value.entries, other.value.entries) } }
  })
  return [...kept, ...above.filter(({ key }) => !own.some((entry) => entry.key === key))]
}

/**
 * The plain value; a text from a placeholder becomes a number if the schema demands one. Layers may have any value in the schema:
 * nothing uses theirs.
 */
function typed(node: Node, schema: Json | undefined): Json {
  if (schema === true) return null
  const desired = objectOf(schema)
  switch (node.is) {
    case 'map': {
      const properties = objectOf(desired.properties)
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, typed(value, properties[key])]))
    }
    case 'list':
      return node.items.map((item) => typed(item, desired.items))
    case 'scalar': {
      const isNumber = desired.type === 'integer' || desired.type === 'number'
      const text = node.from === 'placeholder' && isNumber ? String(node.value).trim() : ''
      return /^\d+(\.\d+)?$/.test(text) ? Number(text) : plain(node)
    }
  }
}

interface Origin {
  readonly file: string | undefined
  readonly dir: string
  readonly defaultName: string
  /** The address from the environment variable, which takes precedence over the file. */
  readonly records: string | undefined
  readonly guard?: GuardRails | undefined
}

/** Fills in the defaults. A wrong value is already reported, and counts as not written. */
function projectFrom(root: JsonObject, { file, dir, defaultName, records, guard }: Origin): Project {
  const spec = objectOf(root.spec)
  const platform = objectOf(spec.platform)
  const limits = objectOf(spec.limits)
  const scope = objectOf(spec.scope)
  const url = nonEmptyText(platform.url)
  const area = nonEmptyText(platform.area)
  const requestsPerSecond = numberOf(platform.requestsPerSecond)
  return {
    file,
    dir,
    name: nonEmptyText(objectOf(root.metadata).name) ?? defaultName,
    manifests: nonEmptyTexts(spec.manifests).map((path) => join(dir, normalizePath(path))),
    platform: {
      ...(url === undefined ? {} : { url }),
      ...(area === undefined ? {} : { area }),
      concurrency: numberOf(platform.concurrency) ?? 8,
      conventionalOperations: platform.conventionalOperations === 'refuse' ? 'refuse' : 'use',
      ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
      vocabulary: findVocabulary(platform.vocabulary) ?? 'document',
      ...(isObject(platform.credentials) ? { credentials: textMembers(platform.credentials) } : {}),
      createPatienceMs: durationMs(nonEmptyText(platform.createPatience) ?? '') ?? 60_000,
    },
    scope: { kinds: nonEmptyTexts(scope.kinds), names: nonEmptyTexts(scope.names) },
    prune: pruneModes.find((mode) => mode === spec.prune) ?? defaultPrune(guard),
    limits: { deletes: numberOf(limits.deletes) ?? 20, changedPercent: numberOf(limits.changedPercent) ?? 50 },
    secrets: secretSettings(objectOf(spec.secrets)),
    ...(spec.policies === undefined
      ? {}
      : { policies: nonEmptyTexts(spec.policies).map((path) => join(dir, normalizePath(path))) }),
    records: records ?? nonEmptyText(spec.records) ?? 'file:.gatewright',
    unset: nothingUnset,
    webhooks: [],
    recordsFrom: records === undefined ? 'file' : 'environment',
  }
}

const secretSettings = (secrets: JsonObject): Project['secrets'] => ({
  public: nonEmptyTexts(secrets.public),
  env: nonEmptyTexts(secrets.env),
  recipients: nonEmptyTexts(secrets.recipients),
})

/** If nothing else is set, no more is deleted than the guard of the environment allows. */
const defaultPrune = (guard: GuardRails | undefined): Project['prune'] =>
  guard?.prune && isWiderPrune('applied', guard.prune.value) ? guard.prune.value : 'applied'

const nonEmptyText = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const nonEmptyTexts = (value: Json | undefined): readonly string[] => textEntries(value).filter((each) => each !== '')
