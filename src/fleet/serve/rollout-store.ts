import { gunzipSync, gzipSync } from 'node:zlib'
import type { AreaResult } from '../../documents/fleet.js'
import type { Decision, RolloutStatus } from '../../documents/fleet-status.js'
import { digest } from '../../json/digest.js'
import type { Database } from '../../stores/postgres/database.js'
import type { StopRule } from '../fleet.js'

/** The stored data of rollouts. */
export interface RolloutStore extends Rollouts, AreasOfRollouts {}

interface Rollouts {
  /**
   * Stores a new rollout with its areas and the user who started it. False if there is one with that name, which stays as it is.
   */
  readonly addRollout: (rollout: NewRollout) => Promise<boolean>
  /** The rollouts that have not ended and the last ones that have, newest first; or only the named one. */
  readonly rollouts: (rollout?: string) => Promise<readonly RolloutRow[]>
  readonly decisions: (rollout: string) => Promise<readonly DecisionRow[]>
  /** Stores the wave and the status of a rollout. */
  readonly setStatus: (rollout: string, status: StatusChange) => Promise<void>
  /** Stores a decision and its effect: paused, stopped. */
  readonly decide: (rollout: string, decision: NewDecision) => Promise<void>
}

interface AreasOfRollouts {
  readonly rolloutAreas: (rollout: string) => Promise<readonly RolloutAreaRow[]>
  /** Stores the result of the plan of an area. */
  readonly setPlan: (rollout: string, result: AreaResult, plan: string | undefined) => Promise<void>
  readonly savedPlan: (rollout: string, area: string) => Promise<string | undefined>
  /** Stores that the saved plan of an area will now be applied. Returns how often that has happened, and when it was first. */
  readonly beginArea: (rollout: string, area: string) => Promise<{ readonly attempts: number; readonly began: number }>
  /** Stores why no job could begin in an area. Its state does not change. */
  readonly setWaiting: (rollout: string, area: string, why: string) => Promise<void>
  readonly setArea: (rollout: string, area: string, state: string, why: string | null) => Promise<void>
}

interface NewRollout {
  readonly rollout: string
  readonly who: string
  readonly waves: readonly RolloutWave[]
  readonly stop: StopRule
}

/** One wave of a rollout, as it was when the rollout started. */
export interface RolloutWave {
  readonly areas: readonly string[]
  readonly bakeMs: number
  readonly approve: boolean
}

export interface RolloutRow {
  readonly rollout: string
  readonly started: Date
  readonly ended: Date | null
  readonly who: string
  readonly request: { readonly waves: readonly RolloutWave[]; readonly stop: StopRule }
  readonly status: RolloutStatus
  readonly wave: number
  readonly paused: boolean
  readonly stopped: boolean
  readonly why: string | null
}

export interface RolloutAreaRow {
  readonly area: string
  readonly wave: number
  readonly state: string
  readonly changes: string | null
  readonly plan_digest: string | null
  readonly summary: Readonly<Record<string, number>> | null
  readonly why: string | null
  /** When its saved plan was first about to be applied. */
  readonly began: Date | null
  /** Why no job can run in it today. */
  readonly waits: string | null
}

export interface DecisionRow {
  readonly at: Date
  readonly who: string
  readonly decision: Decision
  readonly wave: number | null
  readonly digest: string | null
}

interface StatusChange {
  readonly status: RolloutStatus
  readonly wave: number
  readonly why?: string
}

interface NewDecision {
  readonly who: string
  readonly decision: Decision
  /** Only for an approval: the wave, counted from 0, and the digest of its plans. */
  readonly wave?: number
  readonly digest?: string
}

export const rolloutStore = (database: Database, fleet: string): RolloutStore => ({
  ...rolloutsIn(database, fleet),
  ...areasIn(database, fleet),
})

const isOwn = 'fleet = $1 and rollout = $2'

