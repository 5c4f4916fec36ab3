import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { manifestText } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { type Make, testClock, type World, worldIn } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'
import { keepsake, platform, runs } from './within.js'

/** How a field of a service is written: by which layer, and how. */
const ways = fc.constantFrom('literal', 'value', 'mixed', 'absent')

const services = fc.array(
  fc.record({
    serves: fc.constantFrom('', ', environments: [prod]', ', environments: ["!qa"]'),
    description: ways,
    version: ways,
    qps: fc.constantFrom('literal', 'value', 'absent'),
    endpoints: fc.array(fc.constantFrom('literal', 'value', 'absent'), { maxLength: 2 }),
    isAnchored: fc.boolean(),
    hasList: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3 },
)

const layers = fc.record({
  form: fc.constantFrom('block', 'flow', 'files'),
  isGiven: fc.boolean(),
  defaults: fc.boolean(),
  patches: fc.subarray([
    { target: 'Service/S0', merge: { description: 'patched' } },
    { target: 'Service/*', merge: { qpsLimitOverall: 77 } },
    { target: 'Service/S0', merge: { version: '${value:word}' } },
    { target: { kind: 'Service', name: 'S0' }, json: [{ op: 'add', path: '/rfc3986Encode', value: true }] },
  ]),
})

/** The changes by somebody on the platform, to the services in order. */
const edits = fc.array(
  fc.oneof(
    fc.record({ at: fc.nat(2), set: fc.constantFrom('description', 'version'), to: fc.constantFrom('one', 'two') }),
    fc.record({ at: fc.nat(2), set: fc.constant('qpsLimitOverall'), to: fc.constantFrom(8, 9) }),
    fc.record({ at: fc.nat(2), set: fc.constant('maxAge'), to: fc.constantFrom(8, 9) }),
    fc.record({ at: fc.nat(2), set: fc.constant('a new endpoint'), to: fc.constant(0) }),
    fc.record({ at: fc.nat(2), set: fc.constant('deleted'), to: fc.constant(0) }),
    fc.record({ at: fc.nat(2), set: fc.constantFrom('renamed', 'an endpoint renamed'), to: fc.constant(0) }),
  ),
  { minLength: 1, maxLength: 4 },
)

type Drawn = typeof services extends fc.Arbitrary<infer Value> ? Value : never
type DrawnLayers = typeof layers extends fc.Arbitrary<infer Value> ? Value : never
type Edits = typeof edits extends fc.Arbitrary<infer Value> ? Value : never

function textOf(drawn: Drawn): string {
  const text = (field: string, way: string) =>
    ({
      literal: `  ${field}: plain # keep\n`,
      value: `  ${field}: "\${value:word}" # keep\n`,
      mixed: `  ${field}: "a \${value:word}" # keep\n`,
    })[way] ?? ''
  const age = { literal: 'maxAge: 5', value: 'maxAge: "${value:age}"', absent: 'cookiesAllowed: false' }
  return drawn
    .map(({ serves, description, version, qps, endpoints, isAnchored, hasList }, index) => {
      const limit = {
        literal: '  qpsLimitOverall: 5 # keep\n',
        value: '  qpsLimitOverall: "${value:age}"\n',
        absent: '',
      }[qps]
      const lines = endpoints.map((way, at) => {
        const cors = isAnchored && at > 0 ? '*cors' : `${isAnchored ? '&cors ' : ''}{${age[way]}}`
        return `    - {name: e${at}, requestPathAlias: /s${index}e${at}, trafficManagerDomain: a.example.com, cors: ${cors}} # keep\n`
      })
      const none = hasList ? '  endpoints: []\n' : '  rfc3986Encode: false\n'
      const list = lines.length === 0 ? none : `  endpoints:\n${lines.join('')}`
      return `apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: S${index}${serves}} # keep\nspec:\n${text('description', description)}${text('version', version)}${limit}${list}`
    })
    .join('---\n')
}

/** Writes a project with three environments; the last service exists so that every value is used and every target is found. */
function declare(world: World, drawn: Drawn, { form, isGiven, defaults, patches }: DrawnLayers): void {
  const given = (word: string, age: number) => (isGiven ? { values: { word, age } } : {})
  const specs: Readonly<Record<string, JsonObject>> = {
    dev: given('DEV', 1),
    qa: {},
    prod: { ...given('PRD', 3), ...(patches.length > 0 && { patches }) },
  }
  const body = (spec: JsonObject, indent: string): string =>
    Object.entries(spec)
      .map(([key, value]) => {
        if (!Array.isArray(value)) return `${indent}${key}: ${JSON.stringify(value)} # keep\n`
        return `${indent}${key}:\n${value.map((each) => `${indent}  - ${JSON.stringify(each)} # keep\n`).join('')}`
      })
      .join('')
  const inline = Object.entries(specs)
    .map(([name, spec]) =>
      form === 'flow' || Object.keys(spec).length === 0
        ? `    ${name}: ${form === 'flow' ? JSON.stringify(spec) : ''} # keep\n`
        : `    ${name}: # keep\n${body(spec, '      ')}`,
    )
    .join('')
  const where = form === 'files' ? '  environments: [environments]\n' : `  environments:\n${inline}`
  if (form === 'files') {
    for (const [name, spec] of Object.entries(specs)) {
      const own = Object.keys(spec).length === 0 ? '' : `spec:\n${body(spec, '  ')}`
      world.write(
        `environments/${name}.yaml`,
        `apiVersion: gatewright/v1\nkind: Environment\nmetadata: {name: ${name}} # keep\n${own}`,
      )
    }
  }
  world.project(
    `  values: {word: W, age: 2} # keep\n${
      defaults
        ? '  defaults: {Service: {description: usual, qpsLimitOverall: 6}, Endpoint: {cors: {maxAge: 4}}} # keep\n'
        : ''
    }${where}`,
  )
  world.write('manifests/all.yaml', textOf(drawn))
  world.write('manifests/keep.yaml', manifestText(keepsake))
}

async function happens({ make }: World, drawn: Drawn, done: Edits): Promise<void> {
  const rest = await restOf(make)
  for (const { at, set, to } of done) {
    const live = (await rest.get('/services')).find(({ name }) => name === `S${at % drawn.length}`)
    if (!live) continue
    const path = `/services/${String(live.id)}`
    if (set === 'renamed') await rest.put(path, { name: `S${at % drawn.length} \${x}: #` })
    else if (set === 'an endpoint renamed') {
      const [endpoint] = await rest.get(`${path}/endpoints`)
      if (endpoint) await rest.put(`${path}/endpoints/${String(endpoint.id)}`, { name: `- ${String(endpoint.name)}` })
    } else if (set === 'deleted') await rest.remove(path)
    else if (set === 'a new endpoint') {
      const alias = `/new${(await rest.get(`${path}/endpoints`)).length}of${at}`
      await rest.post(`${path}/endpoints`, {
        name: alias.slice(1),
        requestPathAlias: alias,
        trafficManagerDomain: 'a.example.com',
      })
    } else if (set === 'maxAge') {
      const [endpoint] = await rest.get(`${path}/endpoints`)
      if (endpoint)
        await rest.put(`${path}/endpoints/${String(endpoint.id)}`, { cors: { maxAge: to, cookiesAllowed: false } })
    } else await rest.put(path, { [set]: to })
  }
}

const filesIn = (dir: string): string =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && each.name.endsWith('.yaml'))
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    .join('')

