import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { forgetRecords, limitDeletes, live, rest, service } from './ci/area.js'
import { runGithub } from './ci/github.js'
import { keepsOneComment, refusesToken, runGitlab } from './ci/gitlab.js'
import { shopWith } from './ci/shop.js'

/** The workflows that `init` writes: their shell steps run in order, in fresh clones, with the published package. */

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

  // The same from a fork: without secrets it is only validated.
  const forked = await runGithub(shop, { workflow: 'plan', branch: 'returns', fork: true })
  expect(forked).toMatchObject({ validate: { result: 'success' }, plan: { result: 'skipped' } })

  // Later pushes to it: the same comment has the new result.
  shop.write('manifests/returns.yaml', service('Returns', '[a, b]'))
  shop.push('returns')
  const broken = await runGithub(shop, { workflow: 'plan', branch: 'returns' })
  expect(broken).toMatchObject({ validate: { result: 'failure' }, plan: { result: 'failure' } })
  expect(shop.forge().comments).toMatchObject([{ body: expect.stringContaining('manifests/returns.yaml:4') }])
  shop.write('manifests/returns.yaml', service('Goods Returns', 'second'))
  shop.push('returns')
  await runGithub(shop, { workflow: 'plan', branch: 'returns' })
  expect(shop.forge().comments.map(({ body }) => body)).toEqual([expect.stringContaining('Service/Goods Returns')])

  // Merged, here with options like a manual run: the plan that was saved for the approval is applied.
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

  // Nothing to do: no approval is requested.
  const again = await runGithub(shop, { workflow: 'apply', branch: 'main' })
  expect(again).toMatchObject({ plan: { result: 'success', outputs: { changes: 'no' } }, apply: { result: 'skipped' } })

  // Changed on the platform: one issue, which is kept, and closed when there is no drift any more.
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

  // Removed from the manifests: the records in the remote show that it was ours. More deletes than the limit: the check fails,
  // and the comment says why, however long it is.
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

  // An area without records: the first apply creates the base, although it changes nothing.
  forgetRecords(shop)
  const adopted = await runGithub(shop, { workflow: 'apply', branch: 'main' })
  expect(adopted.apply, adopted.plan?.log).toMatchObject({
    result: 'success',
    log: expect.stringContaining('Recorded'),
  })
  expect((await runGithub(shop, { workflow: 'apply', branch: 'main' })).apply?.result).toBe('skipped')
})

test('GitHub with environments: each is planned, applied one after another, and has its own drift', async () => {
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

  // An apply that changes nothing in one environment is recorded there nevertheless, so that the next environment gets it.
  const { url, area } = shop.platformOf('dev')
  const project = readFileSync(join(shop.dir, 'gatewright.yaml'), 'utf8')
    .replace('    dev:\n', `    dev:\n      platform: {url: "${url}", area: ${area}}\n`)
    .replace('    prod:\n', '    prod:\n      guard: {after: dev}\n')
  shop.write('gatewright.yaml', project)
  shop.write(
    'manifests/only.yaml',
    'apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: Only, environments: [prod]}\n',
  )
  shop.push('main')
  const guarded = await runGithub(shop, { workflow: 'apply', branch: 'main' })
  expect(guarded, JSON.stringify(guarded)).toMatchObject({
    'dev / apply': { result: 'skipped' },
    'prod / apply': { result: 'success' },
  })
  expect(await live(shop, 'prod')).toHaveProperty('Only')

  // A change that fails in one environment does not reach the next.
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
})

test('GitLab: a merge request is planned, its merge is applied when somebody starts it, and drift is an artifact', async () => {
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
  await refusesToken(shop, 'gatewright-plan')
  await keepsOneComment(shop, 'gatewright-plan')
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
})

test('GitLab with environments: each is planned, applied one after another, and has its own drift', async () => {
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
})
