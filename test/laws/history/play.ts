import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type DisturbedMake,
  disturbed,
  inherit,
  type Misfortune,
  noTrouble,
  type Trouble,
} from '../../kit/disturbed.js'
import { environment, type Make, type Run, testClock, type World, worldIn } from '../../kit/world.js'
import { type Done, doBetween } from './between.js'
import { type Chance, chanceOf, seedOf } from './chance.js'
import { type Commit, type HistoryOptions, historyOf } from './commits.js'
import { allItems, type Item, shown } from './items.js'
import { type LiveObject, liveArea } from './live.js'
import { brokenRules, recording, type SentWrite } from './requests.js'
import { judge } from './verdict.js'
import type { WrittenProject } from './written.js'

/** The result of one history on one make; it is correct if there are no findings. */
export interface Played {
  readonly findings: readonly string[]
  readonly commits: number
  readonly applies: number
  readonly writes: number
  readonly misfortunes: readonly string[]
}

export interface PlayOptions extends HistoryOptions {
  /** Whether the connection to the make is good, or the program is killed, answers are lost, and lists lag. */
  readonly weather: 'calm' | 'rough'
  /** Other actions: none, or one random action after each commit, such as a rollback, an export, an edit by hand. */
  readonly between: 'nothing' | 'something'
}

export type Clock = ReturnType<typeof testClock>

/** A make, and how waiting domains are approved on it, if they are. */
export type PlayedMake = Make & { readonly approveDomains?: () => void }

const hazards = ['KEY_LOSS', 'TRAFFIC_STOP', 'AUTH_WEAKENED', 'LIMIT_LOWERED', 'ID_CHANGE', 'IRREVERSIBLE']
/** The options that an apply of a history may need. */
export const allowed = ['--allow-replace', ...hazards.flatMap((hazard) => ['--allow', hazard])]

/** One running history. */
interface Scene {
  readonly seed: number
  readonly options: PlayOptions
  readonly clock: Clock
  /** The make itself, which tests read. */
  readonly make: PlayedMake
  /** The make as the program sees it. */
  readonly reached: DisturbedMake
  readonly writes: readonly SentWrite[]
  readonly root: string
  dir: string
  before: WrittenProject | undefined
  applies: number
  readonly misfortunes: string[]
  /** The earlier live object of each item. */
  readonly ids: Map<Item, string>
}

