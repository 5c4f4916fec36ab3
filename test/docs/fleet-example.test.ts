import { join } from 'node:path'
import { expect, it } from 'vitest'
import { gatewright } from '../cli/run.js'

const cwd = join(import.meta.dirname, '../../examples/fleet')

it('examples/fleet has no problem', async () => {
  const { exitCode, stdout, stderr } = await gatewright(['fleet', 'validate'], { cwd })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).toContain('OK: 3 areas of 1 project.')
  expect(stdout).not.toMatch(/warning|error/)
})
