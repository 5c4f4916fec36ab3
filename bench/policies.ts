import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { here, inTurns, program, type Row, runNode, startPlatform } from './measure.js'
import { type AreaSize, objectsOf, writeManifests, writeProject } from './reference-area.js'

const count = 20

/** The cost of policies for a plan without changes, in processor time, because a busy machine makes every run slower. */
export async function policiesOfPlan(dir: string, size: AreaSize, times: number): Promise<readonly Row[]> {
  const ruled = `${dir}-ruled`
  for (const folder of [dir, ruled]) {
    writeProject(folder, { concurrency: 8 })
    writeManifests(folder, size, 'nothing')
  }
  mkdirSync(join(ruled, 'policies'))
  for (let number = 0; number < count; number += 1) {
    writeFileSync(join(ruled, 'policies', `policy-${number}.yaml`), policyText(number))
  }
  const platform = await startPlatform({ size, keep: 'nothing' })
  try {
    const planned = async (cwd: string): Promise<number> => {
      const args = ['--import', here('./peak.mjs'), program, 'plan', '--quiet']
      const { cpuMs, stdout, stderr } = await runNode(args, { cwd, env: platform.env })
      if (!stdout.includes('nothing to do')) throw new Error(stdout + stderr)
      return cpuMs
    }
    const [without = 0, withPolicies = 0] = await inTurns(
      times,
      () => planned(dir),
      () => planned(ruled),
    )
    return [
      {
        name: `no-change plan of ${objectsOf(size).toLocaleString('en')} objects with ${count} policies, CPU time`,
        floor: `the same without: ${without.toFixed(0)} ms`,
        figure: `${withPolicies.toFixed(0)} ms`,
        ratio: withPolicies / without,
        limit: 1.1,
      },
    ]
  } finally {
    platform.stop()
  }
}

const policyText = (number: number): string => `apiVersion: gatewright/v1
kind: Policy
metadata: {name: policy ${number}}
spec:
  match: {kinds: [Endpoint], actions: [create, update, replace]}
  rules:
    - assert: "!has(after.connectionTimeoutForSystemDomainRequest) || after.connectionTimeoutForSystemDomainRequest <= ${10 + number}"
      message: "'waits for ' + string(after.connectionTimeoutForSystemDomainRequest) + ' s'"
      at: /connectionTimeoutForSystemDomainRequest
    - assert: after.?publicDomains.orValue([]).all(domain, domain.endsWith("example.com"))
  tests:
    - {change: {kind: Endpoint, after: {connectionTimeoutForSystemDomainRequest: 60}}, expect: error}
`
