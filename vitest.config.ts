import { statfsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** Where memory serves as a file system, tests work there: what they write down is synced to the disk at every step. */
function temporaryFolder(): Readonly<Record<string, string>> {
  if (process.env.TMPDIR !== undefined) return {}
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > 1e9 ? { TMPDIR: '/dev/shm' } : {}
  } catch {
    return {}
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/built.ts'],
    setupFiles: ['test/setup.ts'],
    // Two workers: the common CI machine has two cores, and more of them only take turns.
    maxWorkers: 2,
    // Nothing of ours is kept in a module but what was compiled: to load all of it for every file takes longer than most tests.
    isolate: false,
    // Most of what a run makes is gone with it: room for it saves a tenth of the time.
    execArgv: ['--max-semi-space-size=64'],
    // A busy machine is slow, not wrong: only what never ends is to be stopped.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    env: { TZ: 'UTC', ...temporaryFolder() },
    coverage: { provider: 'v8', include: ['src/**'], reporter: ['text-summary', 'html'] },
  },
})
