import { resolve } from 'node:path'
import { ProblemError } from '../problems/problem.js'
import { badRecordsPlace } from '../problems/records.js'
import { folderRecords } from './folder/store.js'
import type { Records } from './record.js'

/**
 * Opens the records that a project names: `file:FOLDER`, or `postgres://…`. `dir` is the project's folder, absolute. A folder
 * is not touched before something is written to it. Throws a ProblemError if the records cannot be used.
 */
export async function openRecords(
  records: string,
  { dir, now }: { readonly dir: string; readonly now: () => number },
): Promise<Records> {
  const [, scheme = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(records) ?? []
  switch (scheme) {
    case 'file':
      if (rest === '') break
      return folderRecords(resolve(dir, rest.replace(/^\/\/(?=\/)/, '')), { now })
    case 'postgres':
    case 'postgresql': {
      // Loaded only where it is used: most projects keep their records in a folder.
      const { postgresRecords } = await import('./postgres/store.js')
      return await postgresRecords(records, { now })
    }
  }
  throw new ProblemError([badRecordsPlace(records.includes('@') ? undefined : records)])
}
