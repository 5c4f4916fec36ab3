import { isAbsolute } from 'node:path'
import { ownValue } from '../catalog/record.js'
import { type Files, isInside, pathInside } from '../files/files.js'
import { nameMatcher } from '../files/glob.js'
import type { Limits } from '../files/ordinary-file.js'
import { normalizePath } from '../files/paths.js'
import type { Vault } from '../ports/vault.js'
import { valueInSettings, valueInText } from '../problems/compose.js'
import {
  brokenSecret,
  secretClosed,
  secretInSettings,
  sopsOtherKeys,
  sopsTampered,
  sopsUnreadable,
  sopsValue,
} from '../problems/encrypted.js'
import {
  badVariableName,
  fileOutside,
  missingValueFile,
  reservedVariable,
  secretUnavailable,
  unclosedPlaceholder,
  unknownPlaceholder,
  unsetVariable,
  variableNotAllowed,
} from '../problems/manifests.js'
import type { Place, Problem, ReportProblem } from '../problems/problem.js'
import { nearest } from '../problems/suggest.js'
import { type OpenSops, openSops } from '../secrets/sops.js'
import { withoutBreak } from '../secrets/without-break.js'
import { formWords, keyWords, type Node, type ScalarNode } from './node.js'
import { readSopsFile } from './sops-file.js'
import { hide, type SourceRange, textOfRange } from './source.js'

/** The sources of the values of placeholders. */
export interface ValueSources {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly files: Files
  /** Files are read below the root of the repository that contains this folder. */
  readonly dir: string
  /**
   * In manifests, the values of variables are secret; in the project file they are not. `login`: for settings of the project file
   * that must not be empty. `kept`: placeholders of variables and files stay as written.
   */
  readonly secrets: SecretRules | 'none' | 'login' | 'kept'
  /** `project`: values, defaults and patches, which stand in the project file or in files of environments. */
  readonly within?: 'project' | undefined
  /** The values that the project declares. */
  readonly values?: DeclaredValues | undefined
  /** Decrypts values; without it they are not available. */
  readonly vault?: Vault | undefined
  /** The SOPS files that this reading has opened, by their paths. */
  readonly sopsFiles?: Map<string, SopsReading>
  /**
   * Problems about values that the chosen environment does not give stay with the nodes that lack them. They are reported where
   * such a node is used.
   */
  readonly lacking?: 'kept' | undefined
}

/** An opened SOPS file, or the reason why it cannot be read. */
type SopsReading = OpenSops | { readonly is: 'unreadable'; readonly line: number; readonly why: string }

/** What manifests may read, and which of it is secret (design §2.2). */
interface SecretRules {
  /** Variables that are not secret. */
  readonly public: readonly string[]
  /** Patterns of the variables that may be used; empty: all. */
  readonly env: readonly string[]
  /** Folders besides the repository whose files may be read, as secrets (`--allow-file`). */
  readonly folders: readonly string[]
  /** Called with every secret that is read. */
  readonly learn: (secret: string) => void
}

/** The values that a project declares. */
export interface DeclaredValues {
  /**
   * The value of that name, with its own placeholders resolved. It is unresolved if it uses a secret that is not set here, and
   * undefined if there is no value, and the reason is reported.
   */
  valueOf(name: string, range: SourceRange, report: ReportProblem): Node | undefined
  /** Whether the project declares a value of that name; from now on it counts as used. */
  isMeant(name: string): boolean
  /** The chosen environment. */
  readonly environment: string | undefined
  /** The same for objects that are not desired in this environment: a value that it does not give is not their mistake. */
  readonly ofOthers: DeclaredValues
}

/** The value of a placeholder. A secret may be known, or not set here. `problem` is undefined if it is already reported. */
type FoundText = { readonly secret?: true | undefined } & (
  | { readonly text: string; readonly from?: ScalarNode['from'] }
  | { readonly problem: Problem | undefined }
)

/**
 * Characters that no name and no path has: the brace behind them closes something else. A value encrypted with age has several
 * lines.
 */
