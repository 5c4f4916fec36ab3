import fc from 'fast-check'
import { expect, test } from 'vitest'
import { projectText } from '../kit/manifests.js'
import { environment, worldIn } from '../kit/world.js'
import { manifestsOf, similarAreas } from './area.js'
import { applied, platform, runs, within } from './within.js'

const elsewhere = projectText(`  records: "file:elsewhere"
  limits: {deletes: 10000, changedPercent: 100}
`)

test('without records nothing is deleted, replaced or unset, and nothing is written that a plan with records would not write', async () => {
  await fc.assert(
    fc.asyncProperty(similarAreas('known'), similarAreas('known'), async (first, second) => {
      await within(platform(), first, async (world) => {
        await applied(world)
        const next = worldIn(world.dir, world.make, { ...world.io, env: { ...environment, ...second.env } })
        next.declare(...manifestsOf(second))
        const known = await next.plan()
        next.write('gatewright.yaml', elsewhere)
        const blind = await next.plan()
        if (known.changes === undefined || blind.changes === undefined) return
        const fieldsOf = (changes: typeof known.changes) =>
          changes.flatMap((change) => change.fields.map(({ path }) => `${change.address} ${path}`))
        const addresses = new Set(known.changes.map(({ address }) => address))
        const fields = new Set(fieldsOf(known.changes))
        // An object that a manifest sets to null is removed explicitly.
        const deleted = blind.changes.filter(
          ({ action, reason }) => action === 'delete' && reason !== 'the manifest says null',
        )
        expect(deleted).toEqual([])
        expect(blind.changes.filter(({ action }) => action === 'replace')).toEqual([])
        expect(blind.changes.filter(({ address }) => !addresses.has(address))).toEqual([])
        const updates = blind.changes.filter(({ action }) => action === 'update')
        expect(fieldsOf(updates).filter((field) => !fields.has(field))).toEqual([])
      })
    }),
    runs(8),
  )
})
