import { ProblemError } from '../../problems/problem.js'
import { recordsRowDamaged, runAmbiguous } from '../../problems/records.js'
import { grouped } from '../grouped.js'
import { areaOf, digestOf } from '../names.js'
import { byAddressOrder, lastOfEach } from '../receipts.js'
import {
  type Journal,
  type JournalEntry,
  type Lock,
  type Notified,
  ownKeys,
  type ProjectKey,
  type Receipt,
  type Records,
  type RunHead,
  type RunRecord,
} from '../record.js'
import { ofEachRun } from '../runs.js'
import { isEntry, isNotified, isReceipt, isRunHead } from '../shape.js'
import { type Database, openDatabase, type Query } from './database.js'
import { advisoryHolder, takeAdvisoryLock } from './lock.js'
import { migrate } from './schema.js'
import { storable, storableJson } from './storable.js'

/** Records in a PostgreSQL database, in the schema `gatewright`, which is created and updated here. */
export async function postgresRecords(url: string, { now }: { readonly now: () => number }): Promise<Records> {
  const database = await openDatabase(url)
  try {
    await migrate(database)
  } catch (error) {
    await database.close()
    throw error
  }
  const locks = new Set<Lock>()
  const journals = new Set<Journal>()
  return {
    lock: async (area, worker, run) => {
      const taking = await takeAdvisoryLock(database, areaOf(area), { worker, run, since: now() })
      if (taking.is === 'taken') locks.add(taking.lock)
      return taking
    },
    holder: (area) => advisoryHolder(database, areaOf(area)),
    begin: async (head) => {
      const journal = await beginJournal(database, head)
      journals.add(journal)
      return journal
    },
    runs: async (key, of) => {
      const read = (ids: readonly string[]) =>
        runsOf(database, key, { where: 'runs.id = any ($4::bigint[])', values: [ids] })
      return ofEachRun(await runIds(database, key), read, of)
    },
    recent: (key) => runsOf(database, key, { where: backToTheLastThatEnded, values: [] }),
    run: (key, run) => runOf(database, key, run),
    forget: (key, runs) => database.transaction((query) => forget(query, key, runs)),
    receipts: async (key) => {
      const rows = await database.query<ReceiptRow>(
        `select receipts.* from gatewright.receipts join ${ownProject} on projects.id = receipts.project`,
        keyValues(key),
      )
      return receiptsIn(database.where, rows)
    },
    keep: (key, receipts, forget) => database.transaction((query) => keep(query, key, { receipts, forget })),
    claims: async (key) => {
      const rows = await database.query<ReceiptRow>(
        `select receipts.* from gatewright.receipts join gatewright.projects on projects.id = receipts.project
          where url = $1 and area = $2 and projects.project <> all($3)`,
        [...keyValues(key).slice(0, 2), ownKeys(key).map(({ project }) => storable(project))],
      )
      return receiptsIn(database.where, rows)
    },
    notified: async (key) => {
      const rows = await database.query<NotifiedRow>(
        `select notified.* from gatewright.notified join ${ownProject} on projects.id = notified.project`,
        keyValues(key),
      )
      return rows.flatMap((row) => notifiedIn(database.where, row))
    },
    changeNotified: (key, change) =>
      database.transaction(async (query) => {
        const project = await projectIn(query, key)
        await query("insert into gatewright.notified (project, notified) values ($1, '[]') on conflict do nothing", [
          project,
        ])
        const rows = await query<NotifiedRow>('select * from gatewright.notified where project = $1 for update', [
          project,
        ])
        const before = rows.flatMap((row) => notifiedIn(database.where, row))
        const after = storableJson(change(before))
        await query('update gatewright.notified set notified = $2::json where project = $1', [project, after])
      }),
    close: async () => {
      await Promise.all([...journals].map((journal) => journal.close()))
      await Promise.all([...locks].map((lock) => lock.release()))
      await database.close()
    },
  }
}

interface ReceiptRow {
  readonly project: number
  readonly digest: string
  readonly receipt: unknown
}

interface NotifiedRow {
  readonly project: number
  readonly notified: unknown
}

const notifiedIn = (where: string, { project, notified }: NotifiedRow): readonly Notified[] =>
  rowAs(notified, isListOfNotified, where, `gatewright.notified, project ${project}`)

const isListOfNotified = (value: unknown): value is readonly Notified[] =>
  Array.isArray(value) && value.every(isNotified)

const receiptsIn = (where: string, rows: readonly ReceiptRow[]): readonly Receipt[] =>
  rows
    .map(({ project, digest, receipt }) =>
      rowAs(receipt, isReceipt, where, `gatewright.receipts, project ${project}, digest ${digest}`),
    )
    .sort(byAddressOrder)

/** The value of a row. Throws a ProblemError that names the row if it has another form. */
function rowAs<Value>(value: unknown, is: (value: unknown) => value is Value, where: string, row: string): Value {
  if (is(value)) return value
  throw new ProblemError([recordsRowDamaged(where, row)])
}

/** A table with one row, the project's, or with none; its parameters are the first three. */
const ownProject = '(select id from gatewright.projects where url = $1 and area = $2 and project = $3) as projects'

function keyValues(key: ProjectKey): readonly string[] {
  const { url, area } = areaOf(key)
  return [url, area, key.project].map(storable)
}

/** The number of the project; a new project is inserted. */
async function projectIn(query: Query, key: ProjectKey): Promise<number> {
  await query(
    'insert into gatewright.projects (url, area, project) values ($1, $2, $3) on conflict do nothing',
    keyValues(key),
  )
  const [row] = await query<{ id: number }>(`select id from ${ownProject}`, keyValues(key))
  if (!row) throw new Error('the project was removed from the database while it was being written')
  return row.id
}

