import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { forgetRecords, live, rest, service } from './ci/area.js'
import { runGithub } from './ci/github.js'
import { keepsOneComment, refusesToken, runGitlab } from './ci/gitlab.js'
import { type Shop, shopWith } from './ci/shop.js'

/** The Action and the component of `ci/`, run like the workflows of `init`. */

test('the Action: plan as a comment, apply of exactly that plan, drift as an issue, reports as artifacts', async () => {
  const shop = await shopWith('none')
  const own = readFileSync(join(import.meta.dirname, '../../ci/github/workflow.yaml'), 'utf8')
  shop.write('.github/workflows/gatewright-all.yaml', own)
  const run = (event: 'pull_request' | 'push' | 'schedule', branch: string, more: { readonly fork?: boolean } = {}) =>
    runGithub(shop, { workflow: 'all', event, branch, ...more })

  shop.write('manifests/returns.yaml', service('Returns', 'first'))
  shop.push('returns')
  const opened = await run('pull_request', 'returns')
  expect(opened, JSON.stringify(opened)).toMatchObject({
    validate: { result: 'success' },
    plan: { result: 'success', outputs: { changes: 'true' }, summary: expect.stringContaining('Service/Returns') },
    apply: { result: 'skipped' },
    drift: { result: 'skipped' },
  })
  expect(opened.plan?.artifacts).toEqual({
    'gatewright-validate': ['validate.html', 'validate.md', 'validate.sarif', 'validate.xml'],
    'gatewright-plan': ['plan.html', 'plan.md', 'plan.xml'],
    'gatewright-plan-file': ['gatewright.plan.json'],
  })
  const [comment, ...others] = shop.forge().comments
  expect(others).toEqual([])
  expect(comment?.body).toMatch(/^<!-- gatewright comment \. {2}-->\n[\s\S]*Service\/Returns[\s\S]*\nc0ffee, \[run\]/)
  const forked = await run('pull_request', 'returns', { fork: true })
  expect(forked).toMatchObject({ validate: { result: 'success' }, plan: { result: 'skipped' } })

  // An unreadable manifest fails the check, and the same comment says why.
  shop.write('manifests/returns.yaml', service('Returns', '[a, b]'))
  shop.push('returns')
  const broken = await run('pull_request', 'returns')
  expect(broken).toMatchObject({ validate: { result: 'failure' }, plan: { result: 'failure' } })
  expect(broken.validate?.log).toContain('::error file=manifests/returns.yaml,line=4,')
  expect(shop.forge().comments).toMatchObject([{ body: expect.stringContaining('manifests/returns.yaml:4') }])

  shop.write('manifests/returns.yaml', service('Returns', 'second'))
  shop.push('main')
  const merged = await run('push', 'main')
  expect(merged.apply, merged.apply?.log).toMatchObject({
    result: 'success',
    summary: expect.stringMatching(/9 applied/),
  })
  expect(await live(shop)).toEqual({ Returns: 'second', 'Orders API': 'Order intake and tracking' })
  expect(await run('push', 'main')).toMatchObject({
    plan: { outputs: { changes: 'false' } },
    apply: { result: 'skipped' },
  })

  forgetRecords(shop)
  expect((await run('push', 'main')).apply?.log).toContain('Recorded')
  expect((await run('push', 'main')).apply?.result).toBe('skipped')

  const { services } = await rest(shop, 'GET', '/services?fields=id,name')
  const { id } = services.find(({ name }) => name === 'Returns') ?? { id: '' }
  await rest(shop, 'PUT', `/services/${id}`, { description: 'by hand' })
  expect((await run('schedule', 'main')).drift).toMatchObject({ result: 'failure' })
  expect(shop.forge().issues).toMatchObject([{ state: 'open', body: expect.stringContaining('by hand') }])
  await rest(shop, 'PUT', `/services/${id}`, { description: 'second' })
  expect((await run('schedule', 'main')).drift?.result).toBe('success')
  expect(shop.forge().issues).toMatchObject([{ state: 'closed' }])
})

test('the Action: one comment, also with the token of a person, and if the project file has errors', async () => {
  const shop = await shopWith('none')
  const own = readFileSync(join(import.meta.dirname, '../../ci/github/workflow.yaml'), 'utf8')
  const withToken = own.replace('{command: plan, ', '{command: plan, token: person-token, ')
  shop.write('.github/workflows/gatewright-all.yaml', withToken)
  const project = readFileSync(join(shop.dir, 'gatewright.yaml'), 'utf8')
  for (const [text, result] of [
    [project, 'success'],
    [project.replace('kind: Project', 'kind: Projekt'), 'failure'],
  ] as const) {
    shop.write('gatewright.yaml', text)
    shop.push('returns')
    const { plan } = await runGithub(shop, { workflow: 'all', event: 'pull_request', branch: 'returns' })
    expect(plan?.result, plan?.log).toBe(result)
  }
  expect(shop.forge().comments).toMatchObject([{ user: { login: 'robot' }, body: expect.stringContaining('Projekt') }])
})

