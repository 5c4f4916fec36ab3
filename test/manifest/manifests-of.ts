import { resolve } from 'node:path'
import type { Files } from '../../src/files/files.js'
import { type ManifestInput, readManifests } from '../../src/manifest/read.js'
import type { Manifests, Resource } from '../../src/manifest/resource.js'
import type { Problem } from '../../src/problems/problem.js'

/** Files that exist only in a test: path to text. */
export function filesOf(texts: Readonly<Record<string, string>>): Files {
  const paths = Object.keys(texts).sort()
  const isFolder = (path: string) => path === '.' || paths.some((each) => each.startsWith(`${path}/`))
  return {
    cwd: '/projects/shop',
    readText: (path) => {
      const text = texts[path] ?? texts[path.replace('/projects/shop/', '')]
      return text === undefined ? { failure: 'there is no such file' } : { text }
    },
    list: (folder) => (folder === '.' ? paths : paths.flatMap((path) => below(folder, path))),
    exists: (path) => {
      if (Object.hasOwn(texts, path)) return 'file'
      return isFolder(path) ? 'folder' : 'no'
    },
    realPath: (path) => resolve('/projects/shop', path),
    repositoryOf: () => '/projects/shop',
  }
}

const below = (folder: string, path: string): readonly string[] =>
  path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : []

export const project = { file: undefined, dir: '.', manifests: [], secrets: { public: [], env: [], recipients: [] } }

/** The manifests of some texts, by default all of them. */
export const manifestsOf = (texts: Readonly<Record<string, string>>, options: Partial<ManifestInput> = {}): Manifests =>
  readManifests({ project, env: {}, files: filesOf(texts), ...options })

/** The manifests of one text. */
export const manifestsIn = (text: string, options: Partial<ManifestInput> = {}): Manifests =>
  manifestsOf({ 'a.yaml': text }, options)

/** A document of that kind. */
export const documentOf = (kind: string, metadata: object, spec: object = {}): string =>
  `apiVersion: gatewright/v1\nkind: ${kind}\nmetadata: ${JSON.stringify(metadata)}\nspec: ${JSON.stringify(spec)}\n`

/** Several documents in one text. */
export const stream = (...documents: readonly string[]): string => documents.join('---\n')

/** "error unknown-field a.yaml:4:3": the problem and its position. */
export const shortly = ({ severity, code, place }: Problem): string =>
  place ? `${severity} ${code} ${place.file}:${place.line}:${place.column}` : `${severity} ${code}`

export const errorsOf = ({ problems }: Manifests): readonly string[] =>
  problems.filter((problem) => problem.severity === 'error').map(shortly)

export function resourceAt({ resources }: Manifests, address: string): Resource {
  const found = resources.find((resource) => resource.address === address)
  if (!found) throw new Error(`no ${address} among ${resources.map((resource) => resource.address).join(' | ')}`)
  return found
}
