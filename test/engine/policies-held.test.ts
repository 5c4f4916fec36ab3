import { describe, expect, test } from 'vitest'
import { git } from '../kit/git.js'
import { type DocumentText, document, projectText } from '../kit/manifests.js'
import { embedded, environment, type World } from '../kit/world.js'

/** Which policies apply where, and what they can see. */

const policyText = (spec: string, name = 'p'): string =>
  `apiVersion: gatewright/v1\nkind: Policy\nmetadata: {name: ${name}}\nspec:\n${spec.replaceAll(/^(?=.)/gm, '  ')}`

interface Result {
  readonly policy: string
  readonly rule: number
  readonly address?: string
  readonly action?: string
  readonly outcome: string
  readonly level: string
  readonly message: string
  readonly source: { readonly file: string }
}

interface Plan {
  readonly exitCode: number
  readonly refused?: readonly { readonly code: string; readonly message: string; readonly file?: string }[]
  readonly diagnostics: readonly { readonly code: string; readonly severity: string; readonly message: string }[]
  readonly policies?: { readonly digest: string; readonly policies: number; readonly results: readonly Result[] }
}

async function planned(here: World, ...args: readonly string[]): Promise<Plan> {
  const { stdout, exitCode } = await here.run(['plan', '-o', 'json', ...args])
  return { ...(JSON.parse(stdout) as Omit<Plan, 'exitCode'>), exitCode }
}

const messagesOf = ({ policies }: Plan) => policies?.results.map(({ message }) => message)

/** A policy that reports, for every matched object, the value of an expression. */
const telling = (words: string, match = '{}'): string =>
  policyText(`match: ${match}\nrules: [{assert: "false", message: ${JSON.stringify(words)}, level: warning}]\n`)

const endpoint = {
  ...{ name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'example.com', publicDomains: ['example.com'] },
}

const service = (name: string, spec: object = {}, labels?: object): DocumentText => ({
  ...document('Service', name, spec as never),
  ...(labels && { metadata: { name, labels } as never }),
})

