import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import type { PlatformSettings } from '../../src/platform/settings.js'
import type { DocumentText } from '../kit/manifests.js'
import { environment, type Make, testClock, type World, worldIn } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'
import { type DrawnArea, manifestsOf } from './area.js'
import type { Origin } from './drawn.js'

/**
 * The number of attempts of each law, and its maximum time, including smaller counterexamples; a busy machine is slow, not
 * wrong. Every run of the tests draws the same few; `LAW_RUNS=200 LAW_SECONDS=600 LAW_SEED=7 npx vitest run test/laws` draws
 * more, and others.
 */
export const runs = (usual: number) => ({
  numRuns: Number(process.env.LAW_RUNS ?? usual),
  interruptAfterTimeLimit: Number(process.env.LAW_SECONDS ?? 100) * 1000,
})

/** An embedded platform whose ids are the same in every run. */
export const platform = (options: PlatformSettings = {}): Make =>
  createPlatform({ autoApprove: true, idSeed: 'law', now: testClock().now, ...options })

/** The makes on which laws are tried, each with its possible areas. */
export const makes: readonly (readonly [string, Origin, () => Make])[] = [
  ['document', 'known', () => platform()],
  ['recorded', 'recorded', () => platform({ dialect: 'recorded' })],
  ['another', 'documented', () => createOtherMake({ defaultErrorSet: 'unless given' })],
]

/** A world that lasts for one run of a property, with the manifests of an area. */
export async function within<Result>(
  make: Make,
  area: DrawnArea,
  use: (world: World) => Promise<Result>,
): Promise<Result> {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-law-'))
  try {
    const world = worldIn(dir, make, { ...testClock(), env: { ...environment, ...area.env } })
    world.declare(...manifestsOf(area))
    return await use(world)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Applies, and expects that everything was done. */
export async function applied(world: World, ...args: readonly string[]): Promise<void> {
  const run = await world.apply(...args)
  const answer = run.json()
  expect((answer.diagnostics ?? []).filter(({ severity }) => severity === 'error')).toEqual([])
  expect(answer.changes.filter((change) => change.outcome !== 'applied')).toEqual([])
  expect(run.exitCode).toBe(0)
}

/** Options that let a plan do whatever is needed. */
export const everything = [
  '--allow-replace',
  ...['KEY_LOSS', 'TRAFFIC_STOP', 'AUTH_WEAKENED', 'LIMIT_LOWERED', 'ID_CHANGE', 'IRREVERSIBLE'].flatMap((hazard) => [
    '--allow',
    hazard,
  ]),
]

/**
 * Refusals of the platform. Only a write shows that an automatic set lacks a message, and only a request shows that an object
 * is deleted.
 */
export const refused = ({ make }: World) =>
  make.log.filter(
    ({ method, path, status }) =>
      status >= 400 &&
      !(method === 'PUT' && /\/errorMessages\/\w+$/.test(path)) &&
      !(method === 'GET' && status === 404 && /^\/v3\/rest\/\w+\/[^/]+$/.test(path)),
  )

/** Documents that keep an area from being empty, and nothing else. */
export const keepsake: readonly DocumentText[] = [{ kind: 'Domain', metadata: { name: 'example.com' } }]
