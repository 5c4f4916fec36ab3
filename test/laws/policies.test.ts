import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maskOf } from '../../src/engine/masking.js'
import { type AreaJob, type AreaPorts, runAreaJob } from '../../src/fleet/area-job.js'
import type { Json } from '../../src/json/json.js'
import { area } from '../fleet/areas.js'
import { environment, type World, worldIn, writesIn } from '../kit/world.js'
import { manifestsOf, similarAreas } from './area.js'
import { applied, everything, makes, runs, within } from './within.js'

type Change = Awaited<ReturnType<World['plan']>>['changes'][number]

/** A rule, and its expected findings, computed separately from a plan that was made without it. */
interface DrawnRule {
  readonly rule: { readonly assert: string; readonly level: string; readonly plan?: true }
  /** Addresses, and '' for the plan as a whole. */
  readonly finds: (matching: readonly Change[], all: readonly Change[]) => readonly string[]
}

const level = fc.constantFrom('error', 'warning', 'warning')
const bound = fc.constantFrom(0, 10, 1000, 50_000)
const afterOf = (name: string, { fields }: Change): Json | undefined =>
  fields.find(({ path }) => path === `/${name}`)?.after

const never: fc.Arbitrary<DrawnRule> = fc.record({ level }).map((drawn) => ({
  rule: { assert: 'false', ...drawn },
  finds: (matching) => matching.map(({ address }) => address),
}))

/** No field with that name may exceed a bound. */
const atMost = (name: string): fc.Arbitrary<DrawnRule> =>
  fc.record({ level, bound }).map((drawn) => ({
    rule: {
      assert: `action == "delete" || !fields.exists(f, f.path == "/${name}") || after.?${name}.orValue(0) <= ${drawn.bound}`,
      level: drawn.level,
    },
    finds: (matching) =>
      matching
        .filter((change) => change.action !== 'delete' && Number(afterOf(name, change) ?? 0) > drawn.bound)
        .map(({ address }) => address),
  }))

/** At most this number of objects may be deleted. */
const fewDeletes: fc.Arbitrary<DrawnRule> = fc.record({ level, most: fc.nat(6) }).map((drawn) => ({
  rule: { assert: `plan.summary.delete <= ${drawn.most}`, level: drawn.level, plan: true },
  finds: (_, all) => (all.filter(({ action }) => action === 'delete').length > drawn.most ? [''] : []),
}))

const kinds = [
  'Service',
  'Endpoint',
  'Method',
  'Cache',
  'Package',
  'Plan',
  'PlanService',
  'Member',
  'Role',
  'PackageKey',
]
const numbers = { Service: 'qpsLimitOverall', Plan: 'rateLimitCeiling', Package: 'nearQuotaThreshold' } as const
const anyActions = fc.subarray(['create', 'update', 'replace', 'delete'], { minLength: 1 })

const anyMatch = fc.record({ kinds: fc.subarray(kinds, { minLength: 1 }), actions: anyActions }, { requiredKeys: [] })

/** One that forbids, one that counts, and one that sets a bound; most only warn, so that not much is forbidden. */
const policies: fc.Arbitrary<readonly DrawnPolicy[]> = fc.tuple(
  fc.record({ match: anyMatch, rules: fc.array(never, { minLength: 1, maxLength: 2 }) }),
  fc.record({ match: anyMatch, rules: fc.tuple(fewDeletes) }),
  fc.oneof(
    ...Object.entries(numbers).map(([kind, name]) =>
      fc.record({ match: fc.constant({ kinds: [kind] }), rules: fc.tuple(atMost(name)) }),
    ),
  ),
)

interface DrawnPolicy {
  readonly match: { readonly kinds?: readonly string[]; readonly actions?: readonly string[] }
  readonly rules: readonly DrawnRule[]
}

const textOf = (all: readonly DrawnPolicy[]): string =>
  all
    .map(({ match, rules }, index) => ({
      match,
      rules: rules.map(({ rule }, at) => ({ ...rule, message: `'rule ${at}'` })),
      name: `policy ${index}`,
    }))
    .map(({ name, ...spec }) =>
      JSON.stringify({ apiVersion: 'gatewright/v1', kind: 'Policy', metadata: { name }, spec }),
    )
    .join('\n---\n')

