import { readAll } from '../client/full-read.js'
import type { Client, Reading } from '../client/types.js'
import { type Files, nodeFiles } from '../manifest/files.js'
import { readProject } from '../manifest/project.js'
import { readManifests } from '../manifest/read.js'
import type { Manifests } from '../manifest/resource.js'
import { diffSideUnknown, hasErrors, notAvailable, ProblemError } from '../problem.js'
import type { Io } from './io.js'
import { readingLive } from './live-area.js'
import type { GlobalOptions } from './options.js'
import { fingerprintKeyOf } from './settings.js'

/** One side of a comparison; live sides are read when it is known what must be asked for. */
export type Side =
  | { readonly is: 'manifests'; readonly manifests: Manifests }
  | { readonly is: 'file'; readonly file: string }
  | { readonly is: 'live'; readonly read: (what?: (client: Client) => Promise<Reading>) => Promise<Reading> }

/** What a word stands for: `live`, `URL[#AREA]`, a snapshot file, or a folder (file, pattern) of manifests. */
export function sideOf(word: string, options: GlobalOptions, io: Io): Side {
  if (word === 'live') return liveSide(options, io)
  if (/^https?:\/\//.test(word)) {
    const [url = word, area] = word.split('#')
    return liveSide({ ...options, url, area: area ?? options.area }, io)
  }
  if (word.startsWith('env:')) {
    throw new ProblemError([
      notAvailable('diff of environments', 'name a snapshot file, a folder, live, or URL[#AREA]'),
    ])
  }
  const files = nodeFiles(io.cwd)
  const there = files.exists(word)
  if (there === 'file' && !/\.ya?ml$/.test(word)) return { is: 'file', file: word }
  if (there === 'no' && !/[*?{[]/.test(word)) throw new ProblemError([diffSideUnknown(word)])
  return { is: 'manifests', manifests: manifestsIn(word, there, io) }
}

const liveSide = (options: GlobalOptions, io: Io): Side => ({
  is: 'live',
  read: (what = readAll) => readingLive(options, io, what),
})

/** The manifests of a folder are those of its project file, if it has one. */
function manifestsIn(path: string, there: ReturnType<Files['exists']>, io: Io): Manifests {
  const files = nodeFiles(io.cwd)
  const { project, problems } = readProject({ dir: there === 'folder' ? path : '.', env: io.env }, files)
  const manifests = readManifests({
    project,
    paths: there === 'folder' ? [] : [path],
    env: io.env,
    files,
    fingerprintKey: fingerprintKeyOf(io),
  })
  const found = [...problems, ...manifests.problems]
  if (hasErrors(found)) throw new ProblemError(found)
  return manifests
}
