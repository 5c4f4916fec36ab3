import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Two workers: the common CI machine has two cores, and more of them only take turns.
    maxWorkers: 2,
    testTimeout: 20_000,
    env: { TZ: 'UTC' },
    coverage: { provider: 'v8', include: ['src/**'], reporter: ['text-summary', 'html'] },
  },
})
