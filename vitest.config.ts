import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    // Two workers: the common CI machine has two cores, and more of them only take turns.
    maxWorkers: 2,
    // A busy machine is slow, not wrong: only what never ends is to be stopped.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    env: { TZ: 'UTC' },
    coverage: { provider: 'v8', include: ['src/**'], reporter: ['text-summary', 'html'] },
  },
})