describe('a policy matches', () => {
  const manifests = [
    service('Orders', { description: 'a', endpoints: [endpoint] }, { team: 'shop' }),
    service('Legal'),
    document('Role', 'Partners'),
  ]

  test.each([
    ['everything', '{}', ['Role/Partners', 'Service/Legal', 'Service/Orders', 'Service/Orders/Endpoint/e']],
    ['kinds', '{kinds: [Service, Role]}', ['Role/Partners', 'Service/Legal', 'Service/Orders']],
    ['labels, also those of its ancestors', '{labels: {team: shop}}', ['Service/Orders', 'Service/Orders/Endpoint/e']],
    ['labels with another value', '{labels: {team: ops}}', []],
    ['actions', '{actions: delete}', []],
  ])('%s', async (_, match, addresses) => {
    const here = embedded()
    here.write('policies/p.yaml', telling('address', match))
    here.declare(...manifests)
    expect(messagesOf(await planned(here))?.toSorted()).toEqual(addresses)
  })

  test('updates, deletes and replaces, with the values before', async () => {
    const here = embedded()
    here.write(
      'policies/p.yaml',
      telling(
        "action + ' ' + name + ' ' + before.?description.orValue('-') + ' ' + after.?description.orValue('-') + ' ' + fields.map(f, f.path).join(',')",
        '{kinds: [Service]}',
      ),
    )
    here.declare(service('A', { description: 'one', qpsLimitOverall: 5 }), service('B', { description: 'b' }))
    expect(messagesOf(await planned(here))).toEqual([
      'create A - one /name,/description,/qpsLimitOverall',
      'create B - b /name,/description',
    ])
    await here.apply()
    here.declare(service('A', { description: 'two', qpsLimitOverall: 5 }), document('Role', 'R'))
    expect(messagesOf(await planned(here))).toEqual(['update A one two /description', 'delete B b - '])
  })

  test('unchanged objects, if it says so: a warning, whatever the level, and nothing is refused', async () => {
    const here = embedded()
    here.declare(service('A', { qpsLimitOverall: 9000 }), service('B', { qpsLimitOverall: 9000 }))
    await here.apply()
    const rules = 'rules: [{assert: after.qpsLimitOverall <= 500, at: /qpsLimitOverall}]\n'
    here.write('policies/p.yaml', policyText(`match: {kinds: [Service]}\n${rules}`))
    expect((await planned(here)).policies?.results).toEqual([])
    here.write('policies/p.yaml', policyText(`match: {kinds: [Service], unchanged: true}\n${rules}`))
    const audit = await planned(here)
    expect(audit.exitCode).toBe(0)
    expect(audit.policies?.results).toMatchObject([
      { address: 'Service/A', action: 'unchanged', level: 'warning' },
      { address: 'Service/B', action: 'unchanged', level: 'warning' },
    ])
    // The first of them is corrected, and the other one does not prevent it.
    here.declare(service('A', { qpsLimitOverall: 500 }), service('B', { qpsLimitOverall: 9000 }))
    expect((await here.apply()).exitCode).toBe(0)
    here.declare(service('A', { qpsLimitOverall: 501 }), service('B', { qpsLimitOverall: 9000 }))
    expect((await planned(here)).refused).toMatchObject([
      { code: 'policy-violated', message: /^Service\/A: / as never },
    ])
  })

  test('the labels with which an object was applied, if no manifest has it any more', async () => {
    const here = embedded()
    here.declare(service('A', {}, { team: 'shop' }), service('B'))
    await here.apply()
    here.write('policies/p.yaml', telling("action + ' ' + address", '{labels: {team: shop}}'))
    here.declare(document('Role', 'R'))
    expect(messagesOf(await planned(here))).toEqual(['delete Service/A', 'delete Service/A/ErrorSet/Default'])
    // A label that was removed from a manifest does not count any more.
    here.declare(service('A', { description: 'a' }), service('B'))
    expect(messagesOf(await planned(here))).toEqual([])
  })

  test('these labels in a rollback too, for objects that it changes, deletes and creates again', async () => {
    const here = embedded()
    const limited = (qpsLimitOverall: number) => service('A', { qpsLimitOverall }, { team: 'shop' })
    here.declare(limited(1), service('Gone', { qpsLimitOverall: 9 }, { team: 'shop' }), service('B'))
    await here.apply()
    here.declare(limited(2), service('New', { qpsLimitOverall: 2 }, { team: 'shop' }), service('B', { version: '2' }))
    await here.apply('--allow', 'ID_CHANGE')
    here.write(
      'policies/p.yaml',
      policyText(
        'match: {kinds: [Service], labels: {team: shop}}\nrules: [{assert: "false", message: "action + \' \' + name"}]\n',
      ),
    )
    const { exitCode, stdout } = await here.run(['rollback', 'latest', '--yes', '-o', 'json'])
    expect(exitCode).toBe(5)
    const { diagnostics } = JSON.parse(stdout) as Pick<Plan, 'diagnostics'>
    expect(diagnostics.map(({ message }) => message.split(': ')[1]).toSorted()).toEqual([
      'create Gone (policy p)',
      'delete New (policy p)',
      'update A (policy p)',
    ])
    // A restored object has its labels again.
    here.write('policies/p.yaml', telling('name', '{kinds: [Service], actions: delete, labels: {team: shop}}'))
    expect((await here.run(['rollback', 'latest', '--yes'])).exitCode).toBe(0)
    here.declare(service('B'))
    expect(messagesOf(await planned(here))).toEqual(['A', 'Gone'])
  })

  test('only the environments that it names', async () => {
    const here = embedded()
    here.declare(document('Role', 'R'))
    const project = (name: string) => projectText(`  environments: {dev: {}, ${name}: {}}\n`)
    here.write('gatewright.yaml', project('prod'))
    here.write('policies/p.yaml', telling("'in ' + environment", '{environments: [prod]}'))
    expect(messagesOf(await planned(here, '-e', 'prod'))).toEqual(['in prod'])
    expect((await planned(here, '-e', 'dev')).policies).toMatchObject({ policies: 0, results: [] })
    here.write('policies/p.yaml', telling("'in ' + environment", '{environments: ["!prod"]}'))
    expect(messagesOf(await planned(here, '-e', 'dev'))).toEqual(['in dev'])
    here.write('gatewright.yaml', project('live'))
    const run = await here.run(['validate', '-o', 'json'])
    expect(run.exitCode).toBe(1)
    expect(run.stdout).toContain('there is no environment \\"prod\\"')
  })
})

