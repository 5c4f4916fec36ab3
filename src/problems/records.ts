import { error, note, type Place, type Problem, warning } from './problem.js'
import { shortageHints } from './shortage.js'
import { choice, counted, didYouMean, nearest } from './suggest.js'

/** `written` is undefined if it may contain a login. */
export const badRecordsPlace = (written: string | undefined): Problem =>
  error(
    'bad-records',
    undefined,
    `records ${written === undefined ? 'holds an address that cannot be read' : `cannot be kept in "${written}"`}`,
    'write records: file:FOLDER, git, git:REMOTE or postgres://user@host:5432/database in the project file, or in GATEWRIGHT_RECORDS',
  )

/** The folder would have the name "~" and be below the project. */
export const recordsAtTilde = (written: string, place?: Place): Problem =>
  error(
    'bad-records',
    place,
    `records cannot be kept in "${written}": only a shell knows what ~ means`,
    `write file:\${env:HOME}/FOLDER, or the whole path; a folder of the name ~ is file:./~`,
  )

/** Credentials for a database from environment variables are not sent to a host that only a file names. */
export const recordsHostNotNamed = (file: string, host: string): Problem =>
  error(
    'host-not-named',
    undefined,
    `only ${file} names the database host ${host}: nothing from environment variables is sent there`,
    `if they are: export GATEWRIGHT_HOSTS=${host}, or give the whole address in GATEWRIGHT_RECORDS`,
  )

/** `file` is a file that git tracks. */
export const recordsTracked = (folder: string, file: string): Problem =>
  error(
    'records-tracked',
    undefined,
    `git tracks the records in ${folder} (${file}): whoever changes the repository could change them`,
    `take them out (git rm -r --cached ${folder}) and add the folder to .gitignore; records: git keeps records in the remote, beside the branches`,
  )

/** `reason` is the error code of the system, such as EACCES. */
export const recordsNotWritten = (where: string, reason: string, words: string): Problem =>
  error(
    'records-not-written',
    undefined,
    `the records in ${where} cannot be written: ${words}`,
    placeHints[reason] ??
      shortageHints[reason] ??
      'run it again once they can be written: nothing is sent to the platform that cannot be written down first',
  )

const elsewhere = 'name another folder in spec.records of the project file'

const placeHints: Readonly<Record<string, string>> = {
  EACCES: `make the folder writable, or ${elsewhere}`,
  EPERM: `make the folder writable, or ${elsewhere}`,
  EROFS: elsewhere,
  ENOTDIR: elsewhere,
  EEXIST: elsewhere,
  ELOOP: elsewhere,
}

/** The hint does not suggest another location: the records there would be empty, and the base would be lost. */
const access = 'whoever runs gatewright must be able to read and write the folder'

const mend = 'correct it, or move it away: history and prune are lost, but no object'

const readHints: Readonly<Record<string, string>> = {
  EACCES: access,
  EPERM: access,
  // This happens only for a broken link: records that do not exist were never written.
  ENOENT: mend,
  EISDIR: mend,
  ENOTDIR: mend,
  ELOOP: mend,
}

/** `reason` is the error code of the system, such as EACCES. */
export const recordsNotRead = (where: string, reason: string, words: string): Problem =>
  error(
    'records-not-read',
    undefined,
    `the records in ${where} cannot be read: ${words}`,
    readHints[reason] ??
      shortageHints[reason] ??
      'run it again once they can be read: a run that cannot see what was applied before does not begin',
  )

export const recordsDamaged = (file: string, line: number): Problem =>
  error(
    'records-damaged',
    undefined,
    `${file} is damaged at line ${line}`,
    'restore the file, or move it away: history and prune are lost, but no object',
  )

/** The target for which records were written: `url` is a base URL. */
export interface WrittenFor {
  readonly url: string
  readonly area: string
  readonly name: string
  readonly environment?: string
}

/** `where` is a file or a ref; `remove` says how to move it away. */
export const recordsOutOfPlace = (where: string, writtenFor: WrittenFor, remove: string): Problem => {
  const { url, area, name, environment } = writtenFor
  const project = `the project "${name}"${environment === undefined ? '' : `, environment "${environment}"`}`
  const place = area === '' ? url : `the area "${area}" of ${url}`
  return error(
    'records-out-of-place',
    undefined,
    `${where} was written for ${project}, in ${place}`,
    `${remove}: what was applied there is not what was applied here`,
  )
}

/** `where` is a database without its login; `row` names the table and the row. */
export const recordsRowDamaged = (where: string, row: string): Problem =>
  error(
    'records-damaged',
    undefined,
    `the records in ${where} are damaged: ${row}`,
    'repair the row, or delete it: history and prune are lost, but no object',
  )

/** `where` is a file, a ref or a row; `remove` is the command that removes it. */
export const lockDamaged = (where: string, remove: string): Problem =>
  error(
    'records-damaged',
    undefined,
    `the lock in ${where} is damaged`,
    `if nobody applies to this area now, remove it: ${remove}; history and prune stay`,
  )

export const recordsTooNew = (where: string, version: number, known: number): Problem =>
  error(
    'records-too-new',
    undefined,
    `the tables of gatewright in ${where} have version ${version}, and this program knows versions up to ${known}`,
    'use the newer gatewright that wrote them',
  )

export const recordsFormatTooNew = (where: string, format: string): Problem =>
  error(
    'records-too-new',
    undefined,
    `the records in ${where} have the format ${format}, which this program does not know`,
    'use the newer gatewright that wrote them',
  )

export const databasePackageMissing = (use: DatabaseUse): Problem =>
  error(
    'database-package-missing',
    undefined,
    `${use === 'records' ? 'records in PostgreSQL need' : 'the database of a fleet needs'} the package pg, which is not installed`,
    'install it beside gatewright: npm install pg@8',
  )

