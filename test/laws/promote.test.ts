import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { refuseBreaking } from '../../src/engine/promote.js'
import { vaultOf } from '../../src/engine/vault.js'
import type { Json, JsonObject } from '../../src/json/json.js'
import { ProblemError } from '../../src/problems/problem.js'
import { laidOut } from '../kit/laid-out.js'
import { document } from '../kit/manifests.js'
import type { World } from '../kit/world.js'
import { platform, runs, within } from './within.js'

/** Values that each environment gives are `own`; the others have a default. */
const declared: JsonObject = {
  any: { default: 'd' },
  count: { type: 'integer', default: 1 },
  list: { type: 'array', items: { type: 'string' }, default: [] },
  own: { type: 'string' },
}

const text = fc.constantFrom('', 'a', 'x: y', '# c', 'true', '- a', "it's", 'l1\nl2\n', 'a, b', '[b]')
const any = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.constantFrom<Json>(1, true, '1e3'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b c', '1', '#'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value

const rarely = <Value>(usual: fc.Arbitrary<Value>, rare: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: rare })

/** Mostly correct, and sometimes of the wrong type. */
const values = fc.record<JsonObject>(
  {
    any,
    count: rarely<Json>(fc.integer({ min: 0, max: 9 }), text),
    list: rarely<Json>(fc.array(text, { maxLength: 3 }), fc.constant({ a: 1 })),
    own: text,
  },
  { requiredKeys: ['own'], noNullPrototype: true },
)

const target = fc.constantFrom<Json>('Service/Orders', 'Service/O*', { kind: 'Service', name: 'Orders' })
const merge = fc.dictionary(fc.constantFrom('description', 'version'), text, { minKeys: 1, noNullPrototype: true })
const patch = fc.oneof(
  fc.record<JsonObject>({ target, merge: rarely<Json>(merge, fc.constant({ nothing: 1 })) }, { noNullPrototype: true }),
  fc.record<JsonObject>({ target, unset: fc.constant<Json>(['/qpsLimitOverall']) }, { noNullPrototype: true }),
)

interface Environment {
  readonly values?: JsonObject
  readonly patches?: readonly JsonObject[]
}

const environment: fc.Arbitrary<Environment> = fc
  .record({ values, patches: fc.array(patch, { maxLength: 3 }) }, { requiredKeys: [], noNullPrototype: true })
  .map((drawn) => ({ ...drawn }))

interface Drawn {
  readonly environments: Readonly<Record<'dev' | 'prod', Environment>>
  readonly home: 'project' | 'document'
  readonly numbers: fc.Stream<number>
}

const projects: fc.Arbitrary<Drawn> = fc.record({
  environments: fc.record({ dev: environment, prod: environment }),
  home: fc.constantFrom('project', 'document'),
  numbers: fc.infiniteStream(fc.nat(9)),
})

const apiVersion = 'gatewright/v1'
const orders = document('Service', 'Orders', {
  description: '${value:own}',
  version: '1',
  qpsLimitOverall: '${value:count}',
})

/** A world with a project, and the path of the file that contains prod. */
const withProject = ({ environments, home, numbers }: Drawn, use: (world: World, path: string) => Promise<void>) =>
  within(platform(), { objects: [], env: {} }, async (world) => {
    // A value that is used twice would become an anchor and an alias.
    const layout = (value: object) => laidOut(JSON.parse(JSON.stringify(value)), () => numbers.next().value)
    const inFiles = home === 'document'
    const spec = { manifests: ['manifests'], values: declared, environments: inFiles ? ['env/*.yaml'] : environments }
    world.write('gatewright.yaml', layout({ apiVersion, kind: 'Project', metadata: { name: 'p' }, spec }))
    for (const [name, each] of Object.entries(inFiles ? environments : {})) {
      world.write(`env/${name}.yaml`, layout({ apiVersion, kind: 'Environment', metadata: { name }, spec: each }))
    }
    world.declare(orders)
    await use(world, inFiles ? 'env/prod.yaml' : 'gatewright.yaml')
  })

/**
 * Values with a default are copied, and missing ones; if one target has several patches, the first is copied to the first, and
 * a new one is inserted before those that it preceded, but after those of its target.
 */