export const holdsOther = /^(?:env:(?![\w.-]*:[-=?+])|file:|value:|sops:)[\s\S]*?[\n"{<]/

/** One placeholder: the text in its braces, its place, and the place of the whole text that contains it. */
interface Lookup {
  readonly inner: string
  readonly at: SourceRange
  readonly place: () => Place
  readonly range: SourceRange
  readonly report: ReportProblem
}

const forms = ['${env:NAME}', '${file:path}', '${value:NAME}', '${sops:path#/pointer}', '${age:…}']

/** The text behind it may be a secret. */
export function unclosed({ at, place, range }: Lookup): FoundText {
  hide(at === range ? range : { ...at, start: at.start + textOfRange(at).search(/(?![${:\w.-])|$/) })
  return { problem: unclosedPlaceholder(place()) }
}

export function lookUp(requested: Lookup, sources: ValueSources): FoundText {
  const colon = requested.inner.indexOf(':')
  const argument = requested.inner.slice(colon + 1)
  if (argument.trim() === '' && colon >= 0) return { problem: unknownPlaceholder(requested.place(), 'empty', forms) }
  const form = requested.inner.slice(0, Math.max(colon, 0))
  switch (form) {
    case 'env':
      return variable(argument, requested, sources)
    case 'file':
      return valueFile(argument, requested, sources)
    case 'value':
      return textOfValue(argument, requested, sources.values)
    case 'sops':
      return sopsText(argument, requested, sources)
    case 'age':
      return ageText(argument, requested, sources)
  }
  const name = form.toLowerCase() === 'value' ? argument : requested.inner
  const like = forms.find((each) => each.startsWith(`\${${form.toLowerCase()}:`))
  const meant = sources.values?.isMeant(name) ? `\${value:${name}}` : like
  return { problem: unknownPlaceholder(requested.place(), 'unknown', forms, meant) }
}

function variable(name: string, { place, range }: Lookup, { env, secrets, within }: ValueSources): FoundText {
  const isOfProject = within === 'project' || typeof secrets === 'string'
  const reserved = isOfProject ? /^(?:GATEWRIGHT_|PG)/ : /^GATEWRIGHT_/
  if (reserved.test(name)) return { problem: reservedVariable(place(), name) }
  // Other tools take the text in ${env:NAME:-text} for a default. It may be a secret, so it is not shown.
  if (!/^[A-Za-z_][\w.-]*$/.test(name)) {
    hide(range)
    return { problem: badVariableName(place()) }
  }
  const text = ownValue(env, name)
  if (typeof secrets === 'string' || secrets.public.includes(name)) {
    const isSet = text !== undefined && !(secrets === 'login' && text === '')
    return isSet ? { text } : { problem: unsetVariable(place(), name) }
  }
  if (secrets.env.length > 0 && !secrets.env.some((pattern) => nameMatcher(pattern)(name))) {
    return { problem: variableNotAllowed(place(), name, secrets.env) }
  }
  // CI systems give an empty text instead of a secret that a job may not see (A110).
  if (text === undefined || text === '') {
    return { secret: true, problem: secretUnavailable(place(), `the environment variable ${name}`) }
  }
  secrets.learn(text)
  return { secret: true, text }
}

function textOfValue(name: string, { place, at, report }: Lookup, values: DeclaredValues | undefined): FoundText {
  if (!values) return { problem: valueInSettings(place(), keyWords(name)) }
  const found = values.valueOf(name, at, report)
  if (found?.is === 'scalar' && found.from === 'unresolved') return { secret: true, problem: undefined }
  if (found?.is === 'scalar' && found.value !== null)
    return { text: String(found.value), from: found.from, secret: found.secret }
  return { problem: found && valueInText(place(), name, formWords(found)) }
}

const valueLimits: Limits = { largest: 2 ** 20, pipes: 'refuse' }

function valueFile(path: string, { place, range }: Lookup, { files, dir, secrets }: ValueSources): FoundText {
  const folders = typeof secrets === 'string' ? [] : secrets.folders
  const where = whereIs(path, range, { files, dir, folders })
  if (where.is === 'outside') return { problem: fileOutside(place(), path, 'value') }
  const read = files.readText(where.path, valueLimits)
  // Editors end a file with a line break, which is not a part of a password (A420).
  const text = 'text' in read ? withoutBreak(read.text) : ''
  // Only a file that is missing or empty counts as unavailable to this job. For any other file, the reason is reported.
  const isKept = where.is === 'allowed' && text === '' && ('text' in read || files.exists(where.path) === 'no')
  if (isKept) return { secret: true, problem: secretUnavailable(place(), `the file ${path}`) }
  if (!('text' in read)) return { problem: missingValueFile(place(), path, read.failure, foundAt(where.path, files)) }
  if (where.is === 'repository') return { text }
  if (typeof secrets !== 'string') secrets.learn(text)
  return { secret: true, text }
}

const foundAt = (path: string, files: Files) => (files.exists(path) === 'file' ? 'file' : 'no file')

/** A file of the repository at a path, and its name in messages; undefined if the file is outside. */
export function fileInRepository(
  path: string,
  range: SourceRange,
  sources: Pick<ValueSources, 'files' | 'dir'>,
): { readonly real: string; readonly displayed: string } | undefined {
  const where = whereIs(path, range, { ...sources, folders: [] })
  const displayed = normalizePath(beside(range.source.file, path))
  return where.is === 'repository' ? { real: where.path, displayed } : undefined
}

/** A value that is encrypted with age in the manifest. */
function ageText(sealed: string, { place }: Lookup, { secrets, vault }: ValueSources): FoundText {
  if (typeof secrets === 'string') return { problem: secretInSettings(place()) }
  const opened = vault?.request(sealed) ?? noVault
  switch (opened.is) {
    case 'pending':
      return { secret: true, problem: undefined }
    case 'closed':
      return { secret: true, problem: secretClosed(place(), 'this value', opened.why) }
    case 'broken':
      return { secret: true, problem: brokenSecret(place()) }
    case 'opened': {
      const text = new TextDecoder().decode(opened.bytes)
      secrets.learn(text)
      return { secret: true, text }
    }
  }
}

const noVault = { is: 'closed', why: 'there is no age key' } as const

/** One value of a SOPS file: `path#/pointer`. */
function sopsText(argument: string, { place, range }: Lookup, sources: ValueSources): FoundText {
  const { files, dir, secrets } = sources
  if (typeof secrets === 'string') return { problem: secretInSettings(place()) }
  const hash = argument.indexOf('#')
  const [path, pointer] = hash === -1 ? [argument, ''] : [argument.slice(0, hash), argument.slice(hash + 1)]
  const where = whereIs(path, range, { files, dir, folders: secrets.folders })
  if (where.is === 'outside') return { problem: fileOutside(place(), path, 'value') }
  const read = files.readText(where.path, valueLimits)
  if (!('text' in read)) return { problem: missingValueFile(place(), path, read.failure, foundAt(where.path, files)) }
  const reading = sources.sopsFiles?.get(where.path) ?? readingOf(path, read.text, sources.vault)
  // Relative to the working directory, like the files in other messages, and not to the manifest.
  const displayed = normalizePath(beside(range.source.file, path))
  sources.sopsFiles?.set(where.path, reading)
  switch (reading.is) {
    case 'pending':
      return { secret: true, problem: undefined }
    case 'closed':
      return { secret: true, problem: secretClosed(place(), displayed, reading.why) }
    case 'other keys':
      return { secret: true, problem: sopsOtherKeys(place(), displayed, reading.kinds) }
    case 'unreadable':
      return { secret: true, problem: sopsUnreadable(place(), `${displayed}:${reading.line}`, reading.why) }
    case 'tampered':
      return { secret: true, problem: sopsTampered(place(), `${displayed}:${reading.line}`, reading.what) }
    case 'open': {
      const text = reading.values.get(pointer)
      if (text === undefined) return { secret: true, problem: noSopsValue(place(), displayed, pointer, reading.values) }
      secrets.learn(text)
      return { secret: true, text }
    }
  }
}

function readingOf(path: string, text: string, vault: Vault | undefined): SopsReading {
  const file = readSopsFile(path, text)
  if ('unreadable' in file) return { is: 'unreadable', line: file.line, why: file.unreadable }
  return openSops(file, (sealed) => vault?.request(sealed) ?? noVault)
}

function noSopsValue(
  place: Place,
  path: string,
  pointer: string,
  values: ReadonlyMap<string, string | undefined>,
): Problem {
  const why = values.has(pointer)
    ? 'a list, a mapping, nothing, or what the MAC does not cover stands there'
    : 'nothing is written there'
  const known = [...values].flatMap(([each, text]) => (text === undefined ? [] : [each]))
  return sopsValue(place, path, pointer, why, nearest(pointer, known))
}

interface AllowedPath {
  readonly is: 'repository' | 'allowed' | 'outside'
  /** The path after all links are followed. */
  readonly path: string
}

/**
 * Where a file is when all links are followed. These are not a part of the repository: an absolute path, which is valid on one
 * machine only, and what git keeps for itself, which may contain credentials.
 */
function whereIs(
  path: string,
  { source }: SourceRange,
  { files, dir, folders }: Pick<ValueSources, 'files' | 'dir'> & Pick<SecretRules, 'folders'>,
): AllowedPath {
  const real = files.realPath(beside(source.file, path))
  if (folders.some((folder) => isInside(real, files.realPath(folder)))) return { is: 'allowed', path: real }
  const inner = isAbsolute(path) ? undefined : pathInside(real, files.repositoryOf(dir))
  const isOurs = inner !== undefined && !inner.split('/').includes('.git')
  return { is: isOurs ? 'repository' : 'outside', path: real }
}

/** A path in a file, relative to the working directory. */
const beside = (file: string, path: string): string =>
  isAbsolute(path) || !file.includes('/') ? path : `${file.slice(0, file.lastIndexOf('/'))}/${path}`