/** Applies the commits of a seed to a make, and checks every law after each; ends at the first violation. */
export async function play(
  seed: number,
  makeWith: (clock: Clock) => PlayedMake,
  options: PlayOptions,
): Promise<Played> {
  const root = mkdtempSync(join(tmpdir(), 'gatewright-history-'))
  const clock = testClock()
  const make = makeWith(clock)
  const recorded = recording(make)
  const reached = disturbed(recorded.make, clock)
  const scene: Scene = {
    ...{ seed, options, clock, make, reached, writes: recorded.writes, root, dir: join(root, '0'), before: undefined },
    ...{ applies: 0, misfortunes: [], ids: new Map() },
  }
  let commits = 0
  let findings: readonly string[] = []
  try {
    for (const commit of historyOf(seed, options)) {
      findings = await committed(scene, commit)
      commits += 1
      if (findings.length > 0) break
    }
    const { applies, misfortunes, writes } = scene
    return { findings, commits, applies, writes: writes.length, misfortunes }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

async function committed(scene: Scene, commit: Commit): Promise<readonly string[]> {
  const troubles = scene.misfortunes.length
  const first = await applied(scene, commit)
  const findings = first.length > 0 || scene.options.between === 'nothing' ? first : await meanwhile(scene, commit)
  scene.before = commit.written
  if (findings.length === 0) return []
  const met = scene.misfortunes.slice(troubles)
  return [
    `commit ${commit.number}: ${commit.edits.join('; ')}${met.length > 0 ? ` | ${met.join('; ')}` : ''}`,
    ...findings,
  ]
}

/** The folder of the project at the commit. */
function checkedOut(scene: Scene, { written }: Commit, signal?: AbortSignal): World {
  const { clock, dir, reached } = scene
  const env = { ...environment, ...written.env }
  mkdirSync(dir, { recursive: true })
  const world = worldIn(dir, reached, { ...clock, sleep: reached.sleep, env, ...(signal && { signal }) })
  rmSync(join(dir, 'manifests'), { recursive: true, force: true })
  for (const [file, text] of Object.entries(written.files)) world.write(file, text)
  return world
}

async function applied(scene: Scene, commit: Commit): Promise<readonly string[]> {
  const { reached } = scene
  reached.meet(noTrouble, () => undefined)
  const world = checkedOut(scene, commit)
  const { plan, findings: before } = await truthBefore(world, commit.number, scene)
  if (before.length > 0) return before
  const since = scene.writes.length
  const run =
    scene.options.weather === 'calm' ? await applyCalmly(scene, world, plan) : await applyRoughly(scene, commit)
  if (run.length > 0) return run
  return [...brokenRules(scene.writes.slice(since)), ...(await truthAfter(scene, commit))]
}

/** The area matches git, and there is nothing to do. */
async function truthAfter(scene: Scene, commit: Commit): Promise<readonly string[]> {
  const { make, ids } = scene
  const { project } = commit
  const { live, findings: all } = judge(project, await liveArea(make))
  const wrong = all.filter((each) => !(isForgotten(scene) && /ErrorSet "Default" .* is live, and nobody/.test(each)))
  const findings = [...wrong, ...otherIds(allItems(project), live, ids)]
  const after = checkedOut(scene, commit)
  const again = await after.plan()
  findings.push(...errorsOf('second plan', again))
  if ((again.changes ?? []).length > 0) findings.push(`second plan: ${JSON.stringify(again.changes)}`)
  const settled = await after.drift()
  findings.push(...driftOf('drift after apply', settled, scene))
  return findings
}

/** Something else is done, and an apply of the commit restores everything. */
async function meanwhile(scene: Scene, commit: Commit): Promise<readonly string[]> {
  const { make, seed, before, ids, misfortunes } = scene
  const chance = chanceOf(seedOf(seed, commit.number, 77))
  const { live } = judge(commit.project, await liveArea(make))
  const done =
    scene.options.weather === 'rough' && chance.percent(30)
      ? await rollBackRoughly(scene, commit, chance)
      : await doBetween({ world: checkedOut(scene, commit), make, commit, before, chance, live, allowed })
  misfortunes.push(`then ${done.what}`)
  if (done.findings.length > 0) return done.findings
  if (done.mayRemake) ids.clear()
  const back = await checkedOut(scene, commit).apply(...allowed)
  return back.exitCode === 0 ? truthAfter(scene, commit) : [unfinished(back)]
}

/** Only git has changed something: there is no drift, no conflict, and nothing that is blocked. */
async function truthBefore(
  world: World,
  number: number,
  scene: Scene,
): Promise<{ readonly plan: Answer; readonly findings: readonly string[] }> {
  const drift = await world.drift()
  const plan = await world.plan(...allowed)
  const drifted = number > 0 ? driftOf('drift before apply', drift, scene) : []
  if (drifted.length > 0) return { plan, findings: drifted }
  const errors = errorsOf('plan', plan)
  if (errors.length > 0) return { plan, findings: errors }
  const findings = plan.changes.flatMap((change) => [
    ...(change.action === 'blocked' ? [`blocked: ${change.address}: ${change.reason}`] : []),
    ...change.fields.flatMap(({ path, verdict }) =>
      number > 0 && verdict !== 'pending' ? [`plan says ${verdict} of ${change.address} ${path}`] : [],
    ),
  ])
  return { plan, findings }
}

const errorsOf = (when: string, { diagnostics }: Answer): readonly string[] =>
  (diagnostics ?? [])
    .filter(({ severity }) => severity === 'error')
    .map(({ message, code }) => `${when}: ${code}: ${message}`)

const unfinished = (run: Run): string => {
  const { diagnostics, changes } = run.json()
  const open = (changes ?? []).filter(({ outcome }) => outcome !== 'applied')
  return `apply ended with ${run.exitCode}: ${JSON.stringify(diagnostics ?? [])} ${JSON.stringify(open)}`
}

const listOf = (changes: Answer['changes']): string =>
  changes
    .map((change) => `${change.action} ${change.address}`)
    .sort()
    .join(', ')

type Answer = ReturnType<Run['json']>

/** One apply that does the changes of its plan, without a refusal. */
async function applyCalmly(scene: Scene, world: World, plan: Answer): Promise<readonly string[]> {
  const since = scene.writes.length
  let run = await world.apply(...allowed)
  scene.applies += 1
  const { changes } = run.json()
  if (run.exitCode === 3 && changes.some(({ outcome }) => outcome === 'waiting')) {
    scene.make.approveDomains?.()
    run = await world.apply(...allowed)
    scene.applies += 1
  }
  if (run.exitCode !== 0) return [unfinished(run)]
  const [planned, performed] = [listOf(plan.changes), listOf(changes)]
  return [
    ...(planned === performed ? [] : [`planned ${planned}; performed ${performed}`]),
    ...scene.writes.slice(since).flatMap((write) => (isRefused(write) ? [`refused: ${JSON.stringify(write)}`] : [])),
  ]
}

/**
 * Endpoints that wait for the approval of a domain are refused, which is correct. Only a write shows that an automatic error
 * set lacks a message.
 */
const isRefused = ({ method, path, status, refusal }: SentWrite): boolean =>
  status >= 400 && !refusal.includes('approved') && !(method === 'PUT' && /\/errorMessages\/\w+$/.test(path))

/** More applies than any fault can need: each run has its own faults, and the last ones have none. */
const patience = 8

async function applyRoughly(scene: Scene, commit: Commit): Promise<readonly string[]> {
  const { clock, reached, seed, misfortunes } = scene
  // A list with deleted objects may block objects that depend on them: this is refused, and done by a later run.
  let wasBehind = false
  for (let tries = 1; ; tries += 1) {
    const chance = chanceOf(seedOf(seed, commit.number, tries, 4711))
    const trouble = tries <= 3 ? drawnTrouble(chance) : noTrouble
    misfortunes.push(...toldOf(trouble, tries))
    const stop = new AbortController()
    reached.meet(trouble, () => stop.abort())
    const world = checkedOut(scene, commit, stop.signal)
    const run = await untilDead(scene, world.apply(...allowed))
    if (run?.exitCode === 0) break
    scene.make.approveDomains?.()
    const isBehind = wasBehind || trouble.lagMs > 0
    wasBehind = trouble.lagMs > 0
    // A late write may be carried out while a run reads: then its change is done already.
    const fits = [1, 3, 4, 130].includes(run?.exitCode ?? 3) || (isBehind && run?.exitCode === 5)
    if (run && (!fits || tries === patience)) return [unfinished(run)]
    // The next job starts at once, or after a while.
    if (chance.percent(50)) await clock.sleep(90_000)
  }
  reached.meet(noTrouble, () => undefined)
  await clock.sleep(600_000)
  await reached.settle()
  return []
}

/** A rollback has faults, and another rollback of the same run completes it. */
async function rollBackRoughly(scene: Scene, commit: Commit, chance: Chance): Promise<Done> {
  const { clock, reached, before } = scene
  const trouble = drawnTrouble(chance)
  const what = ['a rollback, twice', ...toldOf(trouble, 1)].join('; ')
  const env = { ...environment, ...before?.env, ...commit.written.env }
  const history = await checkedOut(scene, commit).run(['history', '-o', 'json'])
  const run = /"run": "([^"]+)"/.exec(history.stdout)?.[1] ?? 'latest'
  const stop = new AbortController()
  const rollBack = (world: World) => world.run(['rollback', run, '--yes', ...allowed], { env })
  reached.meet(trouble, () => stop.abort())
  await untilDead(scene, rollBack(checkedOut(scene, commit, stop.signal)))
  reached.meet(noTrouble, () => undefined)
  await clock.sleep(600_000)
  await reached.settle()
  const { exitCode, stdout, stderr } = await rollBack(checkedOut(scene, commit))
  const findings = exitCode === 0 ? [] : [`rollback again: ended with ${exitCode}: ${stdout} ${stderr}`]
  return { what, mayRemake: true, findings }
}

