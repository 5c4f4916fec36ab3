import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { program } from '../kit/program.js'

/** The real process. */

const start = (...args: readonly string[]) =>
  spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

describe('the process', () => {
  it('reports nothing if its reader goes away', async () => {
    const child = start('explain', '-o', 'json')
    let stderr = ''
    child.stderr.on('data', (part) => {
      stderr += part
    })
    child.stdout.destroy()
    const [exitCode] = await once(child, 'close')
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'the platform prints one line of JSON, and stops cleanly on %s',
    async (signal) => {
      const child = start('platform', '--port', '0', '-o', 'json')
      let stdout = ''
      child.stdout.on('data', (part) => {
        stdout += part
        if (stdout.endsWith('\n')) child.kill(signal)
      })
      const [exitCode] = await once(child, 'close')
      expect(exitCode).toBe(0)
      expect(stdout.split('\n')).toHaveLength(2)
      expect(Object.keys(JSON.parse(stdout))).toEqual(['url', 'area', 'apiKey', 'apiSecret', 'username', 'password'])
    },
  )
})
