import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isWritable, ownFields } from '../../../src/catalog/queries.js'
import type { KindName } from '../../../src/catalog/types.js'
import { variablesOf } from '../../kit/exports.js'
import { type Rest, restOf } from '../../kit/rest.js'
import { environment, type Make, type Run, type World } from '../../kit/world.js'
import type { Chance } from './chance.js'
import type { Commit } from './commits.js'
import type { Item } from './items.js'
import type { LiveObject } from './live.js'
import type { WrittenProject } from './written.js'

/** Actions of people between two commits, with an area in the state of git, and their required results. */
export interface Between {
  readonly world: World
  readonly make: Make
  readonly commit: Commit
  /** The commit before it, if there is one. */
  readonly before: WrittenProject | undefined
  readonly chance: Chance
  /** The live object of each item. */
  readonly live: ReadonlyMap<Item, LiveObject>
  /** Options that let an apply do whatever is needed. */
  readonly allowed: readonly string[]
}

/** The action, whether objects may have other ids after it, and wrong results. */
export interface Done {
  readonly what: string
  readonly mayRemake: boolean
  readonly findings: readonly string[]
}

type Step = (there: Between) => Promise<readonly string[]>

const steps: readonly (readonly [what: string, step: Step, mayRemake?: 'may remake'])[] = [
  ['export', exportAgain],
  ['render', renderInstead],
  ['snapshot', compareSnapshot],
  ['resume', resume],
  ['edits by hand, drift --write', takeOver],
  ['edits by hand, apply', overwrite],
  ['edits by hand, drift --accept', accept],
  ['a rename by hand, drift --write', takeNameOver],
  ['a delete by hand, apply', makeAgain, 'may remake'],
  ['rollback', rollBack, 'may remake'],
  ['rollback, apply of the commit before', goBack, 'may remake'],
]

/** Does one of these actions; afterwards, an apply of the commit must restore everything. */
export async function doBetween(there: Between): Promise<Done> {
  const [what, step, mayRemake] = there.chance.pick(steps) ?? ['resume', resume]
  const findings = await step(there)
  return { what, mayRemake: mayRemake !== undefined, findings: findings.map((each) => `${what}: ${each}`) }
}

const variables = ({ commit, before }: Between) => ({ ...environment, ...before?.env, ...commit.written.env })

const running =
  (there: Between, env = variables(there)) =>
  (...args: readonly string[]): Promise<Run> =>
    there.world.run(args, { env })

const applying = (there: Between, ...more: readonly string[]): Promise<Run> =>
  running(there)('apply', '--yes', '-o', 'json', ...more, ...there.allowed)

/** Empty if a command ended with one of these exit codes. */
const endedWith = (what: string, run: Run, ...codes: readonly number[]): readonly string[] =>
  codes.includes(run.exitCode) ? [] : [`${what} ended with ${run.exitCode}: ${run.stdout} ${run.stderr}`]

async function emptyPlan(what: string, run: Promise<Run>): Promise<readonly string[]> {
  const { stdout, stderr, json } = await run
  return json().changes?.length === 0 ? [] : [`the plan ${what} is not empty: ${stdout} ${stderr}`]
}

/** Reports writes to the platform in the meantime. */
async function withoutWrites(make: Make, use: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const since = make.log.length
  const findings = await use()
  const writes = make.log.slice(since).filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'))
  return [...findings, ...writes.map(({ method, path }) => `${method} ${path} was sent`)]
}

function replaceManifests({ world }: Between, files: WrittenProject['files']): void {
  rmSync(join(world.dir, 'manifests'), { recursive: true, force: true })
  for (const [file, text] of Object.entries(files)) world.write(file, text)
}

function exportAgain(there: Between): Promise<readonly string[]> {
  return withoutWrites(there.make, async () => {
    const run = running(there, { ...variables(there), ...(await variablesOf(there.make)) })
    const first = await run('export', '--dir', 'manifests', '-o', 'json')
    const planned = await emptyPlan('after an export', run('plan', '-o', 'json'))
    const again = await run('export', '--dir', 'manifests', '-o', 'json')
    const isSame = again.stdout.includes('"files": []')
    return [
      ...endedWith('export', first, 0),
      ...planned,
      ...endedWith('another export', again, 0),
      ...(isSame ? [] : [`another export wrote ${again.stdout}`]),
    ]
  })
}

function renderInstead(there: Between): Promise<readonly string[]> {
  return withoutWrites(there.make, async () => {
    const run = running(there)
    const rendered = await run('render')
    replaceManifests(there, { 'manifests/all.yaml': rendered.stdout })
    const planned = await emptyPlan('of what was rendered', run('plan', '-o', 'json'))
    return [...endedWith('render', rendered, 0), ...planned]
  })
}

function compareSnapshot(there: Between): Promise<readonly string[]> {
  return withoutWrites(there.make, async () => {
    const run = running(there)
    const taken = await run('snapshot', '--out', 'area.json')
    const planned = await emptyPlan('against a snapshot', run('plan', '--snapshot', 'area.json', '-o', 'json'))
    const findings = [
      ...endedWith('snapshot', taken, 0),
      ...planned,
      ...endedWith('drift of a snapshot', await run('drift', '--snapshot', 'area.json'), 0),
      ...endedWith('diff of a snapshot and the area', await run('diff', 'area.json', 'live'), 0),
    ]
    rmSync(join(there.world.dir, 'area.json'), { force: true })
    return findings
  })
}

