import { expect, test } from 'vitest'
import { document } from '../../kit/manifests.js'
import { restOf } from '../../kit/rest.js'
import { embedded } from '../../kit/world.js'

/** A plan that deletes more than its limit, and changes a description that somebody has edited on the platform. */
async function refusedWorld() {
  const world = embedded()
  world.declare(document('Service', 'S', { description: 'applied' }), document('Role', 'Gone'))
  await world.apply()
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services')
  await rest.put(`/services/${String(service?.id)}`, { description: 'by hand' })
  world.declare(document('Service', 'S', { description: 'changed' }))
  world.project('  limits: {deletes: 0}\n')
  return world
}

test('the reasons for refusing a plan are results of sarif, at their places', async () => {
  const world = await refusedWorld()
  const { exitCode, stdout } = await world.run(['plan', '--report', 'sarif=-'])
  expect(exitCode).toBe(5)
  const [{ results, tool, automationDetails }] = JSON.parse(stdout).runs
  expect(automationDetails.id).toBe('gatewright/test/plan/')
  expect(tool.driver.rules.map(({ id }: { readonly id: string }) => id)).toEqual(['conflict', 'limit-deletes'])
  const location = (uri: string, startLine: number) => [
    { physicalLocation: { artifactLocation: { uri }, region: { startLine } } },
  ]
  expect(results).toMatchObject([
    { ruleId: 'limit-deletes', level: 'error', locations: location('gatewright.yaml', 1) },
    { ruleId: 'conflict', level: 'error', locations: location('manifests/all.yaml', 6) },
  ])
})

test.each([
  ['with refusals', [], ['limit-deletes', 'conflict']],
  ['without', ['--take', 'manifest', '--prune', 'none'], []],
])('code quality and junit of a plan %s', async (_, options, codes) => {
  const world = await refusedWorld()
  const reported = async (format: string) => (await world.run(['plan', ...options, '--report', `${format}=-`])).stdout
  const issues: readonly { readonly check_name: string }[] = JSON.parse(await reported('gitlab-codequality'))
  expect(issues.map(({ check_name }) => check_name)).toEqual(codes)
  const cases = [...(await reported('junit')).matchAll(/type="denied"/g)]
  expect(cases).toHaveLength(codes.length)
})
