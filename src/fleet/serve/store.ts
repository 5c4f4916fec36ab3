import { randomBytes } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type AreaResult, type AreaState, finishedStates } from '../../documents/fleet.js'
import type { JobDocument } from '../../documents/fleet-status.js'
import { type Database, openDatabase, type Query } from '../../stores/postgres/database.js'
import { migrate } from '../../stores/postgres/schema.js'
import { failedAmong, type MissingWorkers, missingWorkers } from '../../workflows/engine-table.js'
import type { CallBook } from '../day-calls.js'
import { applicationOf, rolloutId } from './names.js'
import { type RolloutStore, rolloutStore } from './rollout-store.js'
import { fleetTables } from './tables.js'

/** The stored data of the server: states of areas, results of jobs, rollouts. Every failure is a ProblemError. */
export interface FleetStore extends RolloutStore {
  /** The secret for tokens: the same for all workers of the fleet. */
  readonly secret: () => Promise<string>
  /** The state of the area after the job with that occasion, if the job has ended. */
  readonly resultOf: (area: string, occasion: string) => Promise<AreaState | undefined>
  /** Stores the result of a job. For each occasion of an area, only the first result is kept. */
  readonly record: (result: AreaResult, about: ResultContext) => Promise<void>
  readonly areas: () => Promise<readonly AreaRow[]>
  readonly history: (requested: { readonly area?: string; readonly limit: number }) => Promise<readonly JobDocument[]>
  /** The HTML report of a job. */
  readonly report: (area: string, occasion: string) => Promise<string | undefined>
  /** The calls per key of all workers together. */
  readonly calls: CallBook
  /** Stores why an area waits. The result of its next job removes the reason. */
  readonly areaWaits: (area: string, about: AreaWaits) => Promise<void>
  /** The number of calls of an area's last complete job; undefined before the first one. */
  readonly lastCalls: (area: string, command: string) => Promise<number | undefined>
  readonly missingWorkers: () => Promise<MissingWorkers>
  /** Whether the workflow of a rollout has failed, so that no worker continues it. */
  readonly hasFailed: (rollout: string) => Promise<boolean>
  /** Deletes the results, reports and rollouts from before that time, in milliseconds since 1970. */
  readonly prune: (before: number) => Promise<void>
  readonly close: () => Promise<void>
}

interface ResultContext {
  readonly occasion: string
  readonly worker: string
  readonly html: string | undefined
}

