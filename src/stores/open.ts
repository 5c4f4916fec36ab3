import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { beginsWithTilde } from '../files/paths.js'
import { repositoryRoot } from '../files/repository.js'
import { ProblemError } from '../problems/problem.js'
import { badRecordsPlace, recordsAtTilde, recordsTracked } from '../problems/records.js'
import { folderRecords } from './folder/store.js'
import type { Records } from './record.js'

/**
 * Opens the records of a project: `file:FOLDER`, `git` or `git:REMOTE`, or `postgres://…`. `dir` is the project's folder,
 * absolute. A folder or a ref is created by its first write, the tables of a database here. Throws a ProblemError if the records
 * cannot be used.
 */
export async function openRecords(
  records: string,
  { dir, now }: { readonly dir: string; readonly now: () => number },
): Promise<Records> {
  const [, scheme = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(records === 'git' ? 'git:origin' : records) ?? []
  switch (scheme) {
    case 'file':
      if (rest === '') break
      if (beginsWithTilde(rest)) throw new ProblemError([recordsAtTilde(records)])
      return await openFolder(resolve(dir, rest.replace(/^\/\/(?=\/)/, '')), now)
    case 'git': {
      // A name, not an address: the checkout knows the addresses of its remotes, and no file that somebody may propose to change
      // names one.
      if (!/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(rest)) break
      const { gitRecords } = await import('./git/store.js')
      return await gitRecords({ folder: dir, remote: rest }, { now })
    }
    case 'postgres':
    case 'postgresql': {
      if (!rest.startsWith('//')) break
      // Loaded only if it is used: most projects keep their records in a folder.
      const { postgresRecords } = await import('./postgres/store.js')
      return await postgresRecords(records, { now })
    }
  }
  throw new ProblemError([badRecordsPlace(records.includes('@') ? undefined : records)])
}

/**
 * Throws a ProblemError if git tracks files in the folder: anyone who proposes a change of the repository could write records.
 */
async function openFolder(folder: string, now: () => number): Promise<Records> {
  const root = existsSync(folder) ? repositoryRoot(folder) : undefined
  if (root !== undefined) {
    const { git } = await import('./git/program.js')
    const input = { cwd: root, env: ofNobodyElse, limitMs: 60_000 }
    const { out } = await git([...anyOwner, ...listed, realpathSync(folder)], input).catch(() => noOutput)
    const [tracked = ''] = out.toString('utf8').split('\0')
    if (tracked !== '') throw new ProblemError([recordsTracked(folder, tracked)])
  }
  return folderRecords(folder, { now })
}

/** git refuses to read a folder of another owner, such as a checkout that a container sees. Nothing in it is executed here. */
const anyOwner = ['-c', 'safe.directory=*', '-c', 'core.fsmonitor=false']

const listed = ['--literal-pathspecs', 'ls-files', '-z', '--']

/** If a hook calls this program, variables name the hook's repository; here the repository of the folder is meant. */
const ofNobodyElse = { GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined }

/** If git is not installed, it has not checked out anything here. */
const noOutput = { out: Buffer.alloc(0) }