/** The result of a command; undefined if it was killed: then the next one continues with its folder. */
async function untilDead(scene: Scene, running: Promise<Run>): Promise<Run | undefined> {
  const run = await Promise.race([running, scene.reached.killed().then(() => undefined)])
  scene.applies += 1
  if (run !== undefined) return run
  await leaveTheDead(scene)
  scene.reached.bury()
  await running
  return undefined
}

const toldOf = ({ misfortunes, lagMs }: Trouble, tries: number): readonly string[] => [
  ...(lagMs > 0 ? [`apply ${tries}: lists ${lagMs} ms behind`] : []),
  ...[...misfortunes].map(([write, each]) => `apply ${tries}: write ${write} ${Object.values(each).join(' ')}`),
]

function drawnTrouble(chance: Chance): Trouble {
  const misfortunes = new Map<number, Misfortune>()
  const count = chance.below(3)
  for (let index = 0; index < count; index += 1) misfortunes.set(1 + chance.below(8), drawnMisfortune(chance))
  return { misfortunes, lagMs: chance.percent(25) ? 500 + chance.below(2500) : 0 }
}

function drawnMisfortune(chance: Chance): Misfortune {
  switch (chance.below(6)) {
    case 0:
      return { is: 'killed', when: 'before' }
    case 1:
      return { is: 'killed', when: 'after' }
    case 2:
      return { is: 'interrupted' }
    case 3:
      return { is: 'lost' }
    case 4:
      return {
        is: 'failed',
        status: chance.pick([500, 502, 504]) ?? 500,
        body: chance.pick(['json', 'other json', 'html'] as const) ?? 'html',
      }
    default:
      return { is: 'late', milliseconds: 200 + chance.below(20_000) }
  }
}

