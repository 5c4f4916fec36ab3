import { expect, test } from 'vitest'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { canaries, storefront } from '../kit/storefront.js'
import { embedded, environment } from '../kit/world.js'

test.each(['document', 'recorded'] as const)('x %s', async (dialect) => {
  const world = embedded({ dialect }, { env: { ...environment, ...canaries } })
  world.declare(...storefront)
  const applied = await world.apply()
  expect(applied.exitCode).toBe(0)
  const run = await world.run(['export', '--dir', 'out'])
  console.log(run.stdout, run.stderr)
  const out = join(world.dir, 'out')
  if (dialect === 'document') for (const f of readdirSync(out, { recursive: true })) { if (String(f).endsWith('.yaml')) console.log(`=== ${String(f)}\n` + readFileSync(join(out, String(f)), 'utf8')) }
  const again = await world.run(['export', '--dir', 'out'])
  console.log(again.stdout, again.stderr)
})
