import { chanceOf, seedOf } from '../history/chance.js'
import { type Commit, historyOf } from '../history/commits.js'
import { liveArea } from '../history/live.js'
import { allowed } from '../history/play.js'
import { judge } from '../history/verdict.js'
import type { Effort, Figure } from './figure.js'
import { type Workplace, workplace } from './workplace.js'

const patience = 6

/** SIGKILL of the built program at random writes, one to three times in a row, and then runs until everything is done. */
export async function kills(
  { count, seed }: Effort,
  where: string,
  recordsOf: (index: number) => Promise<string>,
): Promise<Figure> {
  const failures: string[] = []
  let runs = 0
  let killed = 0
  for (let index = 0; index < count; index += 1) {
    const shop = await workplace(await recordsOf(index))
    try {
      for (const commit of historyOf(seed + index, { origin: 'known', commits: 2 })) {
        const outcome = await killedAndRun(shop, commit, seed + index)
        runs += outcome.runs
        killed += outcome.killed
        if (outcome.findings.length === 0) continue
        failures.push(`seed ${seed + index}, commit ${commit.number}: ${outcome.findings.join('; ')}`)
        break
      }
    } finally {
      await shop.close()
    }
  }
  return {
    attack: `SIGKILL of the process at random writes, one to three times in a row, records in ${where}`,
    tried: `${count} projects, ${killed} kills, ${runs} runs`,
    held: 'the area is what the manifests say, object by object; nothing twice, nothing lost; the next plan is empty',
    failures,
  }
}

async function killedAndRun(
  shop: Workplace,
  { written, number, project }: Commit,
  seed: number,
): Promise<{ readonly runs: number; readonly killed: number; readonly findings: readonly string[] }> {
  const chance = chanceOf(seedOf(seed, number, 815))
  shop.declare(written)
  const times = 1 + chance.below(3)
  let killed = 0
  for (let runs = 1; ; runs += 1) {
    const kill =
      runs <= times
        ? ({ write: 1 + chance.below(10), when: chance.percent(50) ? 'before' : 'after' } as const)
        : undefined
    const ended = await shop.run(['apply', '--yes', ...allowed], kill)
    if (ended.code === null) killed += 1
    if (ended.code === null || ended.code === 0) {
      // A run without a kill is done.
      if (ended.code === null) continue
      const { findings } = judge(project, await liveArea(shop.make))
      const plan = await shop.run(['plan', '--exit-code'])
      const left = plan.code === 0 ? [] : [`the next plan ends with ${plan.code}`]
      return { runs, killed, findings: [...findings, ...left] }
    }
    if (ended.code !== 3 || runs === patience)
      return { runs, killed, findings: [`apply ended with ${ended.code}: ${ended.stderr.slice(0, 300)}`] }
  }
}
