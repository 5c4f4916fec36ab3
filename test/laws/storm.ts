import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { kinds } from '../../src/catalog/queries.js'
import type { Json } from '../../src/json/json.js'
import { isObject } from '../../src/json/json.js'
import { createPlatform, type Platform } from '../../src/platform/server.js'
import type { PlatformSettings } from '../../src/platform/settings.js'
import { environment, type Run, testClock, type World, worldIn } from '../kit/world.js'
import { areas, type DrawnArea, manifestsOf } from './area.js'

/** The findings of one seed; it is correct if there are none. */
export interface Storm {
  readonly seed: number
  readonly faults: readonly string[]
  /** The number of applies until nothing was left to do. */
  readonly applies: number
  readonly findings: readonly string[]
}

/** More applies than any of these faults can need: each happens only once. */
const patience = 20

/**
 * A random area with random faults, both from the seed: after repeated applies it must have the same state as without faults,
 * with nothing created twice, and no secret displayed on the way.
 */
export async function storm(seed: number): Promise<Storm> {
  const [area] = fc.sample(areas('known'), { seed, numRuns: 1 })
  const [faults = []] = fc.sample(schedules, { seed, numRuns: 1 })
  if (!area) throw new Error('no area was drawn')
  const dialect = seed % 2 === 0 ? 'document' : 'recorded'
  const calm = await sail(area, { dialect })
  const rough = await sail(area, { dialect, faults })
  const findings = [
    ...calm.findings.map((each) => `without faults: ${each}`),
    ...rough.findings,
    ...(sameText(calm.area, rough.area) ? [] : [`the area differs:\n${calm.area}\n${rough.area}`]),
  ]
  return { seed, faults, applies: rough.applies, findings }
}

const misfortunes = [
  'reset-before',
  'reset-after',
  'truncate',
  'html',
  'status-500',
  'status-502',
  'status-503',
  'over-qps',
  'after-500',
  'after-500-error',
  'after-502-html',
  'after-504-html',
  'late-800',
  'late-2500-reset',
  'late-20000',
  'status-200-braces',
  'partial-1',
  'partial-2-500',
]
const targets = [
  '',
  'GET',
  'POST',
  'PUT',
  'DELETE',
  '/services',
  '/v3/token',
  'POST /services',
  'POST /packages',
  '/members/**',
]

const schedules = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.constantFrom(...misfortunes), fc.constantFrom(...targets), fc.integer({ min: 1, max: 30 }))
        .map(([kind, target, nth]) => `${kind}:${target === '' ? '' : `${target}:`}#${nth}`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('expire-token', 'over-rate'), fc.integer({ min: 2, max: 40 }))
        .map(([kind, nth]) => `${kind}:#${nth}`),
    },
    // A property of a platform, not of one call.
    { weight: 1, arbitrary: fc.constantFrom('lag-400', 'lag-2500', 'page-7', 'page-37', 'uncounted') },
  ),
  { minLength: 1, maxLength: 8 },
)

interface Voyage {
  readonly applies: number
  readonly findings: readonly string[]
  /** The area as text, without differences from one platform to another. */
  readonly area: string
}

async function sail(area: DrawnArea, options: PlatformSettings): Promise<Voyage> {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-storm-'))
  const clock = testClock()
  const platform = createPlatform({ autoApprove: true, idSeed: 'storm', ...clock, ...options })
  try {
    const world = worldIn(dir, platform, { ...clock, env: { ...environment, ...area.env } })
    world.declare(...manifestsOf(area))
    return await voyage(world, platform, area, clock.sleep)
  } finally {
    platform.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function voyage(
  world: World,
  platform: Platform,
  area: DrawnArea,
  sleep: (milliseconds: number) => Promise<void>,
): Promise<Voyage> {
  const findings: string[] = []
  let applies = 0
  let done = false
  while (!done && applies < patience) {
    applies += 1
    const run = await world.run(['apply', '--yes'])
    done = run.exitCode === 0
    findings.push(...shownSecrets(run.stdout + run.stderr, area))
    // The next job starts after a while; running requests are done by then.
    await sleep(120_000)
    if (![0, 1, 3].includes(run.exitCode)) findings.push(`apply ended with ${run.exitCode}: ${run.stderr}`)
    if (applies === patience && !done) findings.push(`${patience} applies did not do it: ${run.stdout}${run.stderr}`)
  }
  const raw = await snapshotOf(world)
  const standing = new Set(idsIn(raw))
  for (const { method, path, id } of platform.log) {
    if (method === 'POST' && id !== undefined && id !== '' && !standing.has(id))
      findings.push(`${path} made ${id}, which is gone again`)
  }
  const plan = await untilDone(world, ['plan', '-o', 'json'])
  if (plan.json().changes.length > 0) findings.push(`something is left to do: ${plan.stdout}`)
  return { applies, findings, area: JSON.stringify(comparable(raw), null, 1) }
}

async function snapshotOf(world: World): Promise<Json> {
  await untilDone(world, ['snapshot', '--out', 'area.json'])
  return JSON.parse(readFileSync(join(world.dir, 'area.json'), 'utf8')) as Json
}

/** Faults that no apply has met may still happen. */
async function untilDone(world: World, args: readonly string[]): Promise<Run> {
  for (let tries = 1; ; tries += 1) {
    const run = await world.run(args)
    if (run.exitCode === 0) return run
    if (tries === patience) throw new Error(`${args.join(' ')}: ${run.stdout}${run.stderr}`)
  }
}

const shownSecrets = (text: string, { env }: DrawnArea): readonly string[] =>
  Object.entries(env).flatMap(([name, secret]) => (text.includes(secret) ? [`${name} was shown`] : []))

function idsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(idsIn)
  if (!isObject(value)) return []
  const own = typeof value.id === 'string' ? [value.id] : []
  return [...own, ...Object.values(value).flatMap(idsIn)]
}

/** The messages of an error set beside the written ones depend on how it was created; the empty plan checks those. */
const changing = new Set(['id', 'created', 'updated', 'revisionNumber', 'errorMessages'])

/** Without ids and times, and with lists in a fixed order. */
function comparable(value: Json): Json {
  if (Array.isArray(value)) {
    return (value as readonly Json[]).map(comparable).sort((left, right) => (text(left) < text(right) ? -1 : 1))
  }
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([name, each]) => !changing.has(name) && !isUnsaid(name, each))
  return Object.fromEntries(
    kept.sort(([left], [right]) => (left < right ? -1 : 1)).map(([name, each]) => [name, comparable(each)]),
  )
}

/** Empty in any spelling, or the platform's default: these mean the same, however they were set. */
const isUnsaid = (name: string, value: Json): boolean =>
  empties.has(text(value)) || (defaults.get(name)?.has(text(value)) ?? false)

const text = (value: Json): string => JSON.stringify(value)

// The last one is the type of an automatic error set, and of one in a tree that writes no type.
const empties = new Set(['null', '""', '[]', '[""]', '{}', '"text/xml"'])

const defaults = new Map<string, Set<string>>()
for (const field of kinds.flatMap((kind) => Object.values(kind.fields))) {
  if (field.default === undefined) continue
  defaults.set(field.name, (defaults.get(field.name) ?? new Set()).add(text(field.default)))
}

const sameText = (left: string, right: string): boolean => left === right