describe('a rule of the whole plan', () => {
  test('is checked once, and has no object', async () => {
    const here = embedded()
    here.declare(...['A', 'B', 'C'].map((name) => document('Role', name)))
    here.write(
      'policies/p.yaml',
      policyText(`rules:
  - plan: true
    assert: plan.changes.filter(c, c.action == "create" && c.after.name != "A").size() <= 1
    message: "string(plan.summary.create) + ' at once'"
`),
    )
    const plan = await planned(here)
    expect(plan.exitCode).toBe(5)
    expect(plan.refused).toMatchObject([{ message: '3 at once (policy p)', file: 'policies/p.yaml' }])
    expect(plan.policies?.results).toHaveLength(1)
  })
})

describe('a secret', () => {
  const password = 'correct horse battery'
  const member = (secret: string, more: object = {}): DocumentText =>
    document('Service', 'S', {
      endpoints: [
        {
          ...endpoint,
          systemDomainAuthentication: { type: 'httpBasic', username: 'u', password: secret },
          ...more,
        },
      ],
    })

  test('is visible as present and as changed, but is in no output', async () => {
    const here = embedded({}, { env: { ...environment, PASSWORD: password, OTHER: 'another long secret' } })
    const words =
      "action + ' ' + after.?password.orValue('none') + ' ' + string(action == 'update' && after.password != before.password) + ' ' + fields.filter(f, f.sensitive).map(f, f.path + string(f.?after.orValue(''))).join(',')"
    here.write('policies/p.yaml', telling(words, '{kinds: [SystemDomainAuthentication], unchanged: true}'))
    here.declare(document('Domain', 'example.com'), member('${env:PASSWORD}'))
    const outputs: string[] = []
    const tell = async () => {
      for (const form of ['text', 'json', 'markdown']) {
        const run = await here.run(['plan', '-o', form, '--report', 'html=out.html', '--out', 'plan.json'])
        outputs.push(run.stdout + run.stderr)
      }
      return messagesOf(await planned(here))
    }
    expect(await tell()).toEqual(['create (sensitive) false /password(sensitive)'])
    const blind = await here.run(['plan', '-o', 'json'], { env: environment })
    expect(blind.stdout).toContain('create (sensitive) false /password(sensitive) ')
    await here.apply()
    expect(await tell()).toEqual(['unchanged (sensitive) false '])
    here.declare(document('Domain', 'example.com'), member('${env:OTHER}'))
    expect(await tell()).toEqual(['update (sensitive, changed) true /password(sensitive, changed)'])
    expect(outputs.join('')).not.toMatch(/correct horse|another long/)
  })

  test('stays a secret if it is in another field, and if metadata.sensitive says so', async () => {
    const here = embedded({}, { env: { ...environment, PASSWORD: password } })
    here.declare(document('Service', 'S', { description: 'x ${env:PASSWORD} y' }), {
      ...document('Service', 'T', { description: 'hush' }),
      metadata: { name: 'T', sensitive: ['/description'] } as never,
    })
    here.write('policies/p.yaml', telling('after.description', '{kinds: [Service], unchanged: true}'))
    expect(messagesOf(await planned(here))).toEqual(['(sensitive)', '(sensitive)'])
    await here.apply()
    expect(messagesOf(await planned(here))).toEqual(['(sensitive)', '(sensitive)'])
  })

  test('stays a secret after no manifest has it: in changes, in deletes, and in a rollback', async () => {
    const here = embedded({}, { env: { ...environment, PASSWORD: password } })
    here.declare(document('Service', 'S', { description: '${env:PASSWORD}' }), {
      ...document('Service', 'T', { description: 'hush' }),
      metadata: { name: 'T', sensitive: ['/description'] } as never,
    })
    await here.apply()
    here.write('policies/p.yaml', telling("action + ' ' + before.description", '{kinds: [Service], unchanged: true}'))
    const blind = { env: environment }
    const told = async (...args: readonly string[]) => {
      const { stdout } = await here.run([...args, '-o', 'json'], blind)
      return JSON.parse(stdout) as Plan
    }
    here.declare(document('Service', 'S', {}), document('Service', 'T', { description: 'loud' }))
    expect(messagesOf(await told('plan'))).toEqual(['update (sensitive)', 'update (sensitive)'])
    here.declare(document('Role', 'R'))
    expect(messagesOf(await told('plan'))).toEqual(['delete (sensitive)', 'delete (sensitive)'])
    const { diagnostics } = await told('rollback', 'latest', '--yes')
    expect(diagnostics.filter(({ code }) => code === 'policy-violated').map(({ message }) => message)).toEqual([
      'Service/S: delete (sensitive) (policy p)',
      'Service/T: delete (sensitive) (policy p)',
    ])
  })

  test('is none any more once a manifest has the same value in the clear', async () => {
    const here = embedded({}, { env: { ...environment, QPS: '500' } })
    const written = (spec: object) => service('S', { description: 'a', ...spec })
    here.declare(written({ qpsLimitOverall: '${env:QPS}' }))
    await here.apply()
    here.write('policies/p.yaml', telling('string(before.qpsLimitOverall)', '{kinds: [Service], unchanged: true}'))
    here.declare(written({ qpsLimitOverall: 500 }))
    expect(messagesOf(await planned(here))).toEqual(['500'])
    here.declare(written({ description: 'b', qpsLimitOverall: 500 }))
    expect(messagesOf(await planned(here))).toEqual(['500'])
    // What it was before is still one.
    here.declare(written({ qpsLimitOverall: 501 }))
    expect(messagesOf(await planned(here))).toEqual(['(sensitive)'])
    // A number that is shown can be compared: nobody could apply anything else first.
    here.write(
      'policies/p.yaml',
      policyText('match: {kinds: [Service]}\nrules: [{assert: after.qpsLimitOverall <= 1000}]\n'),
    )
    here.declare(written({ description: 'b', qpsLimitOverall: 500 }))
    expect((await here.apply()).exitCode).toBe(0)
  })
})

