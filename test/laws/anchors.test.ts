import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/json/json.js'
import { restOf } from '../kit/rest.js'
import type { World } from '../kit/world.js'
import { platform, runs, within } from './within.js'

/** Endpoints that repeat each other by anchors, aliases and merges, over several levels. */

/** Possible values of a field; a live area may get any other of these. */
const values: Readonly<Record<string, readonly Json[]>> = {
  connectionTimeoutForSystemDomainRequest: [5, 10, 20],
  outboundRequestTargetPath: ['/one', '/two', '${literal'],
  highSecurity: [true, false],
  trafficManagerDomain: ['a.example.com', 'b.example.com'],
  systemDomains: [['a.example.com'], ['a.example.com', 'b.example.com'], ['c.example.com']],
  processor: [
    { adapter: 'trim', preInputs: { depth: '1' } },
    { adapter: 'trim', preInputs: { depth: '2', more: 'x' } },
    { adapter: 'sign', preProcessEnabled: true },
  ],
  cors: [{ maxAge: 1 }, { maxAge: 2, cookiesAllowed: true }],
}
const fields = Object.keys(values)

interface DrawnEndpoint {
  /** The earlier endpoints that it merges, by numbers modulo their count. */
  readonly merges: readonly number[]
  /** The content of each field: nothing of its own, a value, or the value of an earlier endpoint. */
  readonly members: readonly { readonly is: 'nothing' | 'value' | 'alias'; readonly pick: number }[]
  readonly children: 'nothing' | 'methods' | 'cache'
  readonly style: 'block' | 'flow'
}

const endpoint: fc.Arbitrary<DrawnEndpoint> = fc.record({
  merges: fc.array(fc.nat(9), { maxLength: 2 }),
  members: fc.tuple(
    ...fields.map(() =>
      fc.record({
        is: fc.constantFrom(
          'nothing' as const,
          'nothing' as const,
          'value' as const,
          'value' as const,
          'alias' as const,
        ),
        pick: fc.nat(9),
      }),
    ),
  ),
  children: fc.constantFrom('nothing', 'nothing', 'methods', 'cache'),
  style: fc.constantFrom('block', 'block', 'flow'),
})

const at = <Item>(items: readonly Item[], pick: number): Item | undefined => items[pick % Math.max(items.length, 1)]

const written = (value: Json): string => JSON.stringify(value).replaceAll('${', () => '$${')

const childTexts = {
  nothing: [],
  methods: [`methods: [{name: m, sampleJsonResponse: '"one"'}]`],
  cache: ['cache: {clientSurrogateControlEnabled: true}'],
}

/** One endpoint as text, and the fields that have their own anchor so far. */
function endpointText(drawn: DrawnEndpoint, index: number, anchored: Map<string, string[]>): string {
  const merged = index === 0 ? [] : [...new Set(drawn.merges.map((pick) => `*e${pick % index}`))]
  const pairs = [
    ...(merged.length === 0 ? [] : [`<<: ${merged.length === 1 ? merged.join('') : `[${merged.join(', ')}]`}`]),
    `name: n${index}`,
    `requestPathAlias: /p${index}`,
    ...fields.flatMap((field, place) => {
      const member = drawn.members[place]
      const aliases = anchored.get(field) ?? []
      const isNeeded = field === 'trafficManagerDomain' && merged.length === 0
      if (!member || (member.is === 'nothing' && !isNeeded)) return []
      const alias = member.is === 'alias' ? at(aliases, member.pick) : undefined
      if (alias !== undefined) return [`${field}: *${alias} `]
      const anchor = `e${index}_${place}`
      anchored.set(field, [...aliases, anchor])
      return [`${field}: &${anchor} ${written(at(values[field] ?? [], member.pick) ?? null)}`]
    }),
    ...childTexts[drawn.children],
  ]
  return drawn.style === 'flow'
    ? `    - &e${index} {${pairs.join(', ')}}\n`
    : `    - &e${index}\n${pairs.map((pair) => `      ${pair} # ${index}\n`).join('')}`
}