/** The use of a database: for the records of a project, or for a fleet. */
export type DatabaseUse = 'records' | 'fleet'

/** `where` has no login; `words` is the message of the driver, without the password. */
export const databaseFailed = (use: DatabaseUse, where: string, words: string): Problem =>
  error(
    'database-failed',
    undefined,
    use === 'records'
      ? `the records in ${where} cannot be used: ${words}`
      : `the database of the fleet at ${where} cannot be used: ${words}`,
    use === 'records'
      ? 'check spec.records of the project file, the database and its login (PGPASSWORD, or in the URL)'
      : 'check GATEWRIGHT_FLEET_DATABASE, the database and its login',
  )

/** `since` is an ISO date. */
export const lockHeld = (holder: {
  readonly who: string
  readonly host: string
  readonly pid: number
  readonly since: string
  readonly run: string | undefined
}): Problem =>
  error(
    'lock-held',
    undefined,
    `${holder.who} has been applying to this area since ${holder.since} (${[
      ...(holder.run === undefined ? [] : [`run ${holder.run}`]),
      `process ${holder.pid} on ${holder.host}`,
    ].join(', ')})`,
    'wait until that run has ended (--lock-timeout 10m does so); if its process is gone the lock frees itself, from another machine within a minute',
  )

/** The lock is taken, and its holder is not written, or not completely; `since` is an ISO date. */
export const lockOfUnknown = (since: string): Problem =>
  error(
    'lock-held',
    undefined,
    `the lock of this area has been taken since ${since}, and does not say by whom: a run is just beginning, or was cut off as it began`,
    'try again in a minute, or wait (--lock-timeout 2m): by then the lock of a run that was cut off is free',
  )

export const lockLost = (area: string): Problem =>
  error(
    'lock-lost',
    undefined,
    `the lock of area ${area} was lost while the run was under way`,
    'another run may have begun: nothing further is sent; look at gatewright history and apply again',
  )

export const runUnknown = (run: string, known: readonly string[]): Problem =>
  error(
    'unknown-run',
    undefined,
    run === 'latest' ? 'no run is recorded' : `no run begins with "${run}"`,
    known.length === 0 ? 'nothing was applied yet, or not with these records' : `the last runs: ${known.join(', ')}`,
  )

export const runAmbiguous = (run: string, found: readonly string[]): Problem =>
  error(
    'ambiguous-run',
    undefined,
    `${found.length} runs begin with "${run}": ${found.slice(0, 5).join(', ')}${found.length > 5 ? ', …' : ''}`,
    'give more of its name',
  )

export const snapshotUnreadable = (file: string, reason: string, hint: string): Problem =>
  error('snapshot-unreadable', undefined, `the snapshot ${file} cannot be read: ${reason}`, hint)

export const snapshotUnknownCollection = (file: string, name: string, known: readonly string[]): Problem =>
  error(
    'snapshot-unknown-collection',
    undefined,
    `the snapshot ${file} has a list "${name}" that is not a collection of the interface`,
    choice(nearest(name, known), known) ?? 'take it out',
  )

/** A snapshot file contains no secrets, so those in the manifests were not compared. */
export const snapshotSecretsUnknown = (file: string, count: number): Problem =>
  warning(
    'snapshot-secrets-unknown',
    undefined,
    `${counted(count, 'secret field')} could not be compared: the snapshot ${file} has none`,
    'a plan against the live area compares them',
  )

/** The secrets in the manifests are not known here, so nobody knows whether they are the same. */
export const secretsNotCompared = (count: number): Problem =>
  note(
    'secret-not-verified',
    undefined,
    `${counted(count, 'secret field')} could not be compared: what the manifests write there is not set here`,
    'set the variables, or give an age key that opens it, to compare them',
  )

/** No live object has the requested name or address. `names`: the existing ones; `none`: why there are none. */
export const liveNotFound = (kind: string, name: string, names: readonly string[], none: string): Problem =>
  error(
    'not-found',
    undefined,
    `no live ${kind} is named "${name}"`,
    didYouMean(name, names) ?? (names.length === 0 ? none : `gatewright get ${kind} lists them`),
  )

/** The objects are shown, but not their links, which would need one call for each object. */
export const linksNotRead = (kind: string, field: string, links: string): Problem =>
  note(
    'not-read',
    undefined,
    `${field} are not shown: this platform answers them by one call for each ${kind}`,
    `gatewright get ${links} reads those of all, get ${kind} NAME those of one`,
  )

/** The platform does not list the owners, so objects in unknown owners are missing. */
export const ownersNotListed = (kind: string, which: string): Problem =>
  note('not-read', undefined, `these are not all objects of kind ${kind} that the area may have`, which)

export const diffSideUnknown = (word: string): Problem =>
  error(
    'diff-side-unknown',
    undefined,
    `there is no file or folder "${word}" to compare`,
    'a side is a snapshot file, a folder of manifests, live, env:NAME, or URL[#AREA]',
  )

/** `reason` is the error code of the system, such as ENOSPC, if there is one. */
export const notWritable = (file: string, words: string, reason = ''): Problem =>
  error(
    'not-writable',
    undefined,
    `${file} cannot be written: ${words}`,
    shortageHints[reason] ?? 'make its folder writable, or name a file in another one',
  )

/** A part of the command's output could not be written. */
export const outputLost = (reason: string): Problem =>
  error(
    'output-lost',
    undefined,
    `the output cannot be written: ${reason}`,
    'do not use what was written; gatewright show latest tells what an apply or a rollback has done',
  )