async function beginJournal(database: Database, head: RunHead): Promise<Journal> {
  const id = await database.transaction(async (query) => {
    const project = await projectIn(query, head.key)
    const [row] = await query<{ id: string }>(
      'insert into gatewright.runs (project, run, head) values ($1, $2, $3) returning id',
      [project, head.run, storableJson(head)],
    )
    return row?.id
  })
  let count = 0
  const entries = grouped(async (group: readonly JournalEntry[]) => {
    const first = count
    // If the answer is lost, the entries may be stored all the same, so their numbers are not used again.
    count += group.length
    // One statement is one commit: entries that come at the same time share the server's fsync.
    await database.query(
      `insert into gatewright.entries (run, number, entry, ended)
       select $1, number, entry::json, ended
         from unnest($2::int[], $3::text[], $4::text[]) as given (number, entry, ended)`,
      [
        id,
        group.map((_, index) => first + index),
        group.map((entry) => storableJson(entry)),
        group.map((entry) => (entry.is === 'ended' ? entry.outcome : null)),
      ],
    )
  })
  return { append: entries.add, close: entries.finished }
}

async function runOf(database: Database, key: ProjectKey, desired: string): Promise<RunRecord | undefined> {
  if (desired === 'latest') {
    // A run without changes is recorded only after an interrupted one, so of two consecutive runs one mostly has changes
    // (A109).
    const latest = `runs.id in (
      select others.id from gatewright.runs as others where others.project = projects.id order by others.id desc limit 2)`
    const newest = await runsOf(database, key, { where: latest, values: [] })
    const hasChanges = ({ head }: RunRecord): boolean => head.changes.length > 0
    if (newest.length < 2 || newest.some(hasChanges)) return newest.find(hasChanges) ?? newest[0]
    return (await runsOf(database, key, { where: 'true', values: [] })).find(hasChanges) ?? newest[0]
  }
  const rows = await database.query<{ run: string }>(
    `select run from gatewright.runs join ${ownProject} on projects.id = runs.project
      where starts_with(run, $4) order by runs.id desc`,
    [...keyValues(key), storable(desired)],
  )
  const names = rows.map(({ run }) => run)
  const found = names.includes(desired) ? [desired] : names
  if (found.length > 1) throw new ProblemError([runAmbiguous(desired, found)])
  return (await runsOf(database, key, { where: 'run = $4', values: found.length === 0 ? [''] : found }))[0]
}

/** Newest first. */
async function runIds({ query }: Database, key: ProjectKey): Promise<readonly string[]> {
  const runs = await query<{ id: string }>(
    `select runs.id from gatewright.runs join ${ownProject} on projects.id = runs.project order by runs.id desc`,
    keyValues(key),
  )
  return runs.map(({ id }) => id)
}

/** Newest first; `where` may use $4 and on. */
async function runsOf(
  { query, where: place }: Pick<Database, 'query' | 'where'>,
  key: ProjectKey,
  { where, values }: { readonly where: string; readonly values: readonly (string | readonly string[])[] },
): Promise<readonly RunRecord[]> {
  const runs = await query<{ id: string; head: unknown }>(
    `select runs.id, head from gatewright.runs join ${ownProject} on projects.id = runs.project
      where ${where} order by runs.id desc`,
    [...keyValues(key), ...values],
  )
  const entries = await query<{ run: string; number: number; entry: unknown }>(
    'select run, number, entry from gatewright.entries where run = any ($1::bigint[]) order by run, number',
    [runs.map(({ id }) => id)],
  )
  const byRun = new Map<string, JournalEntry[]>(runs.map(({ id }) => [id, []]))
  for (const { run, number, entry } of entries) {
    byRun.get(run)?.push(rowAs(entry, isEntry, place, `gatewright.entries, run ${run}, number ${number}`))
  }
  return runs.map(({ id, head }) => ({
    head: rowAs(head, isRunHead, place, `gatewright.runs, id ${id}`),
    entries: byRun.get(id) ?? [],
  }))
}

async function forget(query: Query, key: ProjectKey, runs: readonly string[]): Promise<void> {
  const found = await query<{ id: string }>(
    `select runs.id from gatewright.runs join ${ownProject} on projects.id = runs.project where run = any ($4::text[])`,
    [...keyValues(key), runs],
  )
  const ids = found.map(({ id }) => id)
  await query('delete from gatewright.entries where run = any ($1::bigint[])', [ids])
  await query('delete from gatewright.runs where id = any ($1::bigint[])', [ids])
}

const backToTheLastThatEnded = `runs.id >= (
  select coalesce(max(ended.id), 0)
    from gatewright.runs as ended join gatewright.entries on entries.run = ended.id
   where ended.project = projects.id and entries.ended <> 'interrupted')`

async function keep(
  query: Query,
  key: ProjectKey,
  { receipts, forget }: { readonly receipts: readonly Receipt[]; readonly forget: readonly string[] },
): Promise<void> {
  const project = await projectIn(query, key)
  await query('delete from gatewright.receipts where project = $1 and digest = any ($2::text[])', [
    project,
    forget.map(addressDigest),
  ])
  const last = lastOfEach(receipts)
  await query(
    `insert into gatewright.receipts (project, digest, receipt)
     select $1, digest, receipt::json from unnest($2::text[], $3::text[]) as given (digest, receipt)
     on conflict (project, digest) do update set receipt = excluded.receipt`,
    [project, last.map(({ address }) => addressDigest(address)), last.map((receipt) => storableJson(receipt))],
  )
}

const addressDigest = (address: string): string => digestOf([address]).toString('hex')