function rolloutsIn({ query, transaction }: Database, fleet: string): Rollouts {
  return {
    addRollout: ({ rollout, who, waves, stop }) =>
      transaction(async (within) => {
        const added = await within(
          `insert into gatewright.fleet_rollouts (fleet, rollout, who, request, status)
           values ($1, $2, $3, $4, 'queued') on conflict do nothing returning 1`,
          [fleet, rollout, who, JSON.stringify({ waves, stop })],
        )
        if (added.length === 0) return false
        const areas = waves.flatMap((wave, index) => wave.areas.map((area) => ({ area, wave: index })))
        await within(
          `insert into gatewright.fleet_rollout_areas (fleet, rollout, area, wave, position, state)
           select $1, $2, area, wave, position, 'waiting'
             from unnest($3::text[], $4::integer[]) with ordinality as given (area, wave, position)`,
          [fleet, rollout, areas.map(({ area }) => area), areas.map(({ wave }) => wave)],
        )
        await within(
          "insert into gatewright.fleet_decisions (fleet, rollout, who, decision) values ($1, $2, $3, 'start')",
          [fleet, rollout, who],
        )
        return true
      }),
    rollouts: (rollout) =>
      query<RolloutRow>(
        `select * from (select * from gatewright.fleet_rollouts where fleet = $1 and ($2::text is null or rollout = $2)
                         order by ended is null desc, started desc limit 50) as found order by started desc, rollout`,
        [fleet, rollout ?? null],
      ),
    decisions: (rollout) =>
      query<DecisionRow>(
        `select at, who, decision, wave, digest from gatewright.fleet_decisions where ${isOwn} order by id`,
        [fleet, rollout],
      ),
    setStatus: async (rollout, { status, wave, why }) => {
      const ended = status === 'done' || status === 'stopped'
      await query(
        `update gatewright.fleet_rollouts
            set status = $3, wave = $4, why = coalesce($5, why), ended = case when $6 then coalesce(ended, now()) end
          where ${isOwn}`,
        [fleet, rollout, status, wave, why ?? null, ended],
      )
      // The rollout does not continue with these areas.
      if (ended) {
        await query(
          `update gatewright.fleet_areas as own set waits = null from gatewright.fleet_rollout_areas as part
            where own.fleet = $1 and part.fleet = $1 and part.rollout = $2 and part.area = own.area and part.waits is not null`,
          [fleet, rollout],
        )
      }
    },
    decide: (rollout, { who, decision, wave, digest: approved }) =>
      transaction(async (within) => {
        await within(
          `insert into gatewright.fleet_decisions (fleet, rollout, who, decision, wave, digest)
           values ($1, $2, $3, $4, $5, $6)`,
          [fleet, rollout, who, decision, wave ?? null, approved ?? null],
        )
        await within(
          `update gatewright.fleet_rollouts
              set paused = case $3 when 'pause' then true when 'resume' then false else paused end,
                  stopped = stopped or $3 = 'stop'
            where ${isOwn}`,
          [fleet, rollout, decision],
        )
      }),
  }
}

function areasIn({ query }: Database, fleet: string): AreasOfRollouts {
  return {
    rolloutAreas: (rollout) =>
      query<RolloutAreaRow>(
        `select area, wave, state, changes, plan_digest, summary, why, began, waits
           from gatewright.fleet_rollout_areas where ${isOwn} order by position`,
        [fleet, rollout],
      ),
    setPlan: async (rollout, { area, state, changes, summary, diagnostics }, plan) => {
      await query(
        `update gatewright.fleet_rollout_areas
            set state = $4, changes = $5, summary = $6, plan = $7, plan_digest = $8, why = $9, waits = null
          where ${isOwn} and area = $3`,
        [
          ...[fleet, rollout, area, plan === undefined && state === 'pending' ? 'error' : state, changes],
          ...[JSON.stringify(summary), plan === undefined ? null : gzipSync(plan)],
          ...[plan === undefined ? null : digest(plan), diagnostics[0]?.message ?? null],
        ],
      )
    },
    savedPlan: async (rollout, area) => {
      const [row] = await query<{ plan: Buffer | null }>(
        `select plan from gatewright.fleet_rollout_areas where ${isOwn} and area = $3`,
        [fleet, rollout, area],
      )
      return row?.plan ? gunzipSync(row.plan).toString() : undefined
    },
    beginArea: async (rollout, area) => {
      const [row] = await query<{ attempts: number; began: Date }>(
        `update gatewright.fleet_rollout_areas
            set attempts = attempts + 1, began = coalesce(began, now()), state = 'applying', waits = null
          where ${isOwn} and area = $3 returning attempts, began`,
        [fleet, rollout, area],
      )
      return { attempts: row?.attempts ?? 1, began: row?.began.getTime() ?? 0 }
    },
    setWaiting: async (rollout, area, why) => {
      await query(`update gatewright.fleet_rollout_areas set waits = $4 where ${isOwn} and area = $3`, [
        ...[fleet, rollout, area, why],
      ])
    },
    setArea: async (rollout, area, state, why) => {
      await query(
        `update gatewright.fleet_rollout_areas set state = $4, why = $5, waits = null where ${isOwn} and area = $3`,
        [fleet, rollout, area, state, why],
      )
    },
  }
}
