import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type DocumentText, document } from '../kit/manifests.js'
import { embedded, type Run, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** Policies (design §9): their findings in a plan, with exit code, position and words. */

const packageWith = (ceiling: number, more: object = {}): DocumentText =>
  document('Package', 'Partner Access', {
    plans: [{ name: 'Gold', rateLimitCeiling: ceiling, rateLimitPeriod: 'day', ...more }],
  })

const policyText = (spec: string, name = 'partner limits'): string =>
  `apiVersion: gatewright/v1\nkind: Policy\nmetadata: {name: ${name}}\nspec:\n${spec.replaceAll(/^(?=.)/gm, '  ')}`

const ceiling = policyText(`match: {kinds: [Plan], actions: [create, update, replace]}
rules:
  - assert: after.rateLimitCeiling <= 100000
    message: "'a ceiling of ' + string(after.rateLimitCeiling) + ' needs the capacity team'"
    at: /rateLimitCeiling
`)

function worldWith(policy: string, more: Parameters<typeof embedded>[1] = {}): World {
  const here = embedded({}, more)
  here.write('policies/limits.yaml', policy)
  here.declare(packageWith(200_000))
  return here
}

interface Told {
  readonly code: string
  readonly severity: string
  readonly message: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly hint?: string
}

interface Plan {
  readonly refused?: readonly Told[]
  readonly diagnostics: readonly Told[]
  readonly policies?: {
    readonly digest: string
    readonly policies: number
    readonly rules: number
    readonly results: readonly { readonly outcome: string; readonly level: string; readonly message: string }[]
  }
}

const answerOf = ({ stdout }: Run): Plan => JSON.parse(stdout) as Plan

async function planned(here: World, ...args: readonly string[]): Promise<Plan & { readonly exitCode: number }> {
  const run = await here.run(['plan', '-o', 'json', ...args])
  return { ...answerOf(run), exitCode: run.exitCode }
}

const saidOf = (found: readonly Told[] | undefined) =>
  found?.map(({ code, severity, message, file, line, column }) => [
    `${severity} ${code}`,
    message,
    `${file}:${line}:${column}`,
  ])

const own = (found: readonly Told[] | undefined) => found?.filter(({ code }) => code.startsWith('policy'))

describe('a policy that a change violates', () => {
  test('treats a number as a fraction if its field allows one, wherever it is', async () => {
    const here = embedded()
    here.write(
      'policies/limits.yaml',
      policyText(`rules:
  - assert: "kind != 'Service' || after.cache.cacheTtl * 2.0 < 100.0"
    message: "'kept for ' + string(after.cache.cacheTtl)"
  - {assert: "kind != 'Cache' || after.cacheTtlOverride / 2.0 < 100.0", level: warning}
`),
    )
    const endpoint = { name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'a.b', cache: { cacheTtlOverride: 90 } }
    here.declare(document('Service', 'S', { cache: { cacheTtl: 60 }, endpoints: [endpoint] }))
    expect(own((await planned(here)).refused)?.map(({ message }) => message)).toEqual([
      'Service/S: kept for 60 (policy partner limits)',
    ])
  })

  test('refuses plan and apply with exit code 5, at the position of the field', async () => {
    const here = worldWith(ceiling)
    const plan = await planned(here)
    expect(plan.exitCode).toBe(5)
    expect(saidOf(plan.refused)).toEqual([
      [
        'error policy-violated',
        'Package/Partner Access/Plan/Gold: a ceiling of 200000 needs the capacity team (policy partner limits)',
        'manifests/all.yaml:8:7',
      ],
    ])
    expect(plan.policies).toMatchObject({
      policies: 1,
      rules: 1,
      results: [
        {
          ...{ policy: 'partner limits', rule: 1, address: 'Package/Partner Access/Plan/Gold', action: 'create' },
          ...{ outcome: 'violated', level: 'error', message: 'a ceiling of 200000 needs the capacity team' },
        },
      ],
    })
    const applied = await here.apply()
    expect(applied.exitCode).toBe(5)
    expect(answerOf(applied).diagnostics.map(({ code }) => code)).toContain('policy-violated')
    expect(here.requests().filter(({ method }) => method !== 'GET')).toEqual([])
  })

  test('does not affect other changes, on another make as well', async () => {
    const here = world(createOtherMake())
    here.write('policies/limits.yaml', ceiling)
    here.declare(packageWith(100_000))
    expect((await here.apply()).exitCode).toBe(0)
    // The live value is an integer as well.
    here.write('policies/limits.yaml', ceiling.replace('<= 100000', '< before.rateLimitCeiling + 1'))
    here.declare(packageWith(100_001))
    expect((await planned(here)).exitCode).toBe(5)
    here.declare(packageWith(99_999))
    expect((await here.apply()).exitCode).toBe(0)
  })

  test('is a warning if its level says so, and nothing is refused', async () => {
    const here = worldWith(ceiling.replace('      at:', '      level: warning\n      at:'))
    const plan = await planned(here)
    expect(plan.exitCode).toBe(0)
    expect(own(plan.diagnostics)).toMatchObject([{ code: 'policy-violated', severity: 'warning' }])
    expect((await here.apply()).exitCode).toBe(0)
  })
})

describe('the position of a finding', () => {
  test.each([
    ['a default of the project', 'gatewright.yaml', 6],
    ['a manifest', 'manifests/all.yaml', 8],
  ])('is in %s if that writes the field', async (layer, file, line) => {
    const here = worldWith(ceiling)
    if (layer !== 'a manifest') {
      here.project('  defaults: {Plan: {rateLimitCeiling: 200000}}\n')
      here.declare(document('Package', 'P', { plans: [{ name: 'Gold', rateLimitPeriod: 'day' }] }))
    }
    expect((await planned(here)).refused).toMatchObject([{ file, line }])
  })
})

describe('an expression without a result', () => {
  test.each([
    ['uses a field that does not exist', 'after.qpsLimitCeiling < 4', 'No such key: qpsLimitCeiling', 21],
    ['divides by zero', '1 / (after.rateLimitCeiling - 200000) == 1', 'division by zero', 15],
    ['returns something else', 'dyn(after).rateLimitCeiling', 'it gives no true or false', 15],
  ])('%s, and is an error at its position, whatever the level', async (_, assert, why, column) => {
    const rule = `  - assert: ${assert}\n    level: warning\n`
    const here = worldWith(policyText(`match: {kinds: [Plan]}\nrules:\n${rule}`))
    here.declare(packageWith(200_000), document('Role', 'R'))
    const plan = await planned(here)
    expect(plan.exitCode).toBe(5)
    expect(saidOf(plan.refused)).toEqual([
      [
        'error policy-failed',
        `Package/Partner Access/Plan/Gold: rule 1 of policy partner limits gives no answer: ${why}`,
        `policies/limits.yaml:7:${column}`,
      ],
    ])
    expect(plan.policies?.results).toMatchObject([{ outcome: 'failed', level: 'error' }])
  })

  test('is a finding even if only its message fails', async () => {
    const here = worldWith(ceiling.replace('string(after.rateLimitCeiling)', 'string(after.qpsLimitCeiling)'))
    expect((await planned(here)).refused).toMatchObject([{ code: 'policy-failed', line: 8, column: 48 }])
  })

  test('is not waived, because nobody has agreed to that', async () => {
    const waiver = 'waivers: [{address: "*", reason: r, owner: o, until: 2027-03-31}]\n'
    const here = worldWith(
      policyText(`match: {kinds: [Plan]}\nrules:\n  - assert: after.qpsLimitCeiling < 4\n${waiver}`),
    )
    expect((await planned(here)).refused).toMatchObject([{ code: 'policy-failed' }])
  })
})

test('a shortened level is suggested in full', async () => {
  const here = worldWith(policyText('rules:\n  - assert: kind == "Plan"\n    level: warn\n'))
  expect((await here.run(['validate'])).stdout).toContain('did you mean "warning"?')
})

describe('an invalid expression', () => {
  test.each([
    ['too much', `quotes of its own: "'too much'"`],
    ['forbidden', `quotes of its own: "'too much'"`],
    ['nam', 'did you mean "name"?'],
  ])('that is meant as a plain text has a hint: %s', async (message, hint) => {
    const here = worldWith(policyText(`rules:\n  - assert: kind == "Plan"\n    message: ${message}\n`))
    const { exitCode, stdout } = await here.run(['validate'])
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining(hint)])
  })

  const places = async (spec: string): Promise<readonly unknown[]> => {
    const here = worldWith(policyText(spec))
    const runs = [await here.run(['validate', '-o', 'json']), await here.run(['plan', '-o', 'json'])]
    const [validated, plan] = runs.map((run) => [run.exitCode, ...(saidOf(own(answerOf(run).diagnostics)) ?? [])])
    expect(plan).toEqual(validated)
    return validated ?? []
  }

  test.each([
    [
      'has a typo in a field',
      'match: {kinds: [Plan]}\nrules:\n  - assert: after.rateLimitCeling <= 1\n',
      'assert of rule 1 of policy partner limits: there is no "rateLimitCeling"',
      '7:21',
    ],
    [
      'has a typo in has()',
      'match: {kinds: [Plan]}\nrules:\n  - assert: "!has(after.rateLimitCeling)"\n',
      'assert of rule 1 of policy partner limits: there is no "rateLimitCeling"',
      '7:27',
    ],
    [
      'has a typo in a member, in a block',
      'match: {kinds: [Endpoint]}\nrules:\n  - assert: |\n      has(after.cors) &&\n      after.cors.?maxage.orValue(0) < 5\n',
      'assert of rule 1 of policy partner limits: there is no "maxage"',
      '9:21',
    ],
    [
      'has a typo in a variable, in a folded block',
      'rules:\n  - assert: >-\n      kind == "Plan" ||\n\n      evironment == "prod"\n',
      'assert of rule 1 of policy partner limits: there is no "evironment"',
      '9:9',
    ],
    [
      'compares a number with a text, in double quotes',
      'match: {kinds: [Plan]}\nrules:\n  - assert: "\\"a\\" == name && after.rateLimitCeiling == name"\n',
      'assert of rule 1 of policy partner limits: no such overload: int == string',
      '7:33',
    ],
    [
      'is not CEL',
      "rules:\n  - assert: 'name =='\n",
      'assert of rule 1 of policy partner limits: Unexpected token: EOF',
      '6:23',
    ],
    [
      'returns a number',
      'match: {kinds: [Plan]}\nrules:\n  - assert: after.rateLimitCeiling + 1\n',
      'assert of rule 1 of policy partner limits: it gives int, not true or false',
      '7:15',
    ],
    [
      'is a message that returns a number',
      'match: {kinds: [Plan]}\nrules:\n  - assert: "true"\n    message: after.rateLimitCeiling\n',
      'message of rule 1 of policy partner limits: it gives int, not a text',
      '8:16',
    ],
    [
      'searches for an invalid pattern',
      "match: {kinds: [Plan]}\nrules:\n  - assert: name.matches('[')\n",
      'assert of rule 1 of policy partner limits: Invalid regular expression: /[/: Unterminated character class',
      '7:28',
    ],
    [
      'uses an object in a rule for the whole plan',
      'rules:\n  - {plan: true, assert: after.description == "x"}\n',
      'assert of rule 1 of policy partner limits: there is no "after"',
      '6:28',
    ],
  ])('%s: exit 1, at the position in its scalar', async (_, spec, message, place) => {
    expect(await places(spec)).toEqual([1, ['error policy-expression', message, `policies/limits.yaml:${place}`]])
  })

  test('is reported with a suggestion', async () => {
    const here = worldWith(policyText('match: {kinds: [Plan]}\nrules:\n  - assert: after.rateLimitCeling <= 1\n'))
    const { diagnostics } = answerOf(await here.run(['validate', '-o', 'json']))
    expect(own(diagnostics)).toMatchObject([{ hint: 'did you mean "rateLimitCeiling"?' }])
  })

  test.each([
    ['match: {kinds: [Role]}\n', /^known: .*\bname\b/],
    ['', /^gatewright explain KIND lists the fields$/],
  ])('with a name that is like no other gets a list only if it is short: %j', async (match, hint) => {
    const here = worldWith(policyText(`${match}rules: [{assert: after.zzzzzzzz == 1}]\n`))
    const { diagnostics } = answerOf(await here.run(['validate', '-o', 'json']))
    expect(own(diagnostics)).toMatchObject([{ hint: expect.stringMatching(hint) as string }])
  })
})

