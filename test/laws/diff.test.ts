import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { catalog } from '../../src/catalog/catalog.js'
import { inverseReferenceOf, isKindName, kinds, ownFields, referredKind } from '../../src/catalog/queries.js'
import type { DiffDocument } from '../../src/documents/diff.js'
import type { Json } from '../../src/json/json.js'
import { keysOf } from '../../src/json/pointer.js'
import { exported, variablesOf } from '../kit/exports.js'
import { manifestText } from '../kit/manifests.js'
import { environment, type Make, type World, worldIn } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'
import { type DrawnArea, manifestsOf, markedAreas, similarAreas, stageMark } from './area.js'
import type { Origin } from './drawn.js'
import { applied, everything, platform, runs, within } from './within.js'

type Case = readonly [string, Origin, (idSeed: string) => Make, (area: DrawnArea) => DrawnArea]

const cases: readonly Case[] = [
  ['document', 'known', (idSeed) => platform({ idSeed }), (area) => area],
  ['recorded', 'recorded', (idSeed) => platform({ idSeed, dialect: 'recorded' }), (area) => area],
  // A field that this one omits may be empty or a default: only for new objects, a copy can have everything.
  ['another', 'documented', () => createOtherMake({ defaultErrorSet: 'unless given' }), withDomainsAlone],
]

function withDomainsAlone({ objects }: DrawnArea): DrawnArea {
  return { objects: objects.filter(({ kind }) => kind.name === 'Domain'), env: {} }
}

const { GATEWRIGHT_URL: urlOfA, GATEWRIGHT_AREA: areaOfBoth, ...credentials } = environment
const urlOfB = 'http://b.example'

/** One folder, and two platforms with different hosts. */
const bothOf = (a: Make, b: Make): Make => ({
  fetch: (request) => (request.url.startsWith(urlOfB) ? b : a).fetch(request),
  log: a.log,
})

async function diffOf(world: World, ...args: readonly string[]): Promise<DiffDocument> {
  const run = await world.run(['diff', ...args, '-o', 'json'])
  const document = JSON.parse(run.stdout) as DiffDocument
  expect([run.exitCode, run.stderr]).not.toEqual([1, run.stderr])
  const count = document.differences.length + (document.layers?.length ?? 0)
  expect(run.exitCode).toBe(count === 0 ? 0 : 2)
  return document
}

type Differences = DiffDocument['differences']

/** The same differences from the other side. */
const mirrored = (differences: Differences) =>
  differences.map((each) => ({
    ...each,
    in: { a: 'b', b: 'a', both: 'both' }[each.in],
    fields: each.fields.map(({ a, b, ...field }) => ({ ...field, a: b, b: a })),
  }))

/** The possible differences of a snapshot file of the first side: it has no secrets except empty ones. */
const withoutSecrets = (differences: Differences) =>
  differences.map((each) => ({ ...each, fields: each.fields.filter(({ a, sensitive }) => !sensitive || a === null) }))

/** A plan of copies of the first side, as differences; lists of references are reported only at their owner. */
const differencesIn = ({ changes }: Awaited<ReturnType<World['plan']>>): readonly Told[] =>
  changes.map(({ action, wants, ...change }) => {
    const does = action === 'blocked' ? wants : action
    const fields = change.fields.filter(({ path }) => !isListedElsewhere(change.kind, path))
    return { ...change, fields, in: { create: 'a', delete: 'b' }[does ?? ''] ?? 'both' }
  })

function isListedElsewhere(kind: string, path: string): boolean {
  const row = isKindName(kind) ? catalog[kind] : undefined
  const field = row?.fields[keysOf(path)[0] ?? '']
  return row !== undefined && field !== undefined && inverseReferenceOf(row, field) !== undefined
}

interface Told {
  readonly address: string
  readonly kind: string
  readonly in: string
  readonly fields: readonly { readonly path: string }[]
}

/**
 * The differences as text: whole fields, because plans may report their members; whole single children, because an empty one is
 * like none. The platform manages some sets of objects by itself: no plan creates or deletes any of these.
 */
const wordsOf = (differences: readonly Told[]): readonly string[] =>
  differences
    .flatMap(({ address, kind, in: where, fields }) => {
      const row = isKindName(kind) ? catalog[kind] : undefined
      if (row?.naming === undefined) return [address]
      if (where !== 'both') return row.fixedSet || row.within ? [] : [`${where} ${address}`]
      return [...new Set(fields.map(({ path }) => `${address} ${keysOf(path)[0]}`))]
    })
    .sort()

