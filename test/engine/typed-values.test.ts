import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { embedded, type World } from '../kit/world.js'

/** Values of the command line (design §2.1): they are written into plan and record, because no file of the project has them. */

function withValues(): World {
  const here = embedded()
  const spec = { manifests: ['manifests'], values: { word: { type: 'string' }, speed: 5 } }
  here.write(
    'gatewright.yaml',
    JSON.stringify({ apiVersion: 'gatewright/v1', kind: 'Project', metadata: { name: 'shop' }, spec }),
  )
  here.declare(document('Service', 'Orders', { description: 'of ${value:word}', qpsLimitOverall: '${value:speed}' }))
  return here
}

test('a saved plan has the values with which it was made, and apply uses them', async () => {
  const here = withValues()
  const planned = await here.run(['plan', '--out', 'p.json', '--value', 'word=a=b', '--value', 'speed=7'])
  expect(planned.stdout).toContain('\nValues: word=a=b, speed=7\n')
  expect(await here.run(['apply', 'p.json', '--yes'])).toMatchObject({ exitCode: 0 })
  const shown = await here.run(['show', 'latest', '-o', 'json'])
  expect(JSON.parse(shown.stdout)).toMatchObject({ values: { word: 'a=b', speed: '7' } })
  expect((await here.run(['show', 'latest'])).stdout).toContain('\n  values     word=a=b, speed=7\n')
})

test('other values than those of a saved plan make it stale', async () => {
  const here = withValues()
  await here.run(['plan', '--out', 'p.json', '--value', 'word=a'])
  expect(await here.run(['apply', 'p.json', '--yes', '--value', 'word=b'])).toMatchObject({ exitCode: 4 })
})

test('without values of the command line, plans and records do not mention them', async () => {
  const here = withValues()
  here.declare(document('Service', 'Orders', { qpsLimitOverall: '${value:speed}' }))
  expect(JSON.parse((await here.run(['plan', '-o', 'json'])).stdout)).not.toHaveProperty('values')
})