test('all mistakes of a policy are reported, in the order of its lines', async () => {
  const rules = 'rules:\n  - 5\n  - {deny: "true"}\nwaivers: [{address: "*", reason: r, owner: o}]\n'
  const here = worldWith(policyText(rules).replace('metadata: {name: partner limits}', 'metadata: {}\nextra: 1'))
  const { diagnostics = [] } = answerOf(await here.run(['validate', '-o', 'json']))
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  expect(errors.map(({ code, line }) => `${line} ${code}`)).toEqual([
    ...['3 missing-name', '4 unknown-key', '7 wrong-type', '8 policy-incomplete', '8 unknown-field'],
    ...['9 policy-incomplete'],
  ])
})

test('a mistyped key of a policy is not reported as missing as well', async () => {
  const rest = 'rulez: [{asert: "true"}]\nwaivers: [{adress: "*", reason: r, owner: o, until: 2027-01-01}]\n'
  const tests = 'tests: [{chnge: {kindd: Plan}, expct: pass}]\n'
  const here = worldWith(policyText(rest + tests).replace('metadata: {name:', 'metadata: {nmae:'))
  const { diagnostics = [] } = answerOf(await here.run(['validate', '-o', 'json']))
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  expect(errors.map(({ code, hint }) => `${code} ${hint}`)).toEqual([
    'unknown-metadata did you mean "name"?',
    'unknown-field did you mean "rules"?',
    'unknown-field did you mean "address"?',
    'unknown-field did you mean "change"?',
    'unknown-field did you mean "expect"?',
  ])
})