interface AreaWaits {
  readonly occasion: string
  readonly why: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The state of an area. */
interface AreaRow {
  readonly area: string
  readonly occasion: string
  readonly state: AreaState
  readonly since: Date
  readonly checked: Date
  readonly answered: Date | null
  readonly editor: string | null
  readonly has_report: boolean
  /** Why no job could begin. */
  readonly waits: string | null
  /** Of that job; null if only the reason is known why no job could begin. */
  readonly messages: readonly string[] | null
}

/** Opens the database of a fleet, and creates or updates its tables. */
export async function openFleetStore(url: string, fleet: string): Promise<FleetStore> {
  const database = withoutNul(await openDatabase(url, 'fleet'))
  try {
    await migrate(database, fleetTables)
  } catch (error) {
    await database.close()
    throw error
  }
  const { query } = database
  return {
    ...rolloutStore(database, fleet),
    secret: async () => {
      const made = randomBytes(32).toString('hex')
      await query('insert into gatewright.fleets (fleet, secret) values ($1, $2) on conflict do nothing', [fleet, made])
      const [row] = await query<{ secret: string }>('select secret from gatewright.fleets where fleet = $1', [fleet])
      return row?.secret ?? made
    },
    resultOf: async (area, occasion) => {
      const [row] = await query<{ state: AreaState }>(
        'select state from gatewright.fleet_results where fleet = $1 and area = $2 and occasion = $3',
        [fleet, area, occasion],
      )
      return row?.state
    },
    record: (result, about) => record(database, fleet, result, about),
    areas: () =>
      query<AreaRow>(
        `select own.*, diagnostics as messages from gatewright.fleet_areas as own
           left join gatewright.fleet_results using (fleet, area, occasion) where fleet = $1`,
        [fleet],
      ),
    history: ({ area, limit }) => historyOf(database, fleet, { area, limit }),
    report: async (area, occasion) => {
      const [row] = await query<{ html: Buffer }>(
        'select html from gatewright.fleet_reports where fleet = $1 and area = $2 and occasion = $3',
        [fleet, area, occasion],
      )
      return row && gunzipSync(row.html).toString()
    },
    calls: callBook(database, fleet),
    areaWaits: async (area, { occasion, why, at }) => {
      await query(
        `insert into gatewright.fleet_areas (fleet, area, occasion, state, since, checked, has_report, waits)
         values ($1, $2, $3, 'not-started', $5, $5, false, $4)
         on conflict (fleet, area) do update set waits = excluded.waits`,
        [fleet, area, occasion, why, new Date(at)],
      )
    },
    lastCalls: async (area, command) => {
      const [row] = await query<{ requests: number }>(
        `select requests from gatewright.fleet_results
          where fleet = $1 and area = $2 and command = $3 and requests is not null
            and state = any($4) order by written desc limit 1`,
        [fleet, area, command, finishedStates],
      )
      return row?.requests
    },
    missingWorkers: () => missingWorkers(query, applicationOf({ name: fleet })),
    hasFailed: async (rollout) => (await failedAmong(query, [rolloutId({ name: fleet }, rollout)])).length > 0,
    prune: (before) => prune(database, fleet, new Date(before)),
    close: () => database.close(),
  }
}

/**
 * Replaces NUL characters, which PostgreSQL cannot store: a NUL in a text of a platform, a person or a request must not stop all
 * other work.
 */
function withoutNul(database: Database): Database {
  const held = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(held)
    return typeof value === 'string' ? value.replaceAll('\0', '\u{fffd}') : value
  }
  const holding =
    (query: Query): Query =>
    (sql, values = []) =>
      query(sql, values.map(held))
  return {
    ...database,
    query: holding(database.query),
    transaction: (work) => database.transaction((query) => work(holding(query))),
  }
}

/** The largest value of an integer column. */
const largest = 2 ** 31 - 1

function callBook({ query }: Database, fleet: string): CallBook {
  return {
    take: async ({ key, day, perDay }, { least, most }) => {
      await query('insert into gatewright.fleet_calls values ($1, $2, $3, 0) on conflict do nothing', [fleet, key, day])
      // The second of two transactions waits for the first, and reads what that one has left.
      const [taken] = await query<{ calls: number }>(
        `with own as (select calls from gatewright.fleet_calls
                       where fleet = $1 and key = $2 and day = $3 for update)
         update gatewright.fleet_calls as book set calls = own.calls + least($5, $6 - own.calls) from own
          where fleet = $1 and key = $2 and day = $3 and own.calls + $4 <= $6
          returning least($5::integer, $6::integer - own.calls) as calls`,
        [fleet, key, day, least, most, Math.min(perDay, largest)],
      )
      return taken?.calls ?? 0
    },
    giveBack: async ({ key, day }, calls) => {
      await query(
        'update gatewright.fleet_calls set calls = greatest(calls - $4, 0) where fleet = $1 and key = $2 and day = $3',
        [fleet, key, day, calls],
      )
    },
  }
}

async function record(database: Database, fleet: string, result: AreaResult, about: ResultContext): Promise<void> {
  const { area, command, state } = result
  const { occasion, worker, html } = about
  const diagnostics = result.diagnostics.slice(0, keptDiagnostics).map(({ message }) => message.slice(0, keptWords))
  const editor = editorOf(result)
  await database.transaction(async (query) => {
    const written = await query(
      `insert into gatewright.fleet_results
         (fleet, area, occasion, command, state, started, seconds, requests, summary, changes, editor, diagnostics, worker)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict do nothing returning 1`,
      [
        ...[fleet, area, occasion, command, state, result.startedAt, result.seconds, result.requests],
        ...[JSON.stringify(result.summary), result.changes, editor ?? null, JSON.stringify(diagnostics), worker],
      ],
    )
    if (written.length === 0) return
    if (html !== undefined) {
      // For each command, only the last report is kept.
      await query(
        `delete from gatewright.fleet_reports as old using gatewright.fleet_results as made
          where old.fleet = $1 and old.area = $2 and made.fleet = $1 and made.area = $2
            and made.occasion = old.occasion and made.command = $3`,
        [fleet, area, command],
      )
      await query('insert into gatewright.fleet_reports values ($1, $2, $3, $4)', [
        ...[fleet, area, occasion, gzipSync(html)],
      ])
    }
    // A job that did not run says nothing about the area.
    if (state !== 'not-started') await setArea(query, fleet, result, { occasion, hasReport: html !== undefined })
  })
}