/** The next run works in a copy of the folder that the killed one has left. */
async function leaveTheDead(scene: Scene): Promise<void> {
  const next = join(scene.root, String(scene.applies))
  await inherit(scene.dir, next)
  scene.dir = next
}

/**
 * Whether the automatic children of a service may be forgotten: after the rollback of a run that has taken over an object that
 * an interrupted run was about to create (A423).
 */
const isForgotten = ({ misfortunes }: Scene): boolean =>
  misfortunes.some((each) => each.startsWith('apply')) &&
  misfortunes.some((each) => each.startsWith('then a rollback') || each.startsWith('then rollback'))

/** The report of a drift, without pending changes; empty if there is none. */
function driftOf(when: string, run: Run, scene: Scene): readonly string[] {
  if (run.exitCode === 0) return []
  const { changes, unmanaged, diagnostics } = run.json()
  const isKnown = (address: string) => isForgotten(scene) && address.endsWith('/ErrorSet/Default')
  const extra = (unmanaged ?? []).filter(({ inList }) => inList)
  const isAllKnown = extra.length > 0 && extra.every(({ address }) => isKnown(address))
  const isPending = (changes ?? []).every(({ side }) => side === 'manifest')
  if (run.exitCode === 2 && isAllKnown && isPending) return []
  return [
    `${when}: exit ${run.exitCode} ${JSON.stringify(diagnostics ?? [])}`,
    ...(changes ?? []).map((change) => {
      const fields = change.fields.filter(({ verdict }) => verdict !== 'pending')
      return `${when}: ${change.action} ${change.address} ${change.side ?? ''} ${JSON.stringify(fields)}`
    }),
    ...extra.map(({ address }) => `${when}: ${address} is in no list`),
  ]
}

/** An object stays the same object, by its id, whatever its name is, until it moves. */
function otherIds(
  items: readonly Item[],
  live: ReadonlyMap<Item, LiveObject>,
  ids: Map<Item, string>,
): readonly string[] {
  const findings: string[] = []
  for (const item of items) {
    const object = live.get(item)
    if (!object) continue
    const id = `${item.moves} ${object.id}`
    const before = ids.get(item)
    ids.set(item, id)
    if (before === undefined || before === id || !before.startsWith(`${item.moves} `)) continue
    findings.push(`${shown(item)} was ${before}, and is ${id}`)
  }
  return findings
}