test('a message has times as texts', async () => {
  const message = `"'at ' + string(now) + ', in ' + string(duration('90m'))"`
  const here = worldWith(policyText(`match: {kinds: [Plan]}\nrules: [{assert: "false", message: ${message}}]\n`))
  const { refused } = await planned(here)
  expect(refused?.map((each) => each.message)).toEqual([expect.stringMatching(/ at 20[-0-9]{8}T[:0-9]{8}Z, in 5400s /)])
})

test.each([
  ['match: {unchanged: "true"}\nrules: [{assert: "true"}]\n', 'unchanged takes true or false, and "true" is written'],
  ['match: {}\nrules: [{assert: "true", plan: 1}]\n', 'plan takes true or false, and the number 1 is written'],
])('a text is not read as a flag: %s', async (text, message) => {
  const here = worldWith(policyText(text))
  const run = await here.run(['validate', '-o', 'json'])
  expect(run.exitCode).toBe(1)
  const told = (answerOf(run).diagnostics ?? []).filter(({ code }) => code === 'wrong-type')
  expect(told.map((each) => each.message)).toEqual([message])
})

describe('a waiver', () => {
  const waivedUntil = (until: string, address = 'Package/Partner Access/Plan/Gold'): string =>
    `${ceiling}  waivers: [{address: "${address}", reason: contract 4711, owner: jdoe, until: ${until}}]\n`

  test('exempts an object, and is displayed', async () => {
    const here = worldWith(waivedUntil('2027-03-31'))
    const plan = await planned(here)
    expect(plan.exitCode).toBe(0)
    expect(own([...(plan.refused ?? []), ...plan.diagnostics])).toEqual([])
    expect(plan.policies?.results).toMatchObject([
      { outcome: 'waived', waiver: { reason: 'contract 4711', owner: 'jdoe', until: '2027-03-31' } },
    ])
    expect((await here.apply()).exitCode).toBe(0)
  })

  test.each([
    ['on its last day', '2026-11-21', 'ends today'],
    ['two weeks before', '2026-12-05', 'ends on 2026-12-05, in 14 days'],
  ])('warns %s, and is still valid', async (_, until, words) => {
    const here = worldWith(waivedUntil(until))
    const plan = await planned(here)
    expect(plan.exitCode).toBe(0)
    const said = [
      'warning policy-waiver-ends',
      `the waiver of Package/Partner Access/Plan/Gold ${words} (policy partner limits)`,
      'policies/limits.yaml:10:13',
    ]
    expect(saidOf(own(plan.diagnostics))).toEqual([said])
    const validated = answerOf(await here.run(['validate', '-o', 'json']))
    expect(saidOf(own(validated.diagnostics))).toEqual([said])
  })

  test.each(['Package/Partner Access/Plann/Gold', 'Packag/*', 'Package', 'Gold'])(
    'of an address that no object can have is an error: %s',
    async (address) => {
      const { diagnostics } = answerOf(
        await worldWith(waivedUntil('2027-03-31', address)).run(['validate', '-o', 'json']),
      )
      expect(saidOf(diagnostics)).toEqual([
        ['error bad-address', `"${address}" is not the address of an object`, 'policies/limits.yaml:10:23'],
      ])
      expect(diagnostics[0]?.hint).toBe('write it like Package/Gold*; "/" in a name is written %2F')
    },
  )

  test.each(['Package/*/Gold', '*', 'Package/Partner Access/Plan/Gold', 'P*/Plan/*'])(
    'may be of many objects: %s',
    async (address) => {
      expect((await planned(worldWith(waivedUntil('2027-03-31', address)))).exitCode).toBe(0)
    },
  )

  test('warns of nothing fifteen days before', async () => {
    expect(own((await planned(worldWith(waivedUntil('2026-12-06')))).diagnostics)).toEqual([])
  })

  test('that has expired does not waive, and the refusal says who had agreed to it', async () => {
    const plan = await planned(worldWith(waivedUntil('2026-11-20')))
    expect(plan.exitCode).toBe(5)
    expect(plan.refused).toMatchObject([
      { code: 'policy-violated', hint: 'its waiver by jdoe ended on 2026-11-20 (contract 4711)' },
    ])
    expect(saidOf(own(plan.diagnostics))).toEqual([
      [
        'warning policy-waiver-over',
        'the waiver of Package/Partner Access/Plan/Gold ended on 2026-11-20 and waives nothing any more (policy partner limits)',
        'policies/limits.yaml:10:13',
      ],
    ])
  })

  test('is for an address, or for a glob of addresses', async () => {
    expect((await planned(worldWith(waivedUntil('2027-03-31', 'Package/Other/Plan/Gold')))).exitCode).toBe(5)
    expect((await planned(worldWith(waivedUntil('2027-03-31', 'Package/*/Plan/Gold')))).exitCode).toBe(0)
  })

  test.each(['2027-02-30', '31.3.2027', 'soon'])('accepts no date like %s', async (until) => {
    const run = await worldWith(waivedUntil(until)).run(['validate', '-o', 'json'])
    expect(run.exitCode).toBe(1)
    expect(own(answerOf(run).diagnostics)).toMatchObject([{ code: 'policy-bad-day', line: 10 }])
  })
})