test('in an object field with a secret, policies see the members that are not secret, before and after', async () => {
  const env = { ...environment, TOKEN: 'correct horse battery' }
  const here = embedded({}, { env })
  const declared = (adapter: string, path = '/e') => {
    const processor = { adapter, preInputs: { authorization: 'Bearer ${env:TOKEN}' } }
    const fields = {
      ...endpoint,
      requestPathAlias: path,
      processor,
      metadata: { sensitive: ['/processor/postInputs'] },
    }
    here.declare(document('Domain', 'example.com'), document('Service', 'S', { endpoints: [fields] }))
  }
  const words =
    "before.?processor.?adapter.orValue('none') + ' ' + after.?processor.?adapter.orValue('none') + ' ' + string(dyn(after).processor.?preInputs.orValue('none'))"
  here.write('policies/p.yaml', telling(words, '{kinds: [Endpoint], unchanged: true}'))
  declared('Old')
  expect(messagesOf(await planned(here))).toEqual(['none Old (sensitive)'])
  const blind = await here.run(['plan', '-o', 'json'], { env: environment })
  expect(blind.stdout).toContain('none Old (sensitive)')
  await here.apply()
  expect(messagesOf(await planned(here))).toEqual(['Old Old (sensitive)'])
  declared('Old', '/f')
  expect(messagesOf(await planned(here))).toEqual(['Old Old (sensitive)'])
  declared('New')
  expect(messagesOf(await planned(here))).toEqual(['Old New (sensitive)'])
})

