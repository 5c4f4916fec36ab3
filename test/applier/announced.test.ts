import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import type { PlatformSettings } from '../../src/platform/settings.js'
import { journalIn, watched } from '../kit/journal.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { canaries, storefront } from '../kit/storefront.js'
import { environment, type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** Every write is in the journal, with its real path, before it is sent (design §4). */

const env = { ...environment, ...canaries }

function watchedWorld(make: Make): { readonly area: World; readonly unannounced: readonly string[] } {
  const made: { area?: World } = {}
  const watching = watched(make, () => made.area?.dir ?? '')
  made.area = world(watching, { ...testClock(), env })
  return { area: made.area, unannounced: watching.unannounced }
}

const platform = (options: PlatformSettings): Make =>
  createPlatform({ autoApprove: true, idSeed: 'announced', now: testClock().now, ...options })

/** The other make does not keep fields that the document does not have. */
const documented: readonly DocumentText[] = storefront.map((each) =>
  each.kind === 'Role' ? { kind: each.kind, metadata: each.metadata } : each,
)

const makes: readonly (readonly [string, () => Make])[] = [
  ['the embedded platform', () => platform({})],
  ['the embedded platform, as recorded', () => platform({ dialect: 'recorded' })],
  ['another make', () => createOtherMake({ defaultErrorSet: 'always' })],
]

test.each(makes)('an area that is created and deleted again: %s', async (_, make) => {
  const { area, unannounced } = watchedWorld(make())
  area.declare(...documented)
  const first = await area.apply()
  expect([first.stderr, first.exitCode]).toEqual([first.stderr, 0])
  area.declare(document('Domain', 'example.com'))
  const allowed = ['KEY_LOSS', 'TRAFFIC_STOP', 'IRREVERSIBLE', 'AUTH_WEAKENED'].flatMap((each) => ['--allow', each])
  const second = await area.apply(...allowed)
  expect([second.stderr, second.exitCode]).toEqual([second.stderr, 0])
  expect(unannounced).toEqual([])
  const requests = journalIn(area.dir).flatMap((entry) => (entry.is === 'announced' ? [entry.request] : []))
  expect(requests.filter((request) => request.includes('{'))).toEqual([])
})

test('objects that a platform adds later by itself are searched for before anything is announced', async () => {
  const make = createOtherMake({ defaultErrorSet: 'always' })
  const silent: Make = {
    log: make.log,
    fetch: async (request) => {
      const isCreate = request.method === 'POST' && new URL(request.url).pathname.endsWith('/services')
      const response = await make.fetch(request)
      if (!isCreate || !response.ok) return response
      const [{ errorSets: _, ...shown } = {}] = (await response.json()) as readonly JsonObject[]
      return Response.json([shown])
    },
  }
  const { area, unannounced } = watchedWorld(silent)
  area.declare(
    document('Service', 'Own set', { errorSets: [{ name: 'own', type: 'text/json' }] }),
    document('Service', 'Written default', { errorSets: [{ name: 'Default', type: 'text/json' }] }),
  )
  const run = await area.apply()
  expect([run.stdout, run.exitCode]).toEqual([run.stdout, 0])
  expect(unannounced).toEqual([])
  const requests = journalIn(area.dir).flatMap((entry) => (entry.is === 'announced' ? [entry.request] : []))
  expect(requests.map((request) => request.replaceAll(/\d+/g, 'ID')).sort()).toEqual([
    'DELETE /services/ID/errorSets/ID',
    'POST /services',
    'POST /services',
    'PUT /services/ID/errorSets/ID',
  ])
})