const kept = (world: World): number => filesIn(world.dir).split('# keep').length

const others = async (world: World): Promise<readonly string[]> =>
  Promise.all(['dev', 'qa'].map(async (name) => (await world.run(['render', '-e', name])).stdout))

const makes: readonly (readonly [string, () => Make])[] = [
  ['embedded', () => platform()],
  ['of other make', () => createOtherMake()],
]

describe.each(makes)('on the make %s', (_, make) => {
  test.each([
    ['drift', ['drift', '--write', '-e', 'prod', '-o', 'json']],
    ['export', ['export', '--dir', 'manifests', '--prune', '-e', 'prod', '-o', 'json']],
  ])(
    'the changes of %s for one environment are the only ones there, and change no other one',
    async (command, args) => {
      await fc.assert(
        fc.asyncProperty(services, layers, edits, async (drawn, drawnLayers, done) => {
          const dir = mkdtempSync(join(tmpdir(), 'gatewright-law-'))
          try {
            const world = worldIn(dir, make(), testClock())
            declare(world, drawn, drawnLayers)
            const apply = await world.run(['apply', '--yes', '-e', 'prod', '--allow', 'TRAFFIC_STOP'])
            // Some random projects are mistakes: a patch without a target.
            fc.pre(apply.exitCode === 0)
            const [before, comments] = [await others(world), kept(world)]
            await happens(world, drawn, done)
            const run = await world.run(args)
            const told = `${run.stdout}\n${run.stderr}\n${filesIn(dir)}`
            expect([0, 2], told).toContain(run.exitCode)
            expect(await others(world), told).toEqual(before)
            if (command === 'drift') expect(kept(world), told).toBe(comments)
            const refused = run.json().diagnostics.filter(({ code }) => code === 'not-written')
            const plan = await world.plan('-e', 'prod')
            if (plan.changes === undefined) {
              // A refused new name is one: nothing is planned before it is written.
              const errors = plan.diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code)
              expect([refused.length > 0, ...new Set(errors)], told).toEqual([true, 'stored-otherwise'])
              return
            }
            const isRefused = (address: string, message: string) =>
              message.startsWith(`${address}:`) ||
              message.startsWith(`${address}/`) ||
              address.startsWith(`${message.split(': ')[0]}/`)
            const left = plan.changes.filter(
              ({ address }) => !refused.some(({ message }) => isRefused(address, message)),
            )
            expect(
              left.map(({ address, fields }) => ({ address, fields })),
              told,
            ).toEqual([])
            if (command === 'drift') expect(run.exitCode === 0, told).toBe(refused.length === 0)
          } finally {
            rmSync(dir, { recursive: true, force: true })
          }
        }),
        runs(6),
      )
    },
  )
})

