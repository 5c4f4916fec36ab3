import { join } from 'node:path'
import { normalize, type RawCollections } from '../src/client/normalize.js'
import { nodeFiles } from '../src/files/files.js'
import { readManifests } from '../src/manifest/read.js'
import type { Manifests } from '../src/manifest/resource.js'
import { makePlan } from '../src/planner/make-plan.js'
import type { Plan } from '../src/planner/plan.js'
import { median, type Row } from './measure.js'
import { type AreaSize, objectsOf, seedOf, writeManifests, writeProject } from './reference-area.js'

interface Prepared {
  readonly dir: string
  readonly size: AreaSize
  readonly raw: RawCollections
}

function prepare(dir: string, size: AreaSize): Prepared {
  writeProject(dir, {})
  writeManifests(dir, size, 'nothing')
  return { dir, size, raw: seedOf(size) as RawCollections }
}

const read = ({ dir }: Prepared): Manifests =>
  readManifests({
    project: { file: join(dir, 'gatewright.yaml'), dir, manifests: [join(dir, 'manifests')] },
    env: {},
    files: nodeFiles(dir),
  })

/** The plan of manifests for an area with services, without records. */
export const planOf = (manifests: Manifests, raw: RawCollections): Plan =>
  makePlan({
    manifests,
    snapshot: normalize(raw, ['Service', 'Endpoint', 'Method']),
    notOffered: [],
    settings: {
      prune: 'applied',
      scope: { kinds: [], names: [] },
      conventionalOperations: 'use',
      take: undefined,
      allowReplace: false,
    },
    base: undefined,
    fingerprint: () => '',
    ownedElsewhere: new Set(),
    keyName: (name) => name,
    digest: () => '',
  })

function timesOf(times: number, work: () => unknown): number {
  const measured = Array.from({ length: times }, () => {
    const started = performance.now()
    work()
    return performance.now() - started
  })
  return median(measured)
}

/** Matching, comparing and ordering in memory, and whether ten times as many objects need ten times as much time. */
export function planning(dir: string, times: number): readonly Row[] {
  const tenThousand = prepare(join(dir, 'ten-thousand'), { services: 476, endpoints: 5, methods: 3 })
  const manifests = read(tenThousand)
  const changes = planOf(manifests, tenThousand.raw).changes.length
  if (changes > 0) throw new Error(`${changes} changes where none are`)
  const planned = timesOf(times + 2, () => planOf(manifests, tenThousand.raw))
  const small = prepare(join(dir, 'small'), { services: 1000, endpoints: 1, methods: 1 })
  const large = prepare(join(dir, 'large'), { services: 10_000, endpoints: 1, methods: 1 })
  const whole = (prepared: Prepared) => () => planOf(read(prepared), prepared.raw)
  whole(small)()
  const one = timesOf(times, whole(small))
  const ten = timesOf(Math.max(1, Math.ceil(times / 2)), whole(large))
  return [
    {
      name: `planning ${objectsOf(tenThousand.size).toLocaleString('en')} objects in memory`,
      floor: 'allowed: 150 ms',
      figure: `${planned.toFixed(0)} ms`,
      ratio: planned / 150,
      limit: 1,
    },
    {
      name: 'reading and planning 10,000 services',
      floor: `10 × 1,000 services: ${(10 * one).toFixed(0)} ms`,
      figure: `${ten.toFixed(0)} ms`,
      ratio: ten / (10 * one),
      limit: 1.3,
    },
  ]
}
