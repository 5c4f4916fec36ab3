import { error, type Problem } from './problem.js'
import { lockDamaged, recordsOutOfPlace, type WrittenFor } from './records.js'

/** `reason` is the error code of the system, such as ENOENT. */
export const gitMissing = (reason: string): Problem =>
  error(
    'git-missing',
    undefined,
    `records: git needs ${withoutGit(reason)}`,
    'install git 2.32 or later, or keep the records elsewhere (docs/explanation/records.md)',
  )

/** For --base, --applied-in and GATEWRIGHT_GUARD_REF. */
export const gitMissingForFiles = (reason: string): Problem =>
  error('git-missing', undefined, `files of a commit need ${withoutGit(reason)}`, 'install git 2.32 or later')

/** `folder`: the root of the repository. */
export const gitOwnerRefused = (folder: string): Problem =>
  error(
    'git-owner',
    undefined,
    ownerRefused(folder),
    'run that as the user who runs gatewright; in a container, a checkout usually belongs to another user',
  )

/** The same as a phrase, with what to do. */
export const ownerRefused = (folder: string): string =>
  `git does not read ${folder}, because it belongs to another user; git config --global --add safe.directory ${folder} allows it`

const withoutGit = (reason: string): string =>
  `the program git, which cannot be started${reason === '' ? '' : ` (${reason})`}`

/** `version` is the output of git. */
export const gitTooOld = (version: string): Problem =>
  error(
    'git-missing',
    undefined,
    `records: git needs git 2.32 or later, and this is ${version}`,
    'install a later version',
  )

const inFolder = 'GATEWRIGHT_RECORDS=file:.gatewright (docs/explanation/records.md)'

/** `words` is the message of git. */
export const gitNoRepository = (folder: string, words: string): Problem =>
  error(
    'git-no-repository',
    undefined,
    `records: git needs a git repository around ${folder}: ${words}`,
    `check the project out with git, or keep the records elsewhere, such as in a folder: ${inFolder}`,
  )

/** `reason` says why no folder could be created in the folder for temporary files. */
export const gitNoTemporary = (folder: string, reason: string): Problem =>
  error(
    'git-no-temporary',
    undefined,
    `records: git needs the folder for temporary files, and ${folder} cannot be used: ${reason}`,
    'set TMPDIR to a writable folder with free space',
  )

export const gitNoRemote = (name: string, known: readonly string[]): Problem =>
  error(
    'git-no-remote',
    undefined,
    `records: git needs the remote "${name}", which this repository does not have`,
    known.length === 0
      ? `git remote add ${name} URL adds it; until then, keep the records in a folder: ${inFolder}`
      : `known: ${known.join(', ')}; records: git means origin, git:REMOTE another one`,
  )

/** `where` is the remote without its login; `words` is the message of git or of the host. */
export const gitFailed = (where: string, words: string): Problem =>
  error(
    'git-failed',
    undefined,
    `the records in the git remote ${where} cannot be used: ${words}`,
    'check that git ls-remote works here; changes are sent only after they are recorded',
  )

export const gitRefused = (where: string, words: string, doing: 'fetch' | 'push'): Problem =>
  error(
    'git-refused',
    undefined,
    `the git remote ${where} does not allow ${doing === 'fetch' ? 'reading' : 'writing'} the records: ${words}`,
    doing === 'fetch'
      ? 'the job needs a login that may read the repository: do not remove the one that the checkout sets (docs/explanation/records.md)'
      : 'the job must be allowed to push refs/gatewright/*: on GitHub permissions: contents: write, on GitLab a job token that may push, or a token with write_repository (docs/explanation/records.md)',
  )

/** `file` is a path in the tree of a ref. */
export const gitRecordsDamaged = (where: string, ref: string, file: string, line: number): Problem =>
  error(
    'records-damaged',
    undefined,
    `${file} of ${ref} in the git remote ${where} is damaged at line ${line}`,
    withoutRecords(ref),
  )

/** Somebody has moved the ref to something that contains no records. */
export const gitRecordsNoCommit = (where: string, ref: string): Problem =>
  error(
    'records-damaged',
    undefined,
    `the records in the git remote ${where} are damaged: ${ref} is not at a commit`,
    `push the last commit of the records there again; ${withoutRecords(ref)}`,
  )

const withoutRecords = (ref: string): string =>
  `git push REMOTE :${ref} removes these records: history and prune are lost, but no object`

export const gitRecordsOutOfPlace = (where: string, ref: string, writtenFor: WrittenFor): Problem =>
  recordsOutOfPlace(`${ref} in the git remote ${where}`, writtenFor, `git push REMOTE :${ref} removes it`)

/** `ref` is the ref of the lock. */
export const gitLockDamaged = (where: string, ref: string): Problem =>
  lockDamaged(`${ref} in the git remote ${where}`, `git push REMOTE :${ref}`)