function resume(there: Between): Promise<readonly string[]> {
  return withoutWrites(there.make, async () => {
    const run = await applying(there, '--resume')
    // A commit that changes nothing has no run.
    return run.stdout.includes('"other-manifests"') ? [] : endedWith('apply --resume', run, 0)
  })
}

async function takeOver(there: Between): Promise<readonly string[]> {
  await editByHand(there)
  const run = running(there)
  const findings = await withoutWrites(there.make, async () => [
    ...endedWith('drift --write', await run('drift', '--write'), 0, 2),
    ...(await emptyPlan('after drift --write', run('plan', '-o', 'json'))),
  ])
  return [...findings, ...endedWith('apply after drift --write', await applying(there), 0)]
}

async function overwrite(there: Between): Promise<readonly string[]> {
  await editByHand(there)
  return endedWith('apply', await applying(there), 0)
}

async function accept(there: Between): Promise<readonly string[]> {
  if (!(await editByHand(there))) return []
  const run = running(there)
  const file = ['--accepted', 'accepted.yaml']
  const why = ['--reason', 'a night', '--owner', 'somebody', '--expires', '2027-01-31']
  await run('drift', '--accept', 'accepted.yaml', ...why)
  const findings = await withoutWrites(there.make, async () => [
    ...endedWith('drift after drift --accept', await run('drift', ...file), 0),
    ...endedWith('apply beside accepted drift', await applying(there, ...file), 0),
  ])
  rmSync(join(there.world.dir, 'accepted.yaml'), { force: true })
  return findings
}

async function takeNameOver(there: Between): Promise<readonly string[]> {
  const chosen = there.chance.pick([...there.live].filter(([{ kind }]) => mayBeRenamed.has(kind.name)))
  if (!chosen) return []
  const [{ name }, { id }] = chosen
  const rest = await restOf(there.make)
  const path = pathOf(chosen[1])
  await rest.put(path, { id, name: 'by hand' })
  const run = running(there)
  const findings = [
    ...endedWith('drift', await run('drift'), 2),
    ...endedWith('drift --write', await run('drift', '--write'), 0, 2),
    ...(await emptyPlan(`after drift --write of ${path}`, run('plan', '-o', 'json'))),
  ]
  // No commit would know it with that name.
  await rest.put(path, { id, name })
  return findings
}

async function makeAgain(there: Between): Promise<readonly string[]> {
  const chosen = there.chance.pick([...there.live].filter(([{ kind }]) => collections.has(kind.name)))
  if (!chosen) return []
  const path = pathOf(chosen[1])
  const isGone = await (await restOf(there.make)).remove(path).then(
    () => true,
    () => false,
  )
  return isGone ? endedWith(`apply after DELETE ${path}`, await applying(there), 0) : []
}

async function rollBack(there: Between): Promise<readonly string[]> {
  return endedWith('rollback', await running(there)('rollback', 'latest', '--yes', ...there.allowed), 0)
}

async function goBack(there: Between): Promise<readonly string[]> {
  const { before } = there
  if (!before) return []
  const findings = await rollBack(there)
  replaceManifests(there, before.files)
  return [...findings, ...endedWith('apply of the commit before', await applying(there), 0)]
}

/** Somebody edits some texts that git has; returns whether there were any. */
async function editByHand({ make, chance, live }: Between): Promise<boolean> {
  const rest: Rest = await restOf(make)
  const places = [...live].flatMap(([{ kind, fields }, object]) =>
    ownFields(kind)
      .filter((field) => isWritable(field) && field.type.is === 'string' && editable.has(field.name))
      .filter(({ name }) => collections.has(kind.name) && fields.has(name))
      .map(({ name }) => ({ object, name })),
  )
  for (let count = 1 + chance.below(3); count > 0; count -= 1) {
    const place = chance.pick(places)
    if (!place) return false
    const { object, name } = place
    await rest.put(pathOf(object), { id: object.id, [name]: `by hand ${chance.below(1000)}` })
  }
  return true
}

const editable: ReadonlySet<string> = new Set([
  ...['description', 'notes', 'version', 'sampleXmlResponse', 'sampleJsonResponse', 'jsonpCallbackParameter'],
])

const mayBeRenamed: ReadonlySet<KindName> = new Set([
  ...(['Service', 'Endpoint', 'Method', 'Package', 'Plan', 'Role', 'Application'] as const),
])

/** The paths of the kinds that are changed by hand; applications and keys have their own path. */
const collections: ReadonlyMap<KindName, { readonly segment: string; readonly isApart?: true }> = new Map([
  ['Service', { segment: 'services' }],
  ['Endpoint', { segment: 'endpoints' }],
  ['Method', { segment: 'methods' }],
  ['ErrorSet', { segment: 'errorSets' }],
  ['Package', { segment: 'packages' }],
  ['Plan', { segment: 'plans' }],
  ['Role', { segment: 'roles' }],
  ['Member', { segment: 'members' }],
  ['ScheduledMaintenanceEvent', { segment: 'scheduledMaintenanceEvents' }],
  ['Application', { segment: 'applications', isApart: true }],
  ['PackageKey', { segment: 'packageKeys', isApart: true }],
])

function pathOf({ kind, id, parent }: LiveObject): string {
  const collection = collections.get(kind.name)
  const above = parent && !collection?.isApart ? pathOf(parent) : ''
  return `${above}/${collection?.segment}/${id}`
}
