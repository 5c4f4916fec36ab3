import { readAll } from '../client/full-read.js'
import type { Client, Reading } from '../client/types.js'
import { type Files, nodeFiles } from '../files/files.js'
import { readProject } from '../manifest/project.js'
import { readManifests } from '../manifest/read.js'
import type { Manifests } from '../manifest/resource.js'
import type { Ports } from '../ports/ports.js'
import { hasErrors, ProblemError } from '../problems/problem.js'
import { diffSideUnknown } from '../problems/records.js'
import { fingerprintKeyOf } from '../secrets/fingerprint.js'
import { readOpened } from '../secrets/vault.js'
import { inEnvironment } from './environment-area.js'
import { learnFrom } from './known-secrets.js'
import { checkReadable, type RecordedReading, readingLive } from './live-area.js'
import { environmentOf } from './project.js'
import type { ProjectRequest } from './requests.js'

/** One side of a comparison; live sides are read when it is known what must be asked for. */
export type DiffSide =
  | { readonly is: 'manifests'; readonly manifests: Manifests }
  | { readonly is: 'file'; readonly file: string }
  | { readonly is: 'live'; readonly read: (what?: (client: Client) => Promise<Reading>) => Promise<RecordedReading> }

/** What a word stands for: `live`, `env:NAME`, `URL[#AREA]`, a snapshot file, or a folder (file, pattern) of manifests. */
export async function sideOf(word: string, request: ProjectRequest, ports: Ports): Promise<DiffSide> {
  if (word === 'live') return liveSide(request, ports)
  if (/^https?:\/\//.test(word)) {
    const [url = word, area] = word.split('#')
    return liveSide({ ...request, url, area: area ?? request.area }, ports)
  }
  if (word.startsWith('env:')) return liveSide(inEnvironment(word.slice('env:'.length), request, ports), ports)
  const files = nodeFiles(ports.cwd)
  const there = files.exists(word)
  if (there === 'file' && !/\.ya?ml$/.test(word)) return { is: 'file', file: word }
  if (there === 'no' && !/[*?{[]/.test(word)) throw new ProblemError([diffSideUnknown(word)])
  return { is: 'manifests', manifests: await manifestsIn(word, there, request, ports) }
}

function liveSide(request: ProjectRequest, ports: Ports): DiffSide {
  checkReadable(request, ports)
  return { is: 'live', read: (what = (client) => readAll(client)) => readingLive(request, ports, what) }
}

/** The manifests of a folder are those of its project file, if it has one, in the chosen environment, if that file has it. */
async function manifestsIn(
  path: string,
  there: ReturnType<Files['exists']>,
  request: ProjectRequest,
  ports: Ports,
): Promise<Manifests> {
  const files = nodeFiles(ports.cwd)
  const read = (environment?: string) =>
    readProject({ dir: there === 'folder' ? path : '.', env: ports.env, environment }, files)
  const environment = environmentOf(request, ports)
  const bare = read()
  const isThere = environment !== undefined && bare.project.layers?.environments.includes(environment)
  const { project, problems } = isThere ? read(environment) : bare
  const input = {
    project,
    paths: there === 'folder' ? [] : [path],
    env: ports.env,
    files,
    fingerprintKey: fingerprintKeyOf(ports),
    secretFolders: request.allowFile,
    vault: ports.vault,
  }
  const manifests = await readOpened(ports.vault, () => readManifests(input))
  learnFrom(manifests, ports.mask)
  const found = [...problems, ...manifests.problems]
  if (hasErrors(found)) throw new ProblemError(found)
  return manifests
}
