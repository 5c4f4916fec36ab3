import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { here, program, type Row, runNode, startPlatform } from './measure.js'
import { type AreaSize, reference } from './reference-area.js'

const pageSize = 100

interface Exported {
  readonly requests: number
  readonly ms: number
  readonly peakMb: number
}

/**
 * An export of the whole area: its requests in relation to the pages of its collections, and its time and memory in relation to
 * an export of a quarter of the area.
 */
export async function exporting(dir: string): Promise<readonly Row[]> {
  const size = reference
  const quarter = await exported(join(dir, 'quarter'), { ...size, services: Math.ceil(size.services / 4) })
  const whole = await exported(join(dir, 'whole'), size)
  // Only services have several pages; the other collections have one each. Each collection has one more request, which finds its
  // fields.
  const pages = Math.ceil(size.services / pageSize) + otherCollections
  const floor = pages + looks
  return [
    {
      name: `export of ${size.services} services: requests`,
      floor: `pages: ${pages}, and a look at each collection: ${looks}`,
      figure: `${whole.requests}`,
      ratio: whole.requests / floor,
      limit: 1.1,
    },
    {
      name: 'the same: time',
      floor: `4 × a quarter of it: ${(4 * quarter.ms).toFixed(0)} ms`,
      figure: `${whole.ms.toFixed(0)} ms`,
      ratio: whole.ms / (4 * quarter.ms),
      limit: 1.3,
    },
    {
      name: 'the same: peak memory',
      floor: `4 × a quarter of it: ${(4 * quarter.peakMb).toFixed(0)} MB`,
      figure: `${whole.peakMb.toFixed(0)} MB`,
      ratio: whole.peakMb / (4 * quarter.peakMb),
      limit: 1,
    },
  ]
}

/** Maintenance events, domains, packages, roles, members, organizations, email template sets. */
const otherCollections = 7

const looks = 1 + otherCollections

async function exported(dir: string, size: AreaSize): Promise<Exported> {
  mkdirSync(dir, { recursive: true })
  const platform = await startPlatform({ size, keep: 'answers' })
  try {
    const args = ['--import', here('./peak.mjs'), program, 'export', '--dir', 'manifests', '--quiet']
    const { ms, peakMb, stdout, stderr } = await runNode(args, { cwd: dir, env: platform.env })
    if (!stdout.includes('created')) throw new Error(stdout + stderr)
    const requests = (await platform.log()).filter(({ method }) => method === 'GET').length
    return { requests, ms, peakMb }
  } finally {
    platform.stop()
  }
}
