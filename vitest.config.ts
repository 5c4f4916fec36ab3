import { execFileSync } from 'node:child_process'
import { statfsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

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

/**
 * Most code runs a few times only: to optimize it takes a tenth of the processor. To compile it at once, and to keep what is
 * compiled, saves as much as half of that again. Each Node has words of its own for all this.
 */
function compiledOnce(): readonly string[] {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  const late = ['--interrupt-budget=2000000', '--invocation-count-for-turbofan=50000']
  const words = [...late, '--always-sparkplug', '--no-flush-bytecode']
  return words.filter((word) => known.includes(`${word.replace(/=.*/, '').replace('--no-', '--')} `))
}

/** Folders by when their files are begun; all others come last. */
const first = ['e2e', 'stores', 'laws']

/**
 * What is begun last is waited for with one worker alone: long files come first. On a fresh clone no durations are known, and
 * vitest goes by the size of the files. Of them those that start processes come before the laws: a worker that holds 500 MB
 * takes five times as long to start one as a fresh one.
 */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = first.findIndex((folder) => moduleId.includes(`/test/${folder}/`))
      return found < 0 ? first.length : found
    }
    return (await super.sort(files)).sort((left, right) => rank(left) - rank(right))
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
    sequence: { sequencer: ProcessesFirst },
    // Most of what a run makes is gone with it: room for it saves a tenth of the time.
    execArgv: ['--max-semi-space-size=64', ...compiledOnce()],
    // A busy machine is slow, not wrong: only what never ends is to be stopped, so these limits hold for all, and no test has one
    // of its own. The longest test takes a minute where six programs share a core. Laws end by themselves, after LAW_SECONDS.
    testTimeout: 300_000 + Number(process.env.LAW_SECONDS ?? 0) * 1000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    env: { TZ: 'UTC', ...temporaryFolder() },
    coverage: { provider: 'v8', include: ['src/**'], reporter: ['text-summary', 'html'] },
  },
})
