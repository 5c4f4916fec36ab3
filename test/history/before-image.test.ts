import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { environment } from '../kit/world.js'
import { makes } from '../other-make/worlds.js'

/** What records contain about the state before a run. */

const recordsIn = (dir: string): string =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')

test.each(makes)(
  'the keys of a deleted member are in no record, declared or not, on the make "%s"',
  async (_, make) => {
    const area = make()
    const others = [document('Role', 'A'), document('Package', 'P', { plans: [{ name: 'L' }] })]
    const key = { package: 'P', plan: 'L', apikey: '${env:KEY}', secret: '${env:SECRET}' }
    const member = {
      ...{ email: 'a@b', displayName: 'd', externalId: 'x', passwdNew: '${env:PASSWORD}' },
      applications: [{ name: 'shop', packageKeys: [key] }],
    }
    area.declare(...others, document('Member', 'm', member))
    const env = { ...environment, KEY: 'declared-key-1234', SECRET: 'declared-secret-1', PASSWORD: 'a-password-1' }
    expect((await area.run(['apply', '--yes'], { env })).exitCode).toBe(0)
    const rest = await restOf(area.make)
    const [application] = await rest.get('/applications')
    const [pack] = await rest.get('/packages?fields=id,plans.id')
    await rest.post(`/applications/${String(application?.id)}/packageKeys`, {
      ...{ apikey: 'undeclared-key-5678', secret: 'undeclared-secret-1' },
      ...{
        package: { id: pack?.id ?? null },
        plan: { id: (await rest.get(`/packages/${String(pack?.id)}/plans`))[0]?.id ?? null },
      },
    })
    area.declare(...others, { kind: 'Removed', metadata: { address: 'Member/m' } })
    const hazards = ['KEY_LOSS', 'IRREVERSIBLE', 'TRAFFIC_STOP'].flatMap((hazard) => ['--allow', hazard])
    const run = await area.apply(...hazards)
    expect([run.stdout, run.exitCode]).toEqual([run.stdout, 0])
    expect(await rest.get('/members')).toEqual([])
    expect(recordsIn(area.dir)).not.toMatch(/declared-(key|secret)|a-password/)
  },
)
