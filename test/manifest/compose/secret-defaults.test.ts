import { expect, test } from 'vitest'
import { document } from '../../kit/manifests.js'
import { restOf } from '../../kit/rest.js'
import { embedded, environment } from '../../kit/world.js'

test('defaults of an object may be secrets, as those of the project: they are sent, and never displayed', async () => {
  const env = { ...environment, GATE_WORD: 'canary-word-1234', HOST_WORD: 'canary-text-5678' }
  const world = embedded({ autoApprove: true }, { env })
  const defaults = {
    SystemDomainAuthentication: { username: 'u', password: '${env:GATE_WORD}' },
    Endpoint: { outboundRequestTargetPath: '/${env:HOST_WORD}' },
  }
  const domains = { trafficManagerDomain: 'a.example', publicDomains: ['a.example'], systemDomains: ['b.example'] }
  const endpoint = {
    ...{ name: 'e', requestPathAlias: '/e', ...domains, supportedHttpMethods: ['get'] },
    ...{ requestProtocol: 'rest', systemDomainAuthentication: { type: 'httpBasic' } },
  }
  world.declare(
    document('Domain', 'a.example'),
    document('Domain', 'b.example'),
    document('Service', { name: 'S', defaults }, { endpoints: [endpoint] }),
  )
  const runs = [await world.run(['validate']), await world.run(['plan']), await world.run(['apply', '--yes'])]
  runs.push(await world.run(['explain', 'Service/S/Endpoint/e']), await world.run(['render']))
  for (const { stdout, stderr, exitCode } of runs) {
    expect(stdout + stderr).not.toMatch(/canary/)
    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('error')])
  }
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services')
  const fields = 'name,outboundRequestTargetPath'
  const [live] = await rest.get(`/services/${String(service?.id)}/endpoints?fields=${fields}`)
  expect(JSON.stringify(live)).toContain('/canary-text-5678')
  expect((await world.plan()).changes).toEqual([])
})

test('other metadata may hold no secret', async () => {
  const world = embedded({}, { env: { ...environment, WORD: 'canary-word-1234' } })
  world.declare(document('Service', { name: 'S', labels: { team: '${env:WORD}' } }))
  const { exitCode, stdout } = await world.run(['validate'])
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining('[secret-name]')])
})