function manifest(endpoints: readonly DrawnEndpoint[]): string {
  const anchored = new Map<string, string[]>()
  const texts = endpoints.map((drawn, index) => endpointText(drawn, index, anchored))
  return `apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: S}\nspec:\n  endpoints:\n${texts.join('')}`
}

/** A change by somebody: the field of an endpoint, or its content. */
const edit = fc.record({
  endpoint: fc.nat(9),
  field: fc.constantFrom(...fields, 'a method', 'the method', 'the cache'),
  pick: fc.nat(9),
})

interface Edits {
  readonly endpoint: number
  readonly field: string
  readonly pick: number
}

/** Makes the edits on the platform; returns the names of the endpoints. */
async function disturb(world: World, edits: readonly Edits[]): Promise<ReadonlySet<string>> {
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services')
  const path = `/services/${String(service?.id)}/endpoints`
  const endpoints = await rest.get(`${path}?fields=id,name`)
  const names = new Set<string>()
  for (const { endpoint: number, field, pick } of edits) {
    const target = at(endpoints, number)
    const item = `${path}/${String(target?.id)}`
    const value = at(values[field] ?? [], pick)
    const hosts = (each: Json): Json => (Array.isArray(each) ? each.map((domain: Json) => ({ domain })) : each)
    const body: JsonObject = { [field]: hosts(value ?? null) }
    if (field === 'a method')
      await rest.post(`${item}/methods`, { name: `m${pick}${names.size}` }).catch(() => undefined)
    else if (field === 'the method') {
      const [method] = (await rest.get(`${item}/methods`)).filter(({ name }) => name === 'm')
      if (method) await rest.put(`${item}/methods/${String(method.id)}`, { sampleJsonResponse: `"${pick}"` })
    } else if (field === 'the cache')
      await rest
        .put(`${item}/cache`, { varyHeaderEnabled: true, clientSurrogateControlEnabled: pick % 2 === 0 })
        .catch(() => undefined)
    else await rest.put(item, body)
    names.add(String(target?.name))
  }
  return names
}

const hosts = [...'abc'].map((letter) => ({
  apiVersion: 'gatewright/v1',
  kind: 'Domain' as const,
  metadata: { name: `${letter}.example.com` },
}))

const nowhere = { objects: [], env: {} }

test('drift that is written back does not change objects that repeat the drifted ones', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(endpoint, { minLength: 2, maxLength: 5 }),
      fc.array(edit, { minLength: 1, maxLength: 3 }),
      (endpoints, edits) =>
        within(platform(), nowhere, async (world) => {
          const text = manifest(endpoints)
          world.declare(...hosts)
          world.write('manifests/s.yaml', text)
          const run = await world.apply()
          expect(run.exitCode, `${text}\n${run.stdout}`).toBe(0)
          const names = await disturb(world, edits)
          const drift = await world.drift('--write')
          const plan = await world.plan()
          const told = `${text}\n${drift.stdout}`
          expect(plan.changes ?? plan.diagnostics, told).toBeInstanceOf(Array)
          const touched = plan.changes.map(({ address }) => address.split('/')[3] ?? address)
          expect(
            touched.filter((name) => !names.has(name)),
            `${told}\n${JSON.stringify(plan.changes)}`,
          ).toEqual([])
          const isRefused = drift.json().diagnostics.some(({ code }) => code === 'not-written')
          if (!isRefused) expect(plan.changes, told).toEqual([])
          // An export of everything writes the live values, whatever repeats what.
          const exported = await world.run(['export', '--dir', 'manifests', '-o', 'json'])
          expect(exported.exitCode, exported.stdout).toBe(0)
          if (isRefused) return
          expect((await world.plan()).changes, told).toEqual([])
          expect((await world.run(['export', '--dir', 'manifests', '-o', 'json'])).json().files).toEqual([])
        }),
    ),
    runs(10),
  )
})