describe('where policies are', () => {
  test('a policy in the manifest folder is an error, because it would have no effect', async () => {
    const here = embedded()
    here.declare(document('Role', 'R'))
    here.write('manifests/p.yaml', telling('name'))
    const run = await here.run(['validate', '-o', 'json'])
    expect(run.exitCode).toBe(1)
    expect(run.stdout).toContain('policy-among-manifests')
  })

  test('manifests in the folder policies stay manifests, and spec.policies names other files', async () => {
    const here = embedded()
    here.write('policies/role.yaml', 'apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: R}\n')
    const project = (more: string) =>
      `apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: test}\nspec:\n  manifests: ['*/*.yaml']\n${more}`
    here.write('gatewright.yaml', project(''))
    here.write('rules/p.yaml', telling('address'))
    expect((await here.run(['validate', '-o', 'json'])).stdout).toContain('policy-among-manifests')
    here.write('gatewright.yaml', project('  policies: rules\n'))
    expect(messagesOf(await planned(here))).toEqual(['Role/R'])
    here.write('rules/p.yaml', '')
    here.write('gatewright.yaml', project('  policies: [nowhere]\n'))
    const run = await here.run(['plan'])
    expect([run.exitCode, run.stderr.includes('nowhere')]).toEqual([1, true])
  })

  test('-f does not exclude them', async () => {
    const here = embedded()
    here.declare(document('Role', 'R'))
    here.write('policies/p.yaml', telling('address'))
    expect(messagesOf(await planned(here, '-f', 'manifests/all.yaml'))).toEqual(['Role/R'])
  })

  test('a duplicate name, another kind, and an unknown key are reported at their positions', async () => {
    const here = embedded()
    here.declare(document('Role', 'R'))
    here.write('policies/p.yaml', `${telling('name')}---\n${telling('name')}---\nkind: Role\n`)
    here.write('policies/q.yaml', policyText('mach: {}\nrules: [{asert: "true"}]\n', 'q'))
    const { diagnostics } = JSON.parse((await here.run(['validate', '-o', 'json'])).stdout)
    const told = diagnostics.map(
      (each: { code: string; file: string; line: number }) => `${each.code} ${each.file}:${each.line}`,
    )
    expect(told).toEqual([
      'policy-twice policies/p.yaml:8',
      'unknown-kind policies/p.yaml:15',
      'unknown-field policies/q.yaml:5',
      'unknown-field policies/q.yaml:6',
    ])
  })
})