/**
 * Stores the state of an area after a job. The jobs of an area run one after another, so the last result is known without a
 * clock. A plan can have changes because of drift: the area then keeps the state drift (A438).
 */
async function setArea(
  query: Query,
  fleet: string,
  result: AreaResult,
  { occasion, hasReport }: { readonly occasion: string; readonly hasReport: boolean },
): Promise<void> {
  const { area, command, state, startedAt, changes } = result
  const isAnswered = state !== 'error' && state !== 'interrupted'
  await query('update gatewright.fleet_areas set waits = null where fleet = $1 and area = $2', [fleet, area])
  if (command === 'plan' && state === 'pending') {
    const drifted = await query(
      `update gatewright.fleet_areas set checked = $3, answered = $3
        where fleet = $1 and area = $2 and state in ('drift', 'conflict') returning 1`,
      [fleet, area, startedAt],
    )
    if (drifted.length > 0) return
  }
  await query(
    `insert into gatewright.fleet_areas as own
       (fleet, area, occasion, state, since, checked, answered, editor, changes, has_report)
     values ($1, $2, $3, $4, $5, $5, case when $6 then $5::timestamptz end, $7, $8, $9)
     on conflict (fleet, area) do update set
       occasion = excluded.occasion, state = excluded.state, checked = excluded.checked,
       since = case when own.state = excluded.state then own.since else excluded.since end,
       answered = coalesce(excluded.answered, own.answered),
       editor = excluded.editor, changes = excluded.changes, has_report = excluded.has_report`,
    [fleet, area, occasion, state, startedAt, isAnswered, editorOf(result) ?? null, changes, hasReport],
  )
}

const keptDiagnostics = 20
const keptWords = 1_000

/** Who last changed one of the objects that have drifted. */
function editorOf({ document }: AreaResult): string | undefined {
  if (!document || document.format === 'gatewright.run/1') return undefined
  const edited = document.changes.filter(({ editor, side }) => editor !== undefined && side !== 'manifest')
  return edited.sort((left, right) => ((left.updated ?? '') < (right.updated ?? '') ? 1 : -1))[0]?.editor
}

interface ResultRow extends Omit<JobDocument, 'started' | 'hasReport' | 'messages'> {
  readonly started: Date
  readonly diagnostics: readonly string[]
  readonly has_report: boolean
}

async function historyOf(
  { query }: Database,
  fleet: string,
  { area, limit }: { readonly area: string | undefined; readonly limit: number },
): Promise<readonly JobDocument[]> {
  const rows = await query<ResultRow>(
    `select results.area, results.occasion, command, state, started, seconds, requests, summary, editor, worker, diagnostics,
            html is not null as has_report
       from gatewright.fleet_results as results left join gatewright.fleet_reports using (fleet, area, occasion)
      where fleet = $1 and ($2::text is null or area = $2) order by written desc, area limit $3`,
    [fleet, area ?? null, Math.min(limit, largest)],
  )
  return rows.map(({ started, has_report: hasReport, diagnostics: messages, ...row }) => ({
    ...row,
    started: started.toISOString(),
    hasReport,
    messages,
  }))
}

/** The last state of an area is kept, however old it is. */
async function prune({ query }: Database, fleet: string, before: Date): Promise<void> {
  await query('delete from gatewright.fleet_rollouts where fleet = $1 and ended < $2', [fleet, before])
  await query(
    `delete from gatewright.fleet_results as old where fleet = $1 and written < $2
       and not exists (select 1 from gatewright.fleet_areas as own
                        where own.fleet = old.fleet and own.area = old.area and own.occasion = old.occasion)`,
    [fleet, before],
  )
  await query('delete from gatewright.fleet_calls where fleet = $1 and day < $2', [fleet, before])
}
