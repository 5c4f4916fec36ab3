import { describe, expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { embedded, environment, type World } from '../kit/world.js'

/** `policy test`, and policies in reports. */

const rules = `apiVersion: gatewright/v1
kind: Policy
metadata: {name: partner limits}
spec:
  match: {kinds: [Plan], environments: [prod], labels: {team: partners}}
  rules:
    - {assert: after.rateLimitCeiling <= 100000, message: "'too much in ' + environment", at: /rateLimitCeiling}
    - {assert: "action != 'delete'", level: warning}
    - {plan: true, assert: plan.summary.delete <= 1}
`

/** A project with these tests of the policy above. */
function worldWith(...tests: readonly string[]): World {
  const here = embedded()
  here.project('  environments: {prod: {}, dev: {}}\n')
  here.declare(document('Role', 'R'))
  here.write('policies/p.yaml', `${rules}  tests:\n${tests.map((each) => `    - ${each}\n`).join('')}`)
  return here
}

const broken = '{name: a lot, change: {kind: Plan, action: create, after: {rateLimitCeiling: 100001}}, expect: error}'
const deleted =
  '{name: gone, change: {kind: Plan, action: delete, before: {rateLimitCeiling: 1}, after: {rateLimitCeiling: 1}}, expect: warning}'
const many = '{name: many, changes: [{kind: Plan, action: delete}, {kind: Role, action: delete}], expect: error}'

describe('policy test', () => {
  test('runs the tests, in the first environment and with the labels of the policy', async () => {
    const run = await worldWith(broken, deleted, many).run(['policy', 'test'])
    expect(run.stdout).toBe(`ok  partner limits: a lot
ok  partner limits: gone
ok  partner limits: many

1 policy with 3 rules: 3 tests, all hold.
`)
    expect(run.exitCode).toBe(0)
  })

  test('counts the rules without a test, which is no failure', async () => {
    const run = await worldWith(broken).run(['policy', 'test', '-o', 'json'])
    const { summary, diagnostics } = JSON.parse(run.stdout)
    expect(run.exitCode).toBe(0)
    expect(summary).toEqual({ policies: 1, rules: 3, untested: 2, tests: 1, failed: 0 })
    expect(diagnostics.map((each: { code: string; line: number }) => `${each.code} ${each.line}`)).toEqual([
      'policy-rule-untested 8',
      'policy-rule-untested 9',
    ])
  })

  test.each([
    [
      'the rules have another result',
      '{change: {kind: Plan, after: {rateLimitCeiling: 5}}, expect: error}',
      'test 1 of policy partner limits does not hold: it expects error, and the rules say pass',
    ],
    [
      'there are more findings',
      broken.replace('expect: error', 'expect: pass'),
      'a lot of policy partner limits does not hold: it expects pass, and the rules say error: too much in prod',
    ],
    [
      'the policy does not apply in its environment',
      broken.replace('expect', 'environment: dev, expect'),
      'a lot of policy partner limits does not hold: its match does not fit the change',
    ],
    [
      'the policy does not match it',
      broken.replace('kind: Plan', 'kind: PlanService').replace('{rateLimitCeiling: 100001}', '{}'),
      'a lot of policy partner limits does not hold: its match does not fit the change',
    ],
  ])('fails with exit code 1 if %s', async (_, test, message) => {
    const run = await worldWith(test).run(['policy', 'test'])
    expect(run.exitCode).toBe(1)
    expect(run.stdout).toContain(`policies/p.yaml:11:7: error: ${message} [policy-test-failed]`)
    expect(run.stdout).toContain('1 failed')
  })

  test.each([
    ['a field that the kind does not have', broken.replace('rateLimitCeiling', 'rateLimitCeling'), 'unknown-field'],
    ['a value that the field cannot have', broken.replace('100001', '"100001"'), 'wrong-type'],
    [
      'an environment that the project does not have',
      broken.replace('expect', 'environment: prdo, expect'),
      'unknown-environment',
    ],
    ['no expectation', '{change: {kind: Plan}}', 'policy-incomplete'],
    ['no change', '{expect: pass}', 'policy-incomplete'],
    ['an unknown word', broken.replace('error}', 'fail}'), 'unknown-value'],
  ])('refuses a test with %s', async (_, test, code) => {
    const run = await worldWith(test).run(['policy', 'test', '-o', 'json'])
    expect(run.exitCode).toBe(1)
    const { diagnostics } = JSON.parse(run.stdout)
    expect(diagnostics).toMatchObject([{ code, file: 'policies/p.yaml', line: 11 }])
  })

  test('accepts no other word', async () => {
    const run = await worldWith(broken).run(['policy', 'tests'])
    expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining('did you mean test?')])
  })
})