/** The findings of the policies for these changes: policy, rule, level and address. */
const findingsIn = (changes: readonly Change[], all: readonly DrawnPolicy[]): readonly string[] =>
  all
    .flatMap(({ match, rules }, index) => {
      const isAsked = ({ kind, action }: Change) =>
        (match.kinds?.includes(kind) ?? true) && (match.actions?.includes(action) ?? true)
      return rules.flatMap(({ rule, finds }, at) =>
        finds(changes.filter(isAsked), changes).map((address) => `policy ${index} ${at + 1} ${rule.level} ${address}`),
      )
    })
    .sort()

interface Found {
  readonly policies?: {
    readonly results: readonly {
      readonly policy: string
      readonly rule: number
      readonly level: string
      readonly address?: string
      readonly outcome: string
    }[]
  }
}

/** The same findings in a plan. */
function toldIn(stdout: string): readonly string[] {
  const { policies } = JSON.parse(stdout) as Found
  const told = (policies?.results ?? []).map(({ policy: name, rule, level: word, address = '', outcome }) => {
    expect(outcome).toBe('violated')
    return `${name} ${rule} ${word} ${address}`
  })
  return told.sort()
}

const words = ['--prune', 'all', ...everything]

/** Ways to apply; each returns the exit code of its last command. */
const ways = {
  fresh: async (world: World): Promise<number | null> => (await world.apply(...words)).exitCode,
  saved: async (world: World): Promise<number | null> => {
    const planned = await world.run(['plan', '--out', 'saved.json', ...words])
    if (!existsSync(join(world.dir, 'saved.json'))) return planned.exitCode
    return (await world.run(['apply', 'saved.json', '--yes', ...words])).exitCode
  },
  fleet: async (world: World): Promise<number | null> => {
    const { signal } = new AbortController()
    const child: AreaPorts['child'] = async ({ args }) => {
      const { exitCode: code, stdout, stderr } = await world.run(args)
      return { is: 'exited', code, stdout, stderr }
    }
    const ports = { env: environment, cwd: world.dir, now: () => 0, signal, mask: maskOf({}), child }
    const own = { area: area('a', { area: environment.GATEWRIGHT_AREA }), key: undefined, timeoutMs: 60_000, words }
    const run = (command: 'plan' | 'apply', more: Partial<AreaJob>) => {
      const folder = join(world.dir, command)
      mkdirSync(folder, { recursive: true })
      return runAreaJob({ ...own, command, folder, ...more }, ports)
    }
    const { files, exit } = await run('plan', { save: true })
    return files.plan === undefined ? exit : (await run('apply', { planFile: files.plan })).exit
  },
} as const

const wayNames = ['fresh', 'saved', 'fleet'] as const

test.each(makes)(
  'on the make "%s" changes that a policy forbids are never applied, in whatever way, and all others are',
  async (_, origin, make) => {
    await fc.assert(
      fc.asyncProperty(
        similarAreas(origin),
        similarAreas(origin),
        policies,
        fc.constantFrom(...wayNames),
        async (first, second, drawn, way) => {
          await within(make(), first, async (world) => {
            await applied(world)
            const next = worldIn(world.dir, world.make, { ...world.io, env: { ...environment, ...second.env } })
            next.declare(...manifestsOf(second))
            const { changes } = await next.plan(...words)
            fc.pre(changes.length > 0 && changes.every(({ action }) => action !== 'blocked'))
            next.write('policies/drawn.yaml', textOf(drawn))
            const findings = findingsIn(changes, drawn)
            const isForbidden = findings.some((each) => each.includes(' error '))
            const planned = await next.run(['plan', '-o', 'json', ...words])
            expect([planned.exitCode, toldIn(planned.stdout)]).toEqual([isForbidden ? 5 : 0, findings])
            const before = writesIn(world.make)
            for (const each of isForbidden ? wayNames : [way]) {
              expect([each, await ways[each](next)]).toEqual([each, isForbidden ? 5 : 0])
            }
            expect(writesIn(world.make) > before).toBe(!isForbidden)
          })
        },
      ),
      runs(3),
    )
  },
)
