import { expect, test } from 'vitest'
import { aborted, interruptible } from '../../src/ports/interruption.js'
import type { Ports } from '../../src/ports/ports.js'
import { harmless } from '../../src/ports/progress.js'
import { testClock } from '../kit/world.js'

const mask = Object.assign((text: string) => text, {
  ...{ cutOff: (text: string) => text, learn: () => undefined },
  ...{ short: new Set<string>(), fields: new Set<string>() },
})

const portsWith = (signal: AbortSignal): Ports => ({
  ...{ env: {}, cwd: '.', signal, ...testClock(), progress: harmless({}), mask },
  transport: () => Promise.reject(new Error('no request is expected')),
  vault: { request: () => ({ is: 'pending' }), open: () => Promise.resolve(false) },
})

test('an interruption stops a command that has not written yet', async () => {
  const interruption = new AbortController()
  const { ports } = interruptible(portsWith(interruption.signal))
  expect(ports.signal.aborted).toBe(false)
  interruption.abort('stop')
  await aborted(ports.signal)
  expect(ports.signal.reason).toBe('stop')
})

test('an interruption that came before stops the command at once', () => {
  expect(interruptible(portsWith(AbortSignal.abort())).ports.signal.aborted).toBe(true)
})

test('an interruption does not stop the requests of a command that writes', () => {
  const interruption = new AbortController()
  const { ports, commit } = interruptible(portsWith(interruption.signal))
  commit()
  interruption.abort()
  expect(ports.signal.aborted).toBe(false)
})