test('the Action: environments that GATEWRIGHT_ENV chooses have a comment each', async () => {
  const shop = await shopWith('none', ['dev', 'prod'])
  const own = readFileSync(join(import.meta.dirname, '../../ci/github/workflow.yaml'), 'utf8')
  for (const name of ['dev', 'prod']) {
    const chosen = own.replaceAll(
      'GATEWRIGHT_RECORDS: git',
      `GATEWRIGHT_RECORDS: git\n          GATEWRIGHT_ENV: ${name}`,
    )
    shop.write(`.github/workflows/gatewright-${name}.yaml`, chosen)
  }
  shop.push('returns')
  for (const workflow of ['dev', 'prod']) {
    await runGithub(shop, { workflow, event: 'pull_request', branch: 'returns' })
  }
  expect(shop.forge().comments).toMatchObject([
    { body: expect.stringMatching(/^<!-- gatewright comment \. dev -->\n[\s\S]*shop, dev/) },
    { body: expect.stringMatching(/^<!-- gatewright comment \. prod -->\n[\s\S]*shop, prod/) },
  ])
})

/** Nobody may add a service; the branch removes that policy, and adds a service. */
async function withoutPolicy(): Promise<Shop> {
  const shop = await shopWith('none')
  const own = readFileSync(join(import.meta.dirname, '../../ci/github/workflow.yaml'), 'utf8')
  shop.write('.github/workflows/gatewright-all.yaml', own)
  const component = readFileSync(join(import.meta.dirname, '../../ci/gitlab/gatewright.yml'), 'utf8')
  shop.write('.gitlab/gatewright.yml', component)
  shop.write('.gitlab-ci.yml', 'include: [{local: .gitlab/gatewright.yml}]\n')
  shop.write(
    'policies/services.yaml',
    `apiVersion: gatewright/v1
kind: Policy
metadata: {name: no more services}
spec:
  match: {kinds: [Service], actions: [create]}
  rules: [{assert: 'name != "Returns"'}]
`,
  )
  shop.push('main')
  rmSync(join(shop.dir, 'policies'), { recursive: true })
  shop.write('manifests/returns.yaml', service('Returns', 'first'))
  shop.push('returns')
  return shop
}

test('a pull request that removes a policy from the project is planned with that of the main branch', async () => {
  const shop = await withoutPolicy()
  const { plan } = await runGithub(shop, { workflow: 'all', event: 'pull_request', branch: 'returns' })
  expect([plan?.result, plan?.log]).toEqual(['failure', expect.stringContaining('no more services')])
  const { 'gatewright-plan': merge } = await runGitlab(shop, { branch: 'returns', source: 'merge_request_event' })
  expect([merge?.code, merge?.log]).toEqual([5, expect.stringContaining('no more services')])
})

test('the component: plan as a comment, apply when somebody starts it, reports that GitLab reads', async () => {
  const shop = await shopWith('none')
  shop.write(
    '.gitlab/gatewright.yml',
    readFileSync(join(import.meta.dirname, '../../ci/gitlab/gatewright.yml'), 'utf8'),
  )
  shop.write('.gitlab-ci.yml', 'include: [{local: .gitlab/gatewright.yml, inputs: {job-prefix: shop}}]\n')
  shop.write('manifests/returns.yaml', service('Returns', 'first'))
  shop.push('returns')
  const forked = await runGitlab(shop, { branch: 'returns', source: 'merge_request_event', fork: true })
  expect(forked['shop-validate']?.code, forked['shop-validate']?.log).toBe(0)
  expect(Object.keys(forked)).toEqual(['shop-validate'])
  for (const _ of ['first', 'again']) {
    const opened = await runGitlab(shop, { branch: 'returns', source: 'merge_request_event' })
    expect(opened['shop-plan']?.code, opened['shop-plan']?.log).toBe(0)
    const { 'terraform.json': counts = '', ...others } = opened['shop-plan']?.files ?? {}
    expect(JSON.parse(readFileSync(counts, 'utf8'))).toEqual({ create: 9, update: 0, delete: 0 })
    expect(Object.keys(others)).toEqual(['plan.html'])
    expect(shop.forge().comments).toMatchObject([
      { body: expect.stringMatching(/^<!-- gatewright plan \. {2}-->\n[\s\S]*Service\/Returns/) },
    ])
  }
  await refusesToken(shop, 'shop-plan')
  await keepsOneComment(shop, 'shop-plan')
  shop.push('main')
  const merged = await runGitlab(shop, { branch: 'main', source: 'push' })
  expect(Object.keys(merged)).toEqual(['shop-final-plan', 'shop-apply'])
  expect(merged['shop-apply']?.code, merged['shop-apply']?.log).toBe(0)
  expect(await live(shop)).toEqual({ Returns: 'first', 'Orders API': 'Order intake and tracking' })

  const { services } = await rest(shop, 'GET', '/services?fields=id,name')
  const { id } = services.find(({ name }) => name === 'Returns') ?? { id: '' }
  await rest(shop, 'PUT', `/services/${id}`, { description: 'by hand' })
  const { 'shop-drift': drift } = await runGitlab(shop, { branch: 'main', source: 'schedule' })
  expect(drift?.code).toBe(2)
  expect(readFileSync(drift?.files['junit.xml'] ?? '', 'utf8')).toContain('by hand')
})
