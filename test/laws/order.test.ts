import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../src/json/json.js'
import type { DocumentText } from '../kit/manifests.js'
import type { Make, World } from '../kit/world.js'
import { areas, manifestsOf } from './area.js'
import { applied, keepsake, platform, refused, runs, within } from './within.js'

/** The plan as JSON, without positions: also without the order of problems by their lines. */
async function planText(world: World, ...args: readonly string[]): Promise<string> {
  const { diagnostics = [], ...plan } = await world.plan(...args)
  const hasLine = (each: object) => 'line' in each
  const text = (value: unknown) => JSON.stringify(value, withoutPlace, 1)
  return [
    text(plan),
    ...diagnostics.filter((each) => !hasLine(each)).map(text),
    ...diagnostics.filter(hasLine).map(text).sort(),
  ].join('\n')
}

const withoutPlace = (key: string, value: unknown): unknown =>
  key === 'source' || key === 'line' || key === 'column' ? undefined : value

const reversed = (value: Json): Json => {
  if (Array.isArray(value)) return (value as readonly Json[]).map(reversed).reverse()
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]): [string, Json] => [key, reversed(inner as Json)])
  return Object.fromEntries(entries.reverse())
}

/** The same documents with their keys and lists reversed. */
const turned = (documents: readonly DocumentText[]): readonly DocumentText[] =>
  documents.map((each) => reversed(JSON.parse(JSON.stringify(each)) as Json) as unknown as DocumentText).reverse()

/** A make whose answers have every list reversed, at every depth. */
const backwards = (make: Make): Make => ({
  log: make.log,
  fetch: async (request) => {
    const response = await make.fetch(request)
    if (request.method !== 'GET' || !response.ok) return response
    const body = (await response.json()) as Json
    return new Response(JSON.stringify(reversed(body)), { headers: response.headers })
  },
})

test('the order of documents, keys, lists and answers changes nothing in a plan', async () => {
  await fc.assert(
    fc.asyncProperty(areas('known'), areas('known'), async (before, after) => {
      const make = platform()
      await within(make, before, (world) => applied(world))
      const plain = await within(make, after, (world) => planText(world))
      const mirrored = await within(backwards(make), after, (world) => {
        world.declare(...turned(manifestsOf(after)))
        return planText(world)
      })
      expect(mirrored).toBe(plain)
    }),
    runs(10),
  )
})

test('another order of lists is no difference after they are applied', async () => {
  await fc.assert(
    fc.asyncProperty(areas('known'), async (area) => {
      const make = platform({ dialect: 'recorded' })
      await within(make, area, (world) => applied(world))
      await within(backwards(make), area, async (world) => {
        world.declare(...turned(manifestsOf(area)))
        expect((await world.plan()).changes).toEqual([])
        expect((await world.drift()).exitCode).toBe(0)
      })
    }),
    runs(10),
  )
})

test.each(['document', 'recorded'] as const)(
  'prune all deletes everything, in an order that the platform never refuses (%s)',
  async (dialect) => {
    await fc.assert(
      fc.asyncProperty(areas('known'), (area) =>
        within(platform({ dialect }), area, async (world) => {
          await applied(world)
          world.declare(...keepsake)
          const plan = await world.plan('--prune', 'all')
          expect(plan.changes.every((change) => change.action === 'delete')).toBe(true)
          await applied(
            world,
            '--prune',
            'all',
            '--allow',
            'KEY_LOSS',
            '--allow',
            'TRAFFIC_STOP',
            '--allow',
            'IRREVERSIBLE',
          )
          expect(refused(world)).toEqual([])
          const left = await world.plan('--prune', 'all')
          expect(left.changes).toEqual([])
          expect(left.unmanaged).toEqual([])
        }),
      ),
      runs(8),
    )
  },
)

test('plan, drift and validate send only GET', async () => {
  await fc.assert(
    fc.asyncProperty(areas('known'), (area) =>
      within(platform(), area, async (world) => {
        await world.plan()
        await world.plan('--prune', 'all')
        await world.drift()
        await world.run(['validate'])
        expect(world.requests().filter(({ method }) => method !== 'GET')).toEqual([])
      }),
    ),
    runs(8),
  )
})