describe('a saved plan', () => {
  const saved = async (): Promise<World> => {
    const here = worldWith(ceiling)
    here.declare(packageWith(1000))
    expect((await here.run(['plan', '--out', 'plan.json'])).exitCode).toBe(0)
    return here
  }
  const apply = async (here: World, ...more: readonly string[]) => {
    const run = await here.run(['apply', 'plan.json', '--yes', '-o', 'json', ...more])
    return [run.exitCode, answerOf(run).diagnostics.flatMap(({ code }) => (code === 'no-base' ? [] : [code]))]
  }

  test('made with these policies is applied', async () => {
    expect(await apply(await saved())).toEqual([0, []])
  })

  test.each([
    ['a policy has changed', ceiling.replace('100000', '100001')],
    ['a waiver was added', `${ceiling}  waivers: [{address: "*", reason: r, owner: o, until: 2027-03-31}]\n`],
    ['a policy was added', `${ceiling}---\n${policyText('rules: [{assert: "true"}]\n', 'other')}`],
  ])('is refused with exit code 4 if %s', async (_, policy) => {
    const here = await saved()
    here.write('policies/limits.yaml', policy)
    expect(await apply(here)).toEqual([4, ['saved-plan-other-policies']])
    expect(await apply(here, '--replan')).toEqual([4, ['saved-plan-other-policies']])
    expect(here.requests().filter(({ method }) => method !== 'GET')).toEqual([])
  })

  test('is applied if only comments, tests or the file have changed', async () => {
    const here = await saved()
    here.write('policies/limits.yaml', '# nothing\n---\n'.slice(0, 10))
    here.write(
      'policies/others.yaml',
      `# why\n${ceiling}  tests: [{change: {kind: Plan, after: {rateLimitCeiling: 1}}, expect: pass}]\n`,
    )
    expect(await apply(here)).toEqual([0, []])
  })

  test('is checked again: a waived change is refused with exit code 5 after the waiver has expired', async () => {
    let now = Date.UTC(2026, 10, 21)
    const here = embedded({}, { ...testClock(), now: () => now })
    here.write(
      'policies/limits.yaml',
      `${ceiling}  waivers: [{address: "*", reason: r, owner: o, until: 2026-11-21}]\n`,
    )
    here.declare(packageWith(200_000))
    expect((await here.run(['plan', '--out', 'plan.json'])).exitCode).toBe(0)
    now += 86_400_000
    expect(await apply(here)).toEqual([5, ['policy-violated']])
    expect(here.requests().filter(({ method }) => method !== 'GET')).toEqual([])
  })
})

