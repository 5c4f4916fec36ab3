import { execFileSync } from 'node:child_process'
import { inTurns, program, type Row, runNode, startPlatform } from './measure.js'
import { type AreaSize, writeManifests, writeProject } from './reference-area.js'

/**
 * The cost of a base in git for a plan without changes: the manifests of a commit are read in addition to those of the working
 * tree.
 */
export async function baseInGit(dir: string, size: AreaSize, times: number): Promise<readonly Row[]> {
  writeProject(dir, { concurrency: 8 })
  writeManifests(dir, size, 'nothing')
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: dir, stdio: 'ignore' })
  git('init', '--quiet')
  git('add', '--all')
  git('-c', 'user.name=bench', '-c', 'user.email=bench@example.com', 'commit', '--quiet', '--message', 'bench')
  const platform = await startPlatform({ size, keep: 'answers' })
  const planned =
    (...more: readonly string[]) =>
    async (): Promise<number> => {
      const { ms, stdout, stderr } = await runNode([program, 'plan', '--quiet', ...more], {
        cwd: dir,
        env: platform.env,
      })
      if (!stdout.includes('nothing to do')) throw new Error(stdout + stderr)
      return ms
    }
  try {
    await planned()()
    const [plain = 0, based = 0] = await inTurns(times, planned(), planned('--base', 'HEAD'))
    return [
      {
        name: `--base of ${size.services.toLocaleString('en')} files`,
        floor: 'allowed: 500 ms more',
        figure: `${plain.toFixed(0)} ms and ${(based - plain).toFixed(0)} ms more`,
        ratio: (based - plain) / 500,
        limit: 1,
      },
    ]
  } finally {
    platform.stop()
  }
}
