import { filesAsRead } from '../files/as-read.js'
import { type Files, nodeFiles } from '../files/files.js'
import { findManifests } from '../files/find-manifests.js'
import { notRead } from '../files/not-read.js'
import { join } from '../files/paths.js'
import { KnownProject } from '../manifest/known-project.js'
import type { Project } from '../manifest/project.js'
import { readManifests } from '../manifest/read.js'
import { placeOf, type Source } from '../manifest/source.js'
import type { Ports } from '../ports/ports.js'
import { badRecipient, brokenSecret, noRecipients, nothingToEncrypt, notRotated } from '../problems/encrypted.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import { unlessInterrupted } from './interrupted.js'
import { readProjectOf } from './project.js'
import type { ProjectRequest } from './requests.js'
import { writeTexts } from './write-back/write-texts.js'

/** Values in manifests that are encrypted with age. Nothing goes online. */

interface SecretRequest extends Pick<ProjectRequest, 'directory'> {
  /** If not empty, they are used instead of those of the project file. */
  readonly recipients: readonly string[]
}

/** The placeholder with the encrypted text. Throws a ProblemError if there is no recipient. */
export async function encryptSecret(request: SecretRequest, text: string, ports: Ports): Promise<string> {
  if (text === '') throw new ProblemError([nothingToEncrypt()])
  ports.mask.learn(text)
  const recipients = await recipientsOf(request, ports)
  const { sealAge } = await import('../secrets/age.js')
  return `\${age:${await sealAge(text, recipients)}}`
}

/** A written file, and the number of values in it that were encrypted again. */
interface Rotated {
  readonly path: string
  readonly values: number
}

/**
 * Encrypts every inline value of the project's files for the recipients. Nothing else in the files changes. All values are
 * decrypted before any file is written. Throws a ProblemError with the positions of values that cannot be decrypted.
 */
export async function rotateSecrets(request: SecretRequest, ports: Ports): Promise<readonly Rotated[]> {
  const recipients = await recipientsOf(request, ports)
  const files = filesAsRead(nodeFiles(ports.cwd))
  const found = projectSources(request, files, ports).map((source) => ({ source, sealed: sealedIn(source) }))
  for (const { sealed } of found) for (const { text } of sealed) ports.vault.request(text)
  await ports.vault.open()
  const problems = found.flatMap(({ source, sealed }) => sealed.flatMap((each) => whyClosed(source, each, ports)))
  if (problems.length > 0) throw new ProblemError(problems)
  const texts = new Map<string, string>()
  for (const { source, sealed } of found) {
    if (sealed.length > 0) texts.set(source.file, await resealed(source.text, sealed, recipients, ports))
  }
  await unlessInterrupted(ports)
  writeTexts(texts, files)
  return found.flatMap(({ source, sealed }) =>
    sealed.length > 0 ? [{ path: source.file, values: sealed.length }] : [],
  )
}

async function recipientsOf({ recipients, directory }: SecretRequest, ports: Ports): Promise<readonly string[]> {
  const named = recipients.length > 0 ? recipients : readProjectOf({ directory }, ports).project.secrets.recipients
  if (named.length === 0) throw new ProblemError([noRecipients()])
  const { isRecipient } = await import('../secrets/age.js')
  const wrong = named.filter((word) => !isRecipient(word))
  if (wrong.length > 0) throw new ProblemError(wrong.map((word) => badRecipient(word)))
  return named
}

/** The project file, the files of environments, and the manifests and OpenAPI files of all environments: each file once. */
function projectSources({ directory }: SecretRequest, files: Files, ports: Ports): readonly Source[] {
  const known = new KnownProject()
  const { project } = readProjectOf({ directory }, ports, known)
  const environments = project.layers?.environments ?? []
  const each = environments.map((environment) => readProjectOf({ directory, environment }, ports, known).project)
  const paths = [project, ...each].flatMap((one) => [
    ...(one.file === undefined ? [] : [one.file]),
    ...(one.layers?.files ?? []),
    ...manifestsOf(one, files),
    ...apiFilesOf(one, files, ports),
  ])
  const byReal = new Map([...paths].reverse().map((path) => [files.realPath(path), path]))
  const problems: Problem[] = []
  const sources = [...byReal.values()].reverse().flatMap((file) => {
    const read = files.readText(file)
    if ('text' in read) return [{ file, text: read.text }]
    problems.push(notRead(file, read, 'take it out of the manifests'))
    return []
  })
  // The file may contain a value that would not be encrypted again.
  if (problems.length > 0) throw new ProblemError(problems)
  return sources
}

function manifestsOf({ manifests, dir, file }: Project, files: Files): readonly string[] {
  const where =
    manifests.length > 0
      ? ({ origin: 'named', paths: manifests, pipes: 'refuse' } as const)
      : ({ origin: 'found', folder: join(dir, '.'), except: file } as const)
  return findManifests(where, files, () => undefined).map(({ path }) => path)
}

/**
 * The OpenAPI files of manifests. Their paths may contain values of an environment, so the manifests must be read. Errors in
 * manifests are not reported here (A330).
 */
function apiFilesOf(project: Project, files: Files, { env }: Ports): readonly string[] {
  const { sources = [] } = readManifests({ project, env, files, placeholders: 'kept' })
  return sources.map(({ file }) => file)
}

interface SealedValue {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** An escaped line break in double quotes, which is not part of the value. */
const lineGoesOn = /\\\r?\n[ \t]*/g

/** The encrypted values in a text, including those in comments: a secret may have been commented out. */
const sealedIn = ({ text }: Source): readonly SealedValue[] =>
  [...text.matchAll(/(?<!\$)\$\{age:((?:[^}\s\\]|\\\r?\n[ \t]*)*)\}/g)].map(({ 1: sealed = '', index }) => {
    const start = index + '${age:'.length
    return { text: sealed.replaceAll(lineGoesOn, ''), start, end: start + sealed.length }
  })

function whyClosed(source: Source, { text, start }: SealedValue, { vault }: Ports): readonly Problem[] {
  const opened = vault.request(text)
  const place = placeOf({ source, start, end: start })
  switch (opened.is) {
    case 'opened':
      return []
    case 'broken':
      return [brokenSecret(place)]
    case 'closed':
      return [notRotated(place, opened.why)]
    case 'pending':
      throw new Error('a value was asked for and not opened')
  }
}

async function resealed(
  text: string,
  sealed: readonly SealedValue[],
  recipients: readonly string[],
  { vault, mask }: Ports,
): Promise<string> {
  const { sealAge } = await import('../secrets/age.js')
  let written = ''
  let at = 0
  for (const each of sealed) {
    const opened = vault.request(each.text)
    if (opened.is !== 'opened') throw new Error('a value is closed again')
    const clear = new TextDecoder().decode(opened.bytes)
    mask.learn(clear)
    written += text.slice(at, each.start) + (await sealAge(clear, recipients))
    at = each.end
  }
  return written + text.slice(at)
}