describe('reports', () => {
  const planned = async (report: string, more: Readonly<Record<string, string>> = {}): Promise<string> => {
    const here = embedded({}, { env: { ...environment, ...more } })
    here.write(
      'policies/p.yaml',
      rules.replace(', environments: [prod], labels: {team: partners}', '').replace(" in ' + environment", "'"),
    )
    here.write(
      'policies/q.yaml',
      `${rules.replace('partner limits', 'second').replace(', environments: [prod], labels: {team: partners}', '')}  waivers: [{address: "*", reason: contract 4711, owner: jdoe, until: 2027-03-31}]\n`,
    )
    here.declare(document('Package', 'P', { plans: [{ name: 'Gold', rateLimitCeiling: 200_000 }] }))
    const run = await here.run(['plan', '--report', report])
    expect(run.exitCode).toBe(5)
    return report === 'github' ? run.stderr : run.stdout
  }

  test('sarif has a rule for each rule of a policy, and a waiver is a suppression', async () => {
    const { runs } = JSON.parse(await planned('sarif=-'))
    const [{ results, tool, automationDetails }] = runs
    expect(automationDetails.id).toBe('gatewright/test/plan/')
    expect(tool.driver.rules.map(({ id }: { readonly id: string }) => id)).toEqual([
      'policy/partner limits/1',
      'policy/second/1',
    ])
    expect(results).toMatchObject([
      {
        ruleId: 'policy/partner limits/1',
        level: 'error',
        message: { text: 'Package/P/Plan/Gold: too much' },
        locations: [
          { physicalLocation: { artifactLocation: { uri: 'manifests/all.yaml' }, region: { startLine: 8 } } },
        ],
      },
      {
        ruleId: 'policy/second/1',
        suppressions: [{ justification: 'jdoe, until 2027-03-31: contract 4711' }],
      },
    ])
  })

  test('code quality has only findings that are not waived', async () => {
    expect(JSON.parse(await planned('gitlab-codequality=-'))).toMatchObject([
      { check_name: 'policy/partner limits/1', severity: 'critical', location: { lines: { begin: 8 } } },
    ])
  })

  test('junit has a failed case, github an annotation at the field', async () => {
    expect(await planned('junit=-')).toContain(
      'name="policy-violated: Package/P/Plan/Gold: too much (policy partner limits)"',
    )
    expect(await planned('github', { GITHUB_ACTIONS: 'true' })).toContain(
      '::error file=manifests/all.yaml,line=8,col=7,title=policy-violated::Package/P/Plan/Gold: too much (policy partner limits)',
    )
  })

  test('markdown begins with the refusal, and has waived findings', async () => {
    const text = await planned('markdown=-')
    expect(text.indexOf('too much')).toBeLessThan(text.indexOf('<details>'))
    expect(text).toContain('Policies: 6 rules, 1 error, 1 waived.')
    expect(text).toContain('policy second; jdoe, until 2027-03-31: contract 4711')
  })

  test('html has both', async () => {
    const text = await planned('html=-')
    expect(text).toContain('6 rules, 1 error, 1 waived.')
    expect(text).toContain('1 waived')
  })
})
