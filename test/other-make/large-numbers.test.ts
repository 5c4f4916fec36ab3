import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { embedded, type World, world } from '../kit/world.js'
import { createOtherMake } from './area.js'

const makes: readonly (readonly [string, string, () => World])[] = [
  ['the embedded platform', '', () => embedded()],
  ['the embedded platform as recorded ones', 'cacheTtlOverride', () => embedded({ dialect: 'recorded' })],
  ['another make', '', () => world(createOtherMake())],
  ['one that answers numbers as texts', '', () => world(createOtherMake({ numbers: 'texts' }))],
]

const large = ['12345678901234567000', '-12345678901234567000', '0.12345678901234567', '1e21', '1.5e300']

test.each(makes.flatMap(([name, field, make]) => large.map((number) => [name, number, field, make] as const)))(
  '%s: %s is sent once, as a text and in a field that allows a fraction',
  async (_, number, field, make) => {
    const area = make()
    area.project(`  values: {text: {type: string, default: "${number}"}}\n`)
    area.declare(document('Domain', 'example.com'))
    area.write(
      'manifests/s.yaml',
      `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec:
  version: "\${value:text}"
  endpoints:
    - name: e
      requestPathAlias: /e/v1/
      trafficManagerDomain: api.example.com
      publicDomains: [api.example.com]
      systemDomains: [api.example.com]
      supportedHttpMethods: [get]
${field === '' ? '' : `      cache: {${field}: ${number}}\n`}---
apiVersion: gatewright/v1
kind: Package
metadata: {name: P}
spec: {eav: {a: ${number}}}
`,
    )
    const first = await area.apply()
    expect(first.exitCode, first.stdout).toBe(0)
    expect((await area.plan()).changes).toEqual([])
    const drift = await area.drift()
    expect([drift.exitCode, drift.json().changes]).toEqual([0, []])
    expect((await area.run(['get', 'Service/S', '-o', 'yaml'])).stdout).toContain(`version: "${number}"`)
  },
)
