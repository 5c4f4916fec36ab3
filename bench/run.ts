import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { rates, updates } from './applying.js'
import { baseInGit } from './base.js'
import { creating } from './creating.js'
import { exporting } from './exporting.js'
import { layersOfEnvironments } from './layered.js'
import type { Row } from './measure.js'
import { readingOpenApi } from './openapi.js'
import { planning } from './planning.js'
import { policiesOfPlan } from './policies.js'
import { noChangePlan } from './reading.js'
import { reference } from './reference-area.js'
import { rollingBack } from './rolling-back.js'
import { smallChanges } from './small-changes.js'
import { smallPlan, startUp } from './start-up.js'

/** `npm run bench -- [--quick]`: measures all figures that the design promises, as ratios to minimal values of the same run. */

const isQuick = process.argv.includes('--quick')
const times = isQuick ? 3 : 7
const dir = mkdtempSync(join(tmpdir(), 'gatewright-bench-'))
const share = (services: number): { services: number; endpoints: number; methods: number } => ({
  ...reference,
  services: isQuick ? Math.ceil(services / 20) : services,
})

try {
  const rows: Row[] = []
  rows.push(...(await startUp(isQuick ? 5 : 15)))
  rows.push(...(await smallPlan(join(dir, 'small'), { ...reference, services: 10 }, times)))
  rows.push(...(await noChangePlan(join(dir, 'reference'), reference, times)))
  rows.push(...(await creating(join(dir, 'creating'), isQuick ? [238, 952] : [238, 476, 952, 1905], isQuick ? 1 : 3)))
  rows.push(...(await baseInGit(join(dir, 'base'), reference, times)))
  rows.push(...(await smallChanges(join(dir, 'small-changes'))))
  rows.push(...(await policiesOfPlan(join(dir, 'policies'), reference, times)))
  rows.push(...(await exporting(join(dir, 'exporting'))))
  rows.push(...(await rollingBack(join(dir, 'rolling-back'), isQuick ? [30, 120] : [150, 600])))
  rows.push(...layersOfEnvironments(join(dir, 'layered'), reference, times))
  rows.push(...(await readingOpenApi(join(dir, 'openapi'), times)))
  rows.push(...planning(join(dir, 'planning'), times))
  rows.push(...(await updates(join(dir, 'updates'), { ...reference, services: isQuick ? 250 : 524 })))
  rows.push(...(await rates(join(dir, 'rates'), share(96))))
  console.log(tableOf(rows))
  const [cpu] = cpus()
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GB`
  console.log(`\n${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${memory}, Node ${process.versions.node}`)
} finally {
  rmSync(dir, { recursive: true, force: true })
}

function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ name, floor, figure, ratio, limit }) => [
    name,
    floor,
    figure,
    ratio === undefined ? '' : ratio.toFixed(2),
    limit === undefined ? '' : limit.toFixed(2),
    ratio === undefined || limit === undefined || ratio <= limit ? 'yes' : 'no',
  ])
  const header = ['what', 'floor', 'figure', 'ratio', 'at most', 'holds']
  return [header, header.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
