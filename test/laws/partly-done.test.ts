import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isList, isObject, type Json, type JsonObject, parseJson } from '../../src/json/json.js'
import { environment, isWrite, type Make, type World, worldIn } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'
import { type DrawnArea, manifestsOf, similarAreas } from './area.js'
import type { Origin } from './drawn.js'
import { applied, everything, platform, runs, within } from './within.js'

/** How a make treats requests: it drops fields and refuses writes, with random probabilities in percent. */
interface Mood {
  readonly seed: number
  readonly drops: number
  readonly refuses: number
}

/** Without these fields an object cannot be identified, or cannot exist. */
const kept = new Set([
  ...[
    'id',
    'name',
    'domain',
    'username',
    'email',
    'displayName',
    'externalId',
    'passwdNew',
    'secret',
    'apikey',
    'type',
  ],
  ...[
    'package',
    'plan',
    'endpoints',
    'methods',
    'services',
    'plans',
    'applications',
    'packageKeys',
    'errorSets',
    'roles',
  ],
  ...[
    'errorMessages',
    'requestPathAlias',
    'trafficManagerDomain',
    'publicDomains',
    'systemDomains',
    'supportedHttpMethods',
  ],
  ...['startDateTime', 'endDateTime', 'action'],
])

const percentOf = (text: string): number => {
  let hash = 2166136261
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 16777619)
  return ((hash ^ (hash >>> 15)) >>> 0) % 100
}

/** A make with these faults while `mood` is set. */
function moody(make: Make): Make & { mood: Mood | undefined } {
  let writes = 0
  const fetch: Make['fetch'] = async (request) => {
    const { mood } = self
    const { pathname: path } = new URL(request.url)
    if (!mood || !isWrite({ method: request.method, path })) return make.fetch(request)
    writes += 1
    if (percentOf(`${mood.seed} ${writes}`) < mood.refuses)
      return Response.json({ errorCode: 400, errorMessage: 'not today' }, { status: 400 })
    if (request.method === 'DELETE') return make.fetch(request)
    const collection = path.split('/').findLast((_, index) => index % 2 === 1) ?? ''
    const body = stored(parseJson(await request.clone().text()) ?? null, collection, mood)
    return make.fetch(new Request(request, { body: JSON.stringify(body) }))
  }
  const self: Make & { mood: Mood | undefined } = { log: make.log, fetch, mood: undefined }
  return self
}

function stored(value: Json, collection: string, mood: Mood): Json {
  if (isList(value)) return value.map((each) => stored(each, collection, mood))
  if (!isObject(value)) return value
  const isKept = (name: string) => kept.has(name) || percentOf(`${mood.seed} ${collection} ${name}`) >= mood.drops
  const members = Object.entries(value).filter(([name]) => isKept(name))
  const isOwned = (name: string) => ['endpoints', 'methods', 'errorSets', 'plans'].includes(name)
  return Object.fromEntries(
    members.map(([name, each]): [string, Json] => [name, isOwned(name) ? stored(each, name, mood) : each]),
  ) satisfies JsonObject
}

const makes = [
  ['document', 'known', () => platform()],
  ['recorded', 'known', () => platform({ dialect: 'recorded' })],
  ['another', 'documented', () => createOtherMake()],
] as const

/** The state after a run that a platform did not carry out completely: its world, in which the platform now obeys. */
async function partlyDone(
  [first, second, seed, [drops = 0, refuses = 0]]: readonly [DrawnArea, DrawnArea, number, readonly number[]],
  makeOf: () => Make,
  use: (world: World, next: World) => Promise<void>,
): Promise<void> {
  const make = moody(makeOf())
  await within(make, first, async (world) => {
    await applied(world)
    const next = worldIn(world.dir, world.make, { ...world.io, env: { ...environment, ...second.env } })
    next.declare(...manifestsOf(second))
    make.mood = { seed, drops, refuses }
    const { exitCode } = await next.apply(...everything)
    make.mood = undefined
    fc.pre(exitCode === 3)
    await use(world, next)
  })
}

const drawn = (origin: Origin) =>
  fc.tuple(
    similarAreas(origin),
    similarAreas(origin),
    fc.nat(),
    fc.constantFrom<readonly number[]>([30, 0], [8, 0], [0, 15], [0, 6], [10, 10]),
  )

/** The words of a rollback after which a plan of the old manifests may still have changes. */
const inPart = /cannot be undone in full: (?!it gets a new id|each of them)|left as it is/

/** The object itself is named, or one of its ancestors. */
const isNamed = (line: string, address: string): boolean =>
  address.split('/').some((_, index, parts) => line.includes(`${parts.slice(0, index + 1).join('/')} `))

describe.each(makes)('on the make "%s"', (_, origin, makeOf) => {
  test('the part of a run that a platform has carried out is undone', async () => {
    const property = fc.asyncProperty(drawn(origin), (areas) =>
      partlyDone(areas, makeOf, async (world, next) => {
        const back = await next.run(['rollback', 'latest', '--yes', ...everything])
        expect([back.stdout, back.stderr, back.exitCode]).toEqual([back.stdout, back.stderr, 0])
        world.declare(...manifestsOf(areas[0]))
        const named = back.stderr.split('\n').filter((line) => inPart.test(line))
        const isRemade = back.stderr.includes('gets a new id')
        const unnamed = (await world.plan(...everything)).changes.filter(
          ({ address, action, fields }) =>
            !named.some((line) => isNamed(line, address)) &&
            // References to an object that was created again, and that the run did not write, must be linked again.
            !(isRemade && action === 'update' && fields.every(({ after }) => Array.isArray(after))),
        )
        expect([unnamed, back.stderr]).toEqual([[], back.stderr])
      }),
    )
    await fc.assert(property, runs(3))
  })

  test('it is nobody’s drift, and the next run does the rest', async () => {
    const property = fc.asyncProperty(drawn(origin), (areas) =>
      partlyDone(areas, makeOf, async (_world, next) => {
        const drift = await next.drift()
        expect([drift.stdout, drift.exitCode]).toEqual([drift.stdout, 0])
        await applied(next, ...everything)
        expect((await next.plan()).changes).toEqual([])
        expect((await next.drift()).exitCode).toBe(0)
      }),
    )
    await fc.assert(property, runs(3))
  })
})
