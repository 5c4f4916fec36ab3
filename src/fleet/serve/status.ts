import type {
  AreaStatus,
  FleetHistoryDocument,
  FleetStatusDocument,
  RolloutDocument,
  WaveDocument,
} from '../../documents/fleet-status.js'
import { countsOf, groupBy } from '../../json/groups.js'
import { rolloutBroken } from '../../problems/serve.js'
import type { Fleet } from '../fleet.js'
import { approvalsOf, failures, isApproved, waveDigest } from './rollout-areas.js'
import type { RolloutAreaRow, RolloutRow } from './rollout-store.js'
import type { FleetStore } from './store.js'

/** The states of the areas in the fleet file, and the rollouts. */
export async function fleetStatus(
  fleet: Pick<Fleet, 'name' | 'areas'>,
  store: FleetStore,
  now: number,
  fault: string | null = null,
): Promise<FleetStatusDocument> {
  const rows = new Map((await store.areas()).map((row) => [row.area, row]))
  const areas = fleet.areas.map((area): AreaStatus => {
    const row = rows.get(area.name)
    return {
      name: area.name,
      project: area.project,
      environment: area.environment ?? null,
      labels: area.labels,
      key: area.key ?? null,
      state: row?.state ?? null,
      since: row?.since.toISOString() ?? null,
      checked: row?.checked.toISOString() ?? null,
      answered: row?.answered?.toISOString() ?? null,
      editor: row?.editor ?? null,
      report: row?.has_report ? row.occasion : null,
      waits: row?.waits ?? null,
      messages: row?.messages ?? [],
    }
  })
  const rollouts: RolloutDocument[] = []
  for (const [index, row] of (await store.rollouts()).entries()) {
    if (row.ended === null || index < displayedRollouts) rollouts.push(await rolloutOf(row, store))
  }
  return {
    format: 'gatewright.fleet-status/1',
    fleet: fleet.name,
    at: new Date(now).toISOString(),
    fault,
    states: sortedCounts(areas.map(({ state }) => state ?? 'unknown')),
    areas,
    rollouts,
  }
}

/** The number of newest rollouts among which the ended ones are shown. */
const displayedRollouts = 10

export async function fleetHistory(
  { name }: Pick<Fleet, 'name'>,
  store: FleetStore,
  requested: { readonly area?: string; readonly limit: number },
): Promise<FleetHistoryDocument> {
  return { format: 'gatewright.fleet-history/1', fleet: name, jobs: await store.history(requested) }
}

/** One rollout; undefined if none has that name. */
export async function rolloutStatus(store: FleetStore, rollout: string): Promise<RolloutDocument | undefined> {
  const [row] = await store.rollouts(rollout)
  return row && (await rolloutOf(row, store))
}

async function rolloutOf(row: RolloutRow, store: FleetStore): Promise<RolloutDocument> {
  const areas = await store.rolloutAreas(row.rollout)
  const decisions = await store.decisions(row.rollout)
  const isFailed = row.ended === null && (await store.hasFailed(row.rollout))
  const approvals = approvalsOf(row.request.waves, areas)
  // After an approval, a user may read this before a worker has updated the row.
  const waits = row.status === 'waiting' && !row.stopped && !isFailed && !isApproved(row.wave, areas, decisions)
  const awaits = waits ? { wave: row.wave + 1, digest: waveDigest(row.wave, areas) } : null
  return {
    rollout: row.rollout,
    who: row.who,
    started: row.started.toISOString(),
    ended: row.ended?.toISOString() ?? null,
    status: isFailed ? 'failed' : statusOf(row),
    why: isFailed ? rolloutBroken(row.rollout).message : row.why,
    waves: row.request.waves.map((wave, index): WaveDocument => {
      const own = areas.filter((each) => each.wave === index)
      return {
        wave: index + 1,
        approve: approvals[index] ?? false,
        bakeSeconds: wave.bakeMs / 1000,
        areas: wave.areas,
        states: sortedCounts(own.map(({ state }) => state)),
      }
    }),
    same: sameOf(areas),
    dropped: areas
      .filter(({ state }) => droppedStates.has(state) || (row.ended !== null && state === 'applying'))
      .map(({ area, state, why, waits }) => ({ area, state, why: waits ?? why })),
    waiting: areas.flatMap(({ area, waits }) => (row.ended !== null || waits === null ? [] : [{ area, why: waits }])),
    notBegun:
      row.status === 'stopped'
        ? areas.filter(({ state }) => state === 'pending' || state === 'waiting').map(({ area }) => area)
        : [],
    awaits,
    decisions: decisions.map(({ at, who, decision, wave, digest }) => ({
      ...{ at: at.toISOString(), who, decision, digest },
      wave: wave === null ? null : wave + 1,
    })),
  }
}

const statusOf = ({ status, paused, ended }: RolloutRow) => (paused && ended === null ? 'paused' : status)

/** The states that need attention: these areas did not get the planned changes. */
const droppedStates: ReadonlySet<string> = new Set(['stale', ...failures])

const sameOf = (areas: readonly RolloutAreaRow[]): RolloutDocument['same'] =>
  [...groupBy(areas, ({ changes }) => changes ?? '')]
    .flatMap(([digest, own]) =>
      digest === '' ? [] : [{ digest, areas: own.map(({ area }) => area), summary: own[0]?.summary ?? {} }],
    )
    .sort((left, right) => right.areas.length - left.areas.length)

const sortedCounts = (words: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(countsOf([...words].sort()))