function promoted(from: Environment, to: Environment): Required<Environment> {
  const { own, ...shared } = { ...from.values }
  const given = { ...(own !== undefined && { own }), ...to.values, ...shared }
  const there = to.patches ?? []
  const taken = new Set<number>()
  const places = (from.patches ?? []).map((each) => {
    const isSame = (other: JsonObject) => JSON.stringify(other.target) === JSON.stringify(each.target)
    const at = there.findIndex((other, index) => !taken.has(index) && isSame(other))
    if (at >= 0) taken.add(at)
    return at
  })
  const patches = [...there, undefined].flatMap((own, index) => {
    const ahead = (from.patches ?? []).filter((added, place) => {
      const behind = places.slice(place + 1).filter((other) => other >= 0)
      const same = there.findLastIndex(({ target }) => JSON.stringify(target) === JSON.stringify(added.target))
      return places[place] === -1 && Math.max(Math.min(there.length, ...behind), same + 1) === index
    })
    const copied = from.patches?.[places.indexOf(index)]
    return own === undefined ? ahead : [...ahead, copied ?? own]
  })
  return { values: given, patches }
}

async function errorsOf(world: World, name: string): Promise<readonly string[]> {
  const { diagnostics } = (await world.run(['validate', '-e', name, '-o', 'json'])).json()
  return diagnostics.flatMap(({ severity, code, message }) => (severity === 'error' ? [`${code} ${message}`] : []))
}

test('promote copies exactly the displayed values, once, and never makes the other environment invalid', async () => {
  await fc.assert(
    fc.asyncProperty(projects, (drawn) =>
      withProject(drawn, async (world, path) => {
        const { dev, prod } = drawn.environments
        const read = () => readFileSync(join(world.dir, path), 'utf8')
        const before = read()
        const [wrong, wrongBefore] = [await errorsOf(world, 'dev'), await errorsOf(world, 'prod')]
        const promote = () => world.run(['promote', 'dev', 'prod', '--write', '-o', 'json'])
        const run = await promote()
        if (run.exitCode !== 0) {
          expect([run.stderr, ...wrong, ...wrongBefore]).not.toEqual([run.stderr])
          expect(read()).toBe(before)
          return
        }
        const { values, patches } = promoted(dev, prod)
        const desired = { ...prod, ...(dev.values && { values }), ...(dev.patches && { patches }) }
        const [was, is] = [parse(before), parse(read())]
        const inFiles = drawn.home === 'document'
        const there = inFiles ? (is.spec ?? {}) : is.spec.environments.prod
        expect({ values: {}, patches: [], ...there }).toEqual({ values: {}, patches: [], ...desired })
        if (inFiles) is.spec = was.spec
        else is.spec.environments.prod = prod
        expect(is).toEqual(was)
        expect((await errorsOf(world, 'prod')).filter((each) => !wrongBefore.includes(each))).toEqual([])
        const written = read()
        expect((await promote()).exitCode).toBe(0)
        expect(read()).toBe(written)
      }),
    ),
    runs(40),
  )
})

/** Whether promote would refuse a text as the content of a file. */
function isRefused(text: string, path: string, { dir: cwd }: World): boolean {
  try {
    const ports = { env: {}, cwd, vault: vaultOf({ env: {}, cwd }) }
    refuseBreaking(new Map([[path, text]]), { to: 'prod', directory: '.', paths: [], allowFile: [] }, ports)
    return false
  } catch (error) {
    if (error instanceof ProblemError) return true
    throw error
  }
}

test('a text that is not valid any more is refused, whatever is wrong with it', async () => {
  await fc.assert(
    fc.asyncProperty(projects, fc.nat(), (drawn, place) =>
      withProject(drawn, async (world, path) => {
        const text = readFileSync(join(world.dir, path), 'utf8')
        const at = place % text.length
        const damaged = text.slice(0, at) + text.slice(at + 1)
        const before = await errorsOf(world, 'prod')
        const refused = isRefused(damaged, path, world)
        world.write(path, damaged)
        const after = await errorsOf(world, 'prod')
        // The existing files do not matter for a text.
        if (after.some((each) => each.startsWith('missing-file'))) return
        const isWrong = after.some((each) => !before.includes(each))
        expect([damaged, refused]).toEqual([damaged, isWrong])
      }),
    ),
    runs(40),
  )
})
