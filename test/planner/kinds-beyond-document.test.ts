import { describe, expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import type { SeedSnapshot } from '../../src/platform/settings.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** Kinds that the document does not have, but recorded platforms do. */

const retail = 'aaaaaaaa-0000-4000-8000-00000000000a'
const mails = 'bbbbbbbb-0000-4000-8000-00000000000b'

const seed: SeedSnapshot = {
  organizations: [
    { id: retail, name: 'Retail', description: 'Shops' },
    { id: 'aaaaaaaa-0000-4000-8000-00000000000c', name: 'Wholesale' },
  ],
  emailTemplateSets: [
    {
      id: mails,
      name: 'Partner mails',
      type: 'Standard',
      emailTemplates: [{ id: 't', type: 'keyActivated', from: 'a' }],
    },
  ],
}

const area = (more: object = {}) => [
  document('Service', 'S', { ...more }),
  document('Package', 'P', { ...more, plans: [{ name: 'Gold', emailTemplateSetId: mails }] }),
]

const recorded = () => embedded({ dialect: 'recorded', seed })

describe('organizations', () => {
  test('services and packages belong to one by its name, keep it if the field is not written, and leave it with null', async () => {
    const on = recorded()
    on.declare(...area({ organization: 'Retail' }))
    expect((await on.apply()).exitCode).toBe(0)
    const { get } = await restOf(on.make)
    expect(await get('/services?fields=organization.name')).toEqual([{ organization: { name: 'Retail' } }])
    expect((await on.plan()).changes).toEqual([])
    on.declare(...area({ organization: null }))
    const { changes } = await on.plan()
    expect(
      changes.map(({ address, fields }) => [address, fields.map(({ path, before, after }) => [path, before, after])]),
    ).toEqual([
      ['Service/S', [['/organization', 'Retail', null]]],
      ['Package/P', [['/organization', 'Retail', null]]],
    ])
    expect((await on.apply()).exitCode).toBe(0)
    expect((await on.plan()).changes).toEqual([])
    on.declare(...area({ organization: 'Retial' }))
    const wrong = await on.run(['plan', '-o', 'json'])
    expect(wrong.stdout).toContain('Retail')
    expect(wrong.exitCode).toBe(1)
  })

  test('are displayed, are referred to in exports, and are never written or deleted', async () => {
    const on = recorded()
    on.declare(...area({ organization: 'Wholesale' }))
    await on.apply()
    expect((await on.run(['get', 'Organization'])).stdout).toContain('Wholesale')
    expect((await on.run(['get', 'Organization', 'Retail'])).stdout).toContain('Shops')
    const { unmanaged, changes } = await on.plan('--prune', 'all')
    expect([unmanaged, changes]).toEqual([[], []])
    const run = await on.run(['export', '--dir', 'elsewhere', '-o', 'json'])
    expect(run.exitCode).toBe(0)
    expect(run.stdout).not.toContain('organizations.yaml')
    on.declare(document('Organization', 'New', { description: 'x' }))
    const made = (await on.plan()).changes.filter(({ kind }) => kind === 'Organization')
    expect(made.map(({ action, reason }) => [action, reason])).toEqual([
      ['blocked', 'nothing shows an operation that writes an organization'],
    ])
  })

  test('do not exist on a platform of the document', async () => {
    for (const on of [embedded({ seed }), world(createOtherMake({}))]) {
      expect((await on.run(['get', 'Organization'])).stdout).toBe('None.\n')
      on.declare(document('Service', 'S', {}))
      expect((await on.apply()).exitCode).toBe(0)
      on.requests()
      expect((await on.plan()).changes).toEqual([])
      expect(new Set(on.requests().map(({ path }) => path))).toEqual(new Set(['/v3/rest/services']))
    }
  })
})

test('email template sets are listed and displayed, and plans refer to them by id', async () => {
  const on = recorded()
  on.declare(...area())
  expect((await on.apply()).exitCode).toBe(0)
  expect((await on.plan()).changes).toEqual([])
  expect((await on.run(['get', 'EmailTemplateSet'])).stdout).toContain('Partner mails')
  expect((await on.run(['get', 'EmailTemplate'])).stdout).toContain('keyActivated')
  const taken = await on.run(['snapshot', '--out', 'area.json'])
  expect(taken.exitCode).toBe(0)
  const again = await on.run(['get', 'EmailTemplateSet', '--snapshot', 'area.json'])
  expect(again.stdout).toContain('Partner mails')
  expect((await on.run(['get', 'EmailTemplate', '--snapshot', 'area.json'])).stdout).toContain('keyActivated')
})

test('a platform of the document does not have such routes', async () => {
  const make = createPlatform({ seed })
  const { get } = await restOf(make)
  for (const path of ['/organizations', '/emailTemplateSets', `/organizations/${retail}`]) {
    await expect(get(path)).rejects.toThrow('404')
  }
})