describe('a file in the folder of policies that is not a policy', () => {
  const saidBy = async (text: string | Buffer) => {
    const here = embedded()
    here.declare(packageWith(200_000))
    here.write('policies/limits.yaml', '')
    writeFileSync(join(here.dir, 'policies/limits.yaml'), text)
    const { exitCode, stdout } = await here.run(['validate', '-o', 'json'])
    const plan = await here.run(['plan'])
    expect(plan.exitCode).toBe(exitCode)
    const { diagnostics } = JSON.parse(stdout) as Plan
    return [exitCode, ...diagnostics.map(({ code, message }) => `${code}: ${message}`)]
  }

  test.each([
    [
      'of a misspelt kind',
      ceiling.replace('kind: Policy', 'kind: Polciy'),
      'unknown-kind: a file of policies has "Polciy"',
    ],
    [
      'a manifest',
      'apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: a}\n',
      'unknown-kind: a file of policies has "Role"',
    ],
    [
      'without a spec',
      policyText('').replace('spec:', ''),
      'policy-incomplete: the policy partner limits has no rules',
    ],
    ['without rules', policyText('rules: []'), 'policy-incomplete: the policy partner limits has no rules'],
    [
      'that cannot be read',
      Buffer.from(`# caf\xe9\n${ceiling}`, 'latin1'),
      expect.stringContaining('policies/limits.yaml'),
    ],
    ['that is broken', `apiVersion: gatewright/v1\nkind: "Policy\n`, expect.stringContaining('yaml')],
  ])('is an error if it is one %s', async (_, text, message) => {
    const [exitCode, ...messages] = await saidBy(text)
    expect(exitCode).toBe(1)
    expect(messages).toContainEqual(message)
  })

  test('is ignored if it belongs to another tool', async () => {
    expect(await saidBy('apiVersion: kyverno.io/v1\nkind: ClusterPolicy\n')).toEqual([0])
  })
})
