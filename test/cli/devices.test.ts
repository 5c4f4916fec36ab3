import { expect, test } from 'vitest'
import { embedded } from '../kit/world.js'

test.runIf(process.platform === 'linux').each([
  ['a snapshot', ['plan', '--snapshot', '/dev/zero']],
  ['a saved plan', ['apply', '/dev/zero', '--yes']],
  ['a seed', ['platform', '--port', '0', '--seed', '/dev/zero']],
  ['acceptances', ['plan', '--accepted', '/dev/zero']],
  ['manifests', ['plan', '-f', '/dev/zero']],
])('a device without an end is refused as %s', async (_, command) => {
  const area = embedded()
  area.write('manifests/all.yaml', 'apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: R}\n')
  const run = await area.run(command)
  expect(run.stderr).toContain('not an ordinary file but a pipe, a device or a socket')
  expect(run.exitCode).toBe(1)
})
