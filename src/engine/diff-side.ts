import type { TargetDocument } from '../documents/target.js'
import { type Files, nodeFiles } from '../files/files.js'
import { isFolderCovered } from '../manifest/covered.js'
import { readProject } from '../manifest/project.js'
import type { Manifests } from '../manifest/resource.js'
import type { Ports } from '../ports/ports.js'
import { hasErrors, ProblemError } from '../problems/problem.js'
import { diffSideUnknown } from '../problems/records.js'
import { inEnvironment } from './environment-area.js'
import { type RecordedReading, readableTarget, readingLive, wholeArea } from './live-area.js'
import { environmentOf } from './project.js'
import type { ProjectRequest } from './requests.js'
import { manifestsFor } from './settings.js'

/** One side of a comparison. A live side is read later, when it is known what must be read. */
export type DiffSide =
  | { readonly is: 'manifests'; readonly manifests: Manifests }
  | { readonly is: 'file'; readonly file: string }
  | {
      readonly is: 'live'
      readonly target: TargetDocument
      readonly read: (what?: typeof wholeArea) => Promise<RecordedReading>
    }

/** The side that a word names: `live`, `env:NAME`, `URL[#AREA]`, a snapshot file, or a folder (file, pattern) of manifests. */
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
  const target = readableTarget(request, ports)
  return { is: 'live', target, read: (what = wholeArea) => readingLive(request, ports, what) }
}

async function manifestsIn(
  path: string,
  there: ReturnType<Files['exists']>,
  request: ProjectRequest,
  ports: Ports,
): Promise<Manifests> {
  const files = nodeFiles(ports.cwd)
  const { project, problems, paths } = projectAround(path, there === 'folder', request, ports)
  const manifests = await manifestsFor({ project, files, paths }, request, ports)
  const found = [...problems, ...manifests.problems]
  if (hasErrors(found)) throw new ProblemError(found)
  return manifests
}

/**
 * The project whose layers apply to a folder or a file: that of its own project file, or the current project if it reads the
 * path. Any other folder, such as an export, has no layers. The environment is the selected one, if that project has it.
 */
function projectAround(path: string, isFolder: boolean, request: ProjectRequest, ports: Ports) {
  const files = nodeFiles(ports.cwd)
  const chosen = environmentOf(request, ports)
  const read = (dir: string) => {
    const bare = readProject({ dir, env: ports.env }, files)
    const isThere = chosen !== undefined && bare.project.layers?.environments.includes(chosen)
    return isThere ? readProject({ dir, env: ports.env, environment: chosen }, files) : bare
  }
  const own = { ...read(isFolder ? path : request.directory), paths: isFolder ? [] : [path] }
  if (!isFolder || own.project.file !== undefined) return own
  const around = read(request.directory)
  return isFolderCovered(path, around.project, ports.cwd) ? { ...around, paths: [path] } : own
}