test('the origin of each field, read from its file and position, is the value in the plan', async () => {
  await fc.assert(
    fc.asyncProperty(services, layers, async (drawn, drawnLayers) => {
      const dir = mkdtempSync(join(tmpdir(), 'gatewright-law-'))
      try {
        const world = worldIn(dir, platform(), testClock())
        declare(world, drawn, drawnLayers)
        const told = (await world.run(['plan', '-e', 'prod', '-o', 'json'])).stdout
        const { changes } = JSON.parse(told) as { readonly changes: readonly Planned[] }
        expect(changes.length, told).toBeGreaterThan(0)
        for (const { fields } of changes) {
          for (const { path, after, origin, source, values = [] } of fields) {
            expect(origin, told).not.toBe('not written')
            expect(source === undefined, told).toBe(origin === 'manifest')
            if (!source) continue
            const lines = readFileSync(join(dir, source.file), 'utf8').split('\n')
            const text = lines[source.line - 1]?.slice(source.column - 1) ?? ''
            const name = path.split('/').at(-1) ?? ''
            expect(text.includes(name), `${text} ${told}`).toBe(true)
            if (typeof after !== 'object' && values.length === 0) expect(text, told).toContain(String(after))
          }
        }
      } finally {
        rmSync(dir, { recursive: true, force: true })
      }
    }),
    runs(15),
  )
})

interface Planned {
  readonly fields: readonly {
    readonly path: string
    readonly after?: unknown
    readonly origin: string
    readonly source?: { readonly file: string; readonly line: number; readonly column: number }
    readonly values?: readonly string[]
  }[]
}