describe('GATEWRIGHT_GUARD_REF', () => {
  const strict = policyText('rules: [{assert: "false", message: "\'never\'"}]\n')
  const project = (environments: string) => projectText(`${environments}`)

  /** A repository whose main branch has the strict policy. */
  function repository(environments = '', policy = strict): World {
    const here = embedded({}, { env: { ...environment, GATEWRIGHT_GUARD_REF: 'main' } })
    here.write('gatewright.yaml', project(environments))
    here.declare(document('Role', 'R'))
    here.write('policies/p.yaml', policy)
    git(here.dir, 'init', '-q', '-b', 'main')
    git(here.dir, 'add', '.')
    git(here.dir, 'commit', '-qm', 'as it is')
    git(here.dir, 'switch', '-qc', 'pull')
    return here
  }

  test('a policy that the pull request does not change is checked once', async () => {
    const plan = await planned(repository())
    expect(plan.refused).toMatchObject([{ file: 'manifests/all.yaml' }])
    expect(plan.policies?.results).toHaveLength(1)
  })

  test.each([
    ['removes the policy', (here: World) => git(here.dir, 'rm', '-qf', 'policies/p.yaml')],
    ['weakens it', (here: World) => here.write('policies/p.yaml', strict.replace('false', 'true'))],
    [
      'adds a waiver',
      (here: World) =>
        here.write('policies/p.yaml', `${strict}  waivers: [{address: "*", reason: r, owner: o, until: 2099-01-01}]\n`),
    ],
    [
      'names another folder',
      (here: World) => {
        here.write('gatewright.yaml', project('  policies: [rules]\n'))
        here.write('rules/p.yaml', policyText('rules: [{assert: "true"}]\n'))
        git(here.dir, 'rm', '-qf', 'policies/p.yaml')
      },
    ],
  ])('a pull request that %s is refused nevertheless', async (_, change) => {
    const here = repository()
    change(here)
    const plan = await planned(here)
    expect(plan.exitCode).toBe(5)
    expect(plan.refused).toMatchObject([{ code: 'policy-violated', message: 'Role/R: never (policy p)' }])
    expect((await here.apply()).exitCode).toBe(5)
  })

  test('an environment with another name is recognized by its target', async () => {
    const environments = (name: string) =>
      `  environments: {${name}: {platform: {url: "http://platform.example", area: 00000000-0000-4000-8000-00000000a4ea}}}\n`
    const here = repository(environments('prod'), strict.replace('spec:\n', 'spec:\n  match: {environments: [prod]}\n'))
    here.write('gatewright.yaml', project(environments('live')))
    git(here.dir, 'rm', '-qf', 'policies/p.yaml')
    expect((await planned(here, '-e', 'live')).exitCode).toBe(5)
  })

  test('unreadable policies at that ref refuse everything', async () => {
    const here = repository('', strict.replace('assert: "false"', 'assert: "fals"'))
    here.write('policies/p.yaml', policyText('rules: [{assert: "true"}]\n'))
    const run = await here.run(['plan'])
    expect(run.exitCode).toBe(1)
    expect(run.stderr).toContain('guard rails at GATEWRIGHT_GUARD_REF, main, cannot be read')
  })

  test('a plan that was made with the variable is applied without it, if both have the same policies', async () => {
    const here = repository('', strict.replace('"false"', '"true"'))
    expect((await here.run(['plan', '--out', 'plan.json'])).exitCode).toBe(0)
    expect((await here.run(['apply', 'plan.json', '--yes'], { env: environment })).exitCode).toBe(0)
  })
})

describe('other commands', () => {
  test('rollback checks the policies for the objects that it restores, and drift checks none', async () => {
    const here = embedded()
    here.declare(service('S', { qpsLimitOverall: 9000 }))
    await here.apply()
    here.declare(service('S', { qpsLimitOverall: 100 }))
    await here.apply()
    here.write(
      'policies/p.yaml',
      policyText('match: {kinds: [Service]}\nrules: [{assert: after.qpsLimitOverall <= 500}]\n'),
    )
    const rolled = await here.run(['rollback', 'latest', '--yes', '-o', 'json'])
    expect(rolled.exitCode).toBe(5)
    expect(rolled.stdout).toContain('policy-violated')
    here.write(
      'policies/p.yaml',
      policyText('match: {kinds: [Service]}\nrules: [{assert: after.qpsLimitOverall <= 500, level: warning}]\n'),
    )
    const warned = await here.run(['rollback', 'latest', '--yes', '-o', 'json'])
    expect([warned.exitCode, warned.json().diagnostics.map(({ code }) => code)]).toEqual([
      0,
      ['still-in-manifests', 'policy-violated'],
    ])
    here.write('policies/p.yaml', policyText('rules: [{assert: "nonsense +"}]\n'))
    expect((await here.drift()).exitCode).toBe(0)
    expect((await here.run(['plan'])).exitCode).toBe(1)
  })
})