describe.each(cases)('on the make "%s"', (_, origin, make, others) => {
  test('two areas differ in exactly the changes that a plan of an export of one has for the other, and in nothing after it', async () => {
    await fc.assert(
      fc.asyncProperty(similarAreas(origin), similarAreas(origin).map(others), async (first, second) => {
        const [a, b] = [make('a'), make('b')]
        await within(bothOf(a, b), first, async (world) => {
          const inB = (env: Readonly<Record<string, string>>) =>
            worldIn(world.dir, world.make, { ...world.io, env: { ...environment, ...env, GATEWRIGHT_URL: urlOfB } })
          await applied(world)
          const other = inB(second.env)
          other.declare(...manifestsOf(second))
          await applied(other)
          expect((await diffOf(world, urlOfA, urlOfA)).differences).toEqual([])
          const { differences } = await diffOf(world, urlOfA, urlOfB)
          expect((await diffOf(world, urlOfB, urlOfA)).differences).toEqual(mirrored(differences))
          expect((await world.run(['snapshot', '--out', 'a.json'])).exitCode).toBe(0)
          expect((await diffOf(world, 'a.json', urlOfA)).differences).toEqual([])
          const ofFile = await diffOf(world, 'a.json', urlOfB)
          expect(wordsOf(ofFile.differences)).toEqual(wordsOf(withoutSecrets(differences)))
          await exported(world, '--full', '--with-secrets')
          const copy = inB(await variablesOf(a))
          const plan = await copy.plan('--prune', 'all', ...everything)
          expect(wordsOf(differencesIn(plan))).toEqual(wordsOf(differences))
          await applied(copy, '--prune', 'all', ...everything)
          expect(wordsOf((await diffOf(world, urlOfA, urlOfB)).differences)).toEqual([])
        })
      }),
      runs(2),
    )
  })
})

/** Settings of an environment beside the stage, for objects of any kinds. */
const layers = fc.record({
  patches: fc.subarray<Json>([
    { target: 'Service/*', expect: '0+', merge: { description: 'patched', qpsLimitOverall: 77 } },
    { target: 'Service/*/Endpoint/*', expect: '0+', merge: { cors: { maxAge: 77 }, highSecurity: true } },
    {
      target: 'Package/*/Plan/*',
      expect: '0+',
      json: [{ op: 'add', path: '/description', value: 'of ${value:stage}' }],
    },
    { target: 'Member/*', expect: '0+', omit: true },
  ]),
  defaults: fc
    .subarray<[string, Json]>([
      ['Member', { company: 'usual' }],
      ['Application', { type: 'usual' }],
    ])
    .map((entries) => Object.fromEntries(entries)),
})

/** Names, and references to objects with another name there, are no difference between two areas. */
const named: ReadonlySet<string> = new Set([
  'metadata',
  ...kinds.flatMap((kind) => [
    ...(kind.naming === undefined ? [] : [kind.naming]),
    ...ownFields(kind).flatMap((field) => (referredKind(field) === undefined ? [] : [field.name])),
  ]),
])

function layersIn({ layers: all = [] }: DiffDocument) {
  const told = all.map(({ is, name, a, b, fields, omitted }) => ({
    ...{ is, name, a, b },
    fields: new Set(fields.flatMap((path) => keysOf(path)[0] ?? []).filter((field) => !named.has(field))),
    omitted: omitted.filter((address) => address.split('/').length === 2),
  }))
  return told.filter(({ fields, omitted }) => fields.size + omitted.length > 0)
}

describe.each(cases)('on the make "%s"', (_, origin, make) => {
  test('two live environments differ only in the layers that they desire', async () => {
    await fc.assert(
      fc.asyncProperty(markedAreas(origin), layers, layers, async (area, dev, prod) => {
        await within(bothOf(make('a'), make('b')), area, async ({ dir, make: both, io }) => {
          const env = { ...credentials, ...area.env, GATEWRIGHT_HOSTS: 'platform.example,b.example' }
          const world = worldIn(dir, both, { ...io, env })
          const environments = {
            dev: { platform: { url: urlOfA, area: areaOfBoth }, values: { stage: 'DEV' }, ...dev },
            prod: { platform: { url: urlOfB, area: areaOfBoth }, values: { stage: 'PRD' }, ...prod },
          }
          const spec = { manifests: ['manifests'], values: { stage: { type: 'string' } }, environments }
          const project = { apiVersion: 'gatewright/v1', kind: 'Project', metadata: { name: 'law' }, spec }
          world.write('gatewright.yaml', JSON.stringify(project))
          world.write('manifests/all.yaml', manifestText(manifestsOf(area)).replaceAll(stageMark, '${value:stage}'))
          for (const name of Object.keys(environments)) await applied(world, '-e', name)
          const desired = await diffOf(world, '-e', 'dev', '-e', 'prod')
          const live = await diffOf(world, '-e', 'dev', '-e', 'prod', '--live')
          expect([...desired.differences, ...live.differences]).toEqual([])
          expect(layersIn(live)).toEqual(layersIn(desired))
        })
      }),
      runs(4),
    )
  })
})
