import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { childrenOf } from '../../src/fleet/child.js'
import type { ChildCall } from '../../src/ports/child.js'
import { temporaryFolder } from '../kit/folder.js'
import { program } from '../kit/program.js'

/** The children in these tests run a line of JavaScript instead of the program. */
const run = (code: string, more: Partial<ChildCall> = {}) =>
  childrenOf([process.execPath, '-e', code, '--'])({
    args: ['drift', 'two words'],
    cwd: import.meta.dirname,
    env: { OWN: 'yes' },
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    ...more,
  })

describe('a child', () => {
  it('gets its arguments and its variables, and none of ours', async () => {
    process.env.CHILD_CANARY = 'ours'
    const code =
      'console.log(JSON.stringify([process.argv.slice(1), process.env.OWN, process.env.CHILD_CANARY ?? null]))'
    const end = await run(code)
    delete process.env.CHILD_CANARY
    expect(end).toEqual({
      ...{ is: 'exited', code: 0, stderr: '' },
      stdout: '[["drift","two words"],"yes",null]\n',
    })
  })

  it('ends with its exit code and its last output', async () => {
    expect(await run('console.error("why"); process.exitCode = 5')).toEqual({
      ...{ is: 'exited', code: 5, stdout: '', stderr: 'why\n' },
    })
  })

  it('may crash', async () => {
    expect(await run('process.kill(process.pid, "SIGKILL")')).toMatchObject({
      is: 'killed',
      code: null,
      reason: 'SIGKILL',
    })
  })

  it('that hangs is asked to end', async () => {
    expect(await run('setInterval(() => 0, 1000)', { timeoutMs: 1 })).toMatchObject({ is: 'timed out' })
  })

  it('is asked to end when the user interrupts, and finishes', async () => {
    const dir = temporaryFolder()
    const ready = join(dir, 'ready')
    const interruption = new AbortController()
    const code = `
      process.on('SIGTERM', () => { console.log('finished'); process.exit(130) })
      setInterval(() => 0, 1000)
      require('node:fs').writeFileSync(${JSON.stringify(ready)}, '')`
    const ended = run(code, { signal: interruption.signal })
    await expect.poll(() => existsSync(ready)).toBe(true)
    interruption.abort()
    expect(await ended).toMatchObject({ is: 'exited', code: 130, stdout: 'finished\n' })
  })

  it('that cannot be started is reported', async () => {
    const child = childrenOf(['/nowhere/gatewright'])
    const end = await child({
      ...{ args: [], cwd: import.meta.dirname, env: {}, timeoutMs: 1000 },
      signal: new AbortController().signal,
    })
    expect(end).toMatchObject({ is: 'failed', code: null, reason: expect.stringContaining('ENOENT') })
  })
})

it.skipIf(!existsSync('/proc/self/cmdline'))('ends with its parent process, however that ended', async () => {
  const dir = temporaryFolder()
  // The real program as a child: it serves until it is asked to end.
  const ended = join(dir, 'ended')
  const parent = `
    const { childrenOf } = await import(${JSON.stringify(new URL('../../src/fleet/child.ts', import.meta.url).href)})
    const run = childrenOf([process.execPath, ${JSON.stringify(program)}])
    process.stdout.write('started')
    const call = { args: ['platform', '--port', '0', '--data', ${JSON.stringify(ended)}], cwd: '/', timeoutMs: 60_000 }
    await run({ ...call, env: {}, signal: new AbortController().signal })`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', parent], { stdio: 'pipe' })
  await once(child.stdout, 'data')
  const children = () => readdirSync('/proc').filter((pid) => isOurs(pid, ended))
  await expect.poll(() => children().length).toBeGreaterThan(0)
  child.kill('SIGKILL')
  await expect.poll(() => children().length).toBe(0)
})

function isOurs(pid: string, words: string): boolean {
  try {
    return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`--data\0${words}`)
  } catch {
    return false
  }
}
