import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runGithub } from './ci/github.js'
import { runGitlab } from './ci/gitlab.js'
import { type Shop, shopWith } from './ci/shop.js'

/**
 * The workflows that `init` writes, and those with the Action and the component of `ci/`, run: their shell steps in order, in fresh
 * clones, with the package as it is published.
 */

const service = (name: string, description: string): string =>
  `apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: ${name}}\nspec: {description: ${description}}\n`

/** The services of the area, with their descriptions. */
async function live(shop: Shop, environment = ''): Promise<Readonly<Record<string, string>>> {
  const { ok, services } = await rest(shop, 'GET', '/services?fields=id,name,description', undefined, environment)
  expect(ok).toBe(true)
  return Object.fromEntries(services.map(({ name, description }) => [name, description]))
}

function limitDeletes(shop: Shop, limit: number): void {
  const project = readFileSync(join(shop.dir, 'gatewright.yaml'), 'utf8')
  shop.write('gatewright.yaml', project.replace(/deletes: \d+/, `deletes: ${limit}`))
}

interface LiveService {
  readonly id: string
  readonly name: string
  readonly description: string
}

async function rest(shop: Shop, method: string, path: string, body?: object, environment = '') {
  const platform = shop.platformOf(environment)
  const token = await fetch(`${platform.url}/v3/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${platform.apiKey}:${platform.apiSecret}`)}` },
    body: new URLSearchParams({
      grant_type: 'password',
      username: platform.username,
      password: platform.password,
      scope: platform.area,
    }),
  })
  const { access_token } = (await token.json()) as { readonly access_token: string }
  const answer = await fetch(`${platform.url}/v3/rest${path}`, {
    method,
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const services = (await answer.json()) as readonly LiveService[]
  return { ok: answer.ok, services }
}

test('GitHub: a pull request is planned, its merge approved and applied, deletes included, and drift becomes an issue', async () => {
  const shop = await shopWith('github')

  // A pull request: checked, planned, and commented on.
  shop.write('manifests/returns.yaml', service('Returns', 'first'))
  shop.push('returns')
  const opened = await runGithub(shop, { workflow: 'plan', branch: 'returns' })
  expect(opened, JSON.stringify(opened)).toMatchObject({ validate: { result: 'success' }, plan: { result: 'success' } })
  expect(opened.plan?.summary).toContain('Service/Returns')
  expect(shop.forge().comments).toEqual([
    { ...shop.forge().comments[0], body: expect.stringMatching(/^<!-- gatewright plan -->\n[\s\S]*Service\/Returns/) },
  ])
  expect(await live(shop)).toEqual({})

  // The same from a fork: without secrets it is validated, and that is all.
  const forked = await runGithub(shop, { workflow: 'plan', branch: 'returns', fork: true })
  expect(forked).toMatchObject({ validate: { result: 'success' }, plan: { result: 'skipped' } })

  // Other pushes to it: the same comment says what is true now.
  shop.write('manifests/returns.yaml', service('Returns', '[a, b]'))
  shop.push('returns')
  const broken = await runGithub(shop, { workflow: 'plan', branch: 'returns' })
  expect(broken).toMatchObject({ validate: { result: 'failure' }, plan: { result: 'failure' } })
  expect(shop.forge().comments).toMatchObject([{ body: expect.stringContaining('manifests/returns.yaml:4') }])
  shop.write('manifests/returns.yaml', service('Goods Returns', 'second'))
  shop.push('returns')
  await runGithub(shop, { workflow: 'plan', branch: 'returns' })
  expect(shop.forge().comments.map(({ body }) => body)).toEqual([expect.stringContaining('Service/Goods Returns')])

  // Merged, here with options as a run by hand has them: what is applied is the plan that was saved for the approval.
  shop.push('main')
  const merged = await runGithub(shop, {
    workflow: 'apply',
    branch: 'main',
    options: '--skip-blocked --allow KEY_LOSS',
  })
  expect(merged, merged.apply?.log).toMatchObject({
    plan: { outputs: { changes: 'yes' } },
    apply: { result: 'success' },
  })
  expect(merged.plan?.summary).toContain('Service/Goods Returns')
  expect(merged.apply?.summary).toMatch(/^<!-- gatewright apply \w+ -->\n### [\s\S]*\b9 applied\b/)
  expect(await live(shop)).toEqual({ 'Goods Returns': 'second', 'Orders API': 'Order intake and tracking' })
  expect(shop.git('ls-remote', 'origin')).toContain('refs/gatewright/')

  // Nothing to do: nobody is asked to approve it.
  const again = await runGithub(shop, { workflow: 'apply', branch: 'main' })
  expect(again).toMatchObject({ plan: { result: 'success', outputs: { changes: 'no' } }, apply: { result: 'skipped' } })

  // Changed behind git's back: one issue, which is kept, and closed when all is well again.
  const { services } = await rest(shop, 'GET', '/services?fields=id,name')
  const { id } = services.find(({ name }) => name === 'Goods Returns') ?? { id: '' }
  for (const description of ['by hand', 'by another hand']) {
    await rest(shop, 'PUT', `/services/${id}`, { description })
    const drifted = await runGithub(shop, { workflow: 'drift', branch: 'main' })
    expect(drifted.drift).toMatchObject({ result: 'failure', summary: expect.stringContaining(description) })
    expect(shop.forge().issues).toMatchObject([{ state: 'open', body: expect.stringContaining(description) }])
  }
  await rest(shop, 'PUT', `/services/${id}`, { description: 'second' })
  expect((await runGithub(shop, { workflow: 'drift', branch: 'main' })).drift?.result).toBe('success')
  expect(shop.forge().issues).toMatchObject([{ state: 'closed' }])

  // Gone from the manifests: the records that the remote keeps say that it was ours. More deletes than the limit: the check
  // fails, and the comment says why, however much there is to say.
  shop.git('rm', '--quiet', 'manifests/example.yaml')
  limitDeletes(shop, 1)
  const many = Array.from({ length: 300 }, (_, index) => service(`Service ${index}`, 'd'.repeat(300)))
  shop.write('manifests/many.yaml', many.join('---\n'))
  shop.push('cleanup')
  const refused = await runGithub(shop, { workflow: 'plan', branch: 'cleanup' })
  expect(refused.plan).toMatchObject({ result: 'failure', log: expect.stringContaining('Plan: exit code 5') })
  expect(shop.forge().comments).toHaveLength(1)
  const { body = '' } = shop.forge().comments[0] ?? {}
  expect(body.slice(0, 1_000)).toContain('limits.deletes')
  expect(body.length).toBeGreaterThan(50_000)
  expect(body.length).toBeLessThanOrEqual(65_536)
  expect(body).toContain('/actions/runs/17)')

  limitDeletes(shop, 20)
  shop.git('rm', '--quiet', 'manifests/many.yaml')
  shop.push('main')
  const cleaned = await runGithub(shop, { workflow: 'apply', branch: 'main' })
  expect(cleaned.apply?.result, `${cleaned.plan?.log}${cleaned.apply?.log}`).toBe('success')
  expect(await live(shop)).toEqual({ 'Goods Returns': 'second' })
}, 300_000)

test('GitHub with environments: each is planned, one after the other is applied, and each has its drift', async () => {
  const shop = await shopWith('github', ['dev', 'prod'])
  shop.write('manifests/returns.yaml', service('Returns', '"of ${value:domain}"'))
  shop.push('returns')
  const opened = await runGithub(shop, { workflow: 'plan', branch: 'returns' })
  expect(opened, JSON.stringify(opened)).toMatchObject({
    'plan (dev)': { result: 'success' },
    'plan (prod)': { result: 'success' },
  })
  expect(shop.forge().comments.map(({ body }) => body)).toEqual([
    expect.stringMatching(/^<!-- gatewright plan dev -->\n[\s\S]*of dev\.example\.com/),
    expect.stringMatching(/^<!-- gatewright plan prod -->\n[\s\S]*of example\.com/),
  ])

  shop.push('main')
  const merged = await runGithub(shop, { workflow: 'apply', branch: 'main' })
  expect(merged, JSON.stringify(merged)).toMatchObject({
    'dev / apply': { result: 'success' },
    'prod / apply': { result: 'success' },
  })
  expect((await live(shop, 'dev')).Returns).toBe('of dev.example.com')
  expect((await live(shop, 'prod')).Returns).toBe('of example.com')

  // What fails in one environment does not reach the next.
  const { services } = await rest(shop, 'GET', '/services?fields=id,name', undefined, 'prod')
  const { id } = services.find(({ name }) => name === 'Returns') ?? { id: '' }
  await rest(shop, 'PUT', `/services/${id}`, { description: 'by hand' }, 'prod')
  const drifted = await runGithub(shop, { workflow: 'drift', branch: 'main' })
  expect(drifted).toMatchObject({ 'drift (dev)': { result: 'success' }, 'drift (prod)': { result: 'failure' } })
  expect(shop.forge().issues).toMatchObject([{ title: 'Drift of prod from git', state: 'open' }])
  shop.write('manifests/returns.yaml', service('Returns', '[a]'))
  shop.push('main')
  const broken = await runGithub(shop, { workflow: 'apply', branch: 'main' })
  expect(broken).toMatchObject({ dev: { result: 'failure' }, prod: { result: 'skipped' } })
}, 300_000)

test('the Action: plan as a comment, apply of just that plan, drift as an issue, reports as artifacts', async () => {
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
  expect(comment?.body).toMatch(/^<!-- gatewright plan shop -->\n[\s\S]*Service\/Returns[\s\S]*\nc0ffee, \[run\]/)
  const forked = await run('pull_request', 'returns', { fork: true })
  expect(forked).toMatchObject({ validate: { result: 'success' }, plan: { result: 'skipped' } })

  // What cannot be read, and what apply would refuse, fails the check, and the same comment says why.
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

  const { services } = await rest(shop, 'GET', '/services?fields=id,name')
  const { id } = services.find(({ name }) => name === 'Returns') ?? { id: '' }
  await rest(shop, 'PUT', `/services/${id}`, { description: 'by hand' })
  expect((await run('schedule', 'main')).drift).toMatchObject({ result: 'failure' })
  expect(shop.forge().issues).toMatchObject([{ state: 'open', body: expect.stringContaining('by hand') }])
  await rest(shop, 'PUT', `/services/${id}`, { description: 'second' })
  expect((await run('schedule', 'main')).drift?.result).toBe('success')
  expect(shop.forge().issues).toMatchObject([{ state: 'closed' }])

  shop.git('rm', '--quiet', 'manifests/example.yaml')
  limitDeletes(shop, 1)
  shop.push('cleanup')
  const refused = await run('pull_request', 'cleanup')
  expect(refused.plan).toMatchObject({ result: 'failure', log: expect.stringContaining('exit code 5') })
  expect(shop.forge().comments).toMatchObject([{ body: expect.stringContaining('limits.deletes') }])
}, 300_000)

test('GitLab: a merge request is planned, its merge applied when somebody says so, and drift is an artifact', async () => {
  const shop = await shopWith('gitlab')
  shop.write('manifests/returns.yaml', service('Returns', 'first'))
  shop.push('returns')
  const forked = await runGitlab(shop, { branch: 'returns', source: 'merge_request_event', fork: true })
  expect(forked).toEqual({ 'gatewright-validate': { ...forked['gatewright-validate'], code: 0 } })
  for (const name of ['Returns', 'Goods Returns']) {
    shop.write('manifests/returns.yaml', service(name, 'first'))
    shop.push('returns')
    const opened = await runGitlab(shop, { branch: 'returns', source: 'merge_request_event' })
    expect(Object.keys(opened)).toEqual(['gatewright-validate', 'gatewright-plan'])
    expect(opened['gatewright-plan']?.code, opened['gatewright-plan']?.log).toBe(0)
    expect(shop.forge().comments).toMatchObject([{ body: expect.stringContaining(`Service/${name}<`) }])
  }
  shop.push('main')
  const variables = { GATEWRIGHT_OPTIONS: '--skip-blocked --allow KEY_LOSS' }
  const merged = await runGitlab(shop, { branch: 'main', source: 'web', variables })
  expect(Object.keys(merged)).toEqual(['gatewright-final-plan', 'gatewright-apply'])
  expect(merged['gatewright-apply']?.code, merged['gatewright-apply']?.log).toBe(0)
  expect(await live(shop)).toEqual({ 'Goods Returns': 'first', 'Orders API': 'Order intake and tracking' })
  expect(shop.git('ls-remote', 'origin')).toContain('refs/gatewright/')

  const { services } = await rest(shop, 'GET', '/services?fields=id,name')
  const { id } = services.find(({ name }) => name === 'Goods Returns') ?? { id: '' }
  await rest(shop, 'PUT', `/services/${id}`, { description: 'by hand' })
  const { 'gatewright-drift': drift, ...others } = await runGitlab(shop, { branch: 'main', source: 'schedule' })
  expect(others).toEqual({})
  expect(drift?.code).toBe(2)
  expect(readFileSync(drift?.files['drift.md'] ?? '', 'utf8')).toContain('by hand')

  // Refused: the check fails, and the comment says why.
  await rest(shop, 'PUT', `/services/${id}`, { description: 'first' })
  shop.git('rm', '--quiet', 'manifests/example.yaml')
  limitDeletes(shop, 1)
  shop.push('cleanup')
  const refused = await runGitlab(shop, { branch: 'cleanup', source: 'merge_request_event' })
  expect(refused['gatewright-plan']?.code).toBe(5)
  expect(shop.forge().comments).toMatchObject([{ body: expect.stringContaining('limits.deletes') }])
}, 300_000)

test('GitLab with environments: each is planned, one after the other is applied, and each has its drift', async () => {
  const shop = await shopWith('gitlab', ['dev', 'prod'])
  shop.push('returns')
  const opened = await runGitlab(shop, { branch: 'returns', source: 'merge_request_event' })
  const [dev, prod] = ['gatewright-plan: [dev]', 'gatewright-plan: [prod]'].map((name) => opened[name])
  expect([dev?.code, prod?.code], `${dev?.log}${prod?.log}`).toEqual([0, 0])
  expect(shop.forge().comments.map(({ body }) => body)).toEqual([
    expect.stringMatching(/^<!-- gatewright plan dev -->/),
    expect.stringMatching(/^<!-- gatewright plan prod -->/),
  ])
  const merged = await runGitlab(shop, { branch: 'main', source: 'push' })
  expect(Object.entries(merged).map(([name, { code }]) => [name, code])).toEqual([
    ['gatewright-final-plan-dev', 0],
    ['gatewright-apply-dev', 0],
    ['gatewright-final-plan-prod', 0],
    ['gatewright-apply-prod', 0],
  ])
  for (const each of ['dev', 'prod']) expect(Object.keys(await live(shop, each))).toEqual(['Orders API'])
  const drifted = await runGitlab(shop, { branch: 'main', source: 'schedule' })
  expect(Object.values(drifted).map(({ code }) => code)).toEqual([0, 0])
}, 300_000)

test('the component: plan as a comment, apply when somebody says so, reports that GitLab reads', async () => {
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
      { body: expect.stringMatching(/^<!-- gatewright plan shop -->\n[\s\S]*Service\/Returns/) },
    ])
  }
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
}, 300_000)
