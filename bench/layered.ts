import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { RawCollections } from '../src/client/normalize.js'
import { nodeFiles } from '../src/files/files.js'
import type { JsonObject } from '../src/json/json.js'
import { readProject } from '../src/manifest/project.js'
import { readManifests } from '../src/manifest/read.js'
import { median, type Row } from './measure.js'
import { planOf } from './planning.js'
import { type AreaSize, layered, range, seedOf, writeManifests, writeProject } from './reference-area.js'

/** Writes three environments, 20 values, 30 defaults and 20 patches that give the reference area in `prod`. */
function writeLayers(dir: string, size: AreaSize): void {
  const { words, defaults, texts } = layered(size)
  const numbers = Object.fromEntries(range(20 - Object.keys(words).length).map((index) => [`seconds${index}`, 60]))
  const names = Object.keys(numbers)
  const environment = (timeout: number): JsonObject => ({
    values: words,
    defaults: { ...defaults, Endpoint: { ...defaults.Endpoint, connectionTimeoutForSystemDomainResponse: timeout } },
  })
  const merge = (index: number): JsonObject => ({
    merge: { connectionTimeoutForSystemDomainResponse: `\${value:${names[index % names.length]}}` },
  })
  const every = range(size.endpoints).map((at) => ({ target: `Service/*/Endpoint/endpoint-${at}`, ...merge(at) }))
  const some = range(20 - every.length).map((at) => ({
    target: `Service/service-${at + 10}*/Endpoint/endpoint-${at % size.endpoints}`,
    ...merge(at + every.length),
  }))
  // The area has no objects of these kinds. They make up the 30 defaults.
  const others = {
    Package: { nearQuotaThreshold: 80, description: 'usual' },
    Plan: { rateLimitPeriod: 'day', qpsLimitCeiling: 5, rateLimitCeiling: 100 },
    Member: { areaStatus: 'active', company: 'usual' },
    Application: { description: 'usual', type: 'usual', commercial: false },
  }
  const project = {
    apiVersion: 'gatewright/v1',
    kind: 'Project',
    metadata: { name: 'bench' },
    spec: {
      manifests: ['manifests'],
      values: { ...Object.fromEntries(Object.keys(words).map((name) => [name, { type: 'string' }])), ...numbers },
      defaults: { ...defaults, ...others },
      environments: {
        dev: environment(10),
        staging: environment(20),
        prod: { ...environment(120), patches: [...some, ...every] },
      },
    },
  }
  mkdirSync(join(dir, 'manifests'), { recursive: true })
  writeFileSync(join(dir, 'gatewright.yaml'), stringify(project))
  for (const [index, text] of texts.entries()) writeFileSync(join(dir, 'manifests', `service-${index}.yaml`), text)
}

/** The cost of layers: the processor time for reading and planning an area with layers, compared with the same area without. */
export function layersOfEnvironments(dir: string, size: AreaSize, times: number): readonly Row[] {
  const [plain, withLayers] = [join(dir, 'plain'), join(dir, 'layered')]
  writeProject(plain, {})
  writeManifests(plain, size, 'nothing')
  writeLayers(withLayers, size)
  const raw = seedOf(size) as RawCollections
  const works = [() => planIn(plain, undefined, raw), () => planIn(withLayers, 'prod', raw)]
  const measured: number[][] = works.map(() => [])
  for (const time of range(times + 2)) {
    for (const [index, work] of works.entries()) {
      const before = process.cpuUsage()
      work()
      const { user, system } = process.cpuUsage(before)
      // The first two runs are left out, because the code is still being compiled.
      if (time >= 2) measured[index]?.push((user + system) / 1000)
    }
  }
  const [floor = 0, figure = 0] = measured.map(median)
  return [
    {
      name: `planning ${size.services.toLocaleString('en')} services with layers, CPU time`,
      floor: `the same written out: ${floor.toFixed(0)} ms`,
      figure: `${figure.toFixed(0)} ms`,
      ratio: figure / floor,
      limit: 1.3,
    },
  ]
}

function planIn(dir: string, environment: string | undefined, raw: RawCollections): void {
  const files = nodeFiles(dir)
  const { project, problems } = readProject({ dir, env: {}, environment }, files)
  const manifests = readManifests({ project, env: {}, files })
  const reported = [...problems, ...manifests.problems]
  const { changes } = planOf(manifests, raw)
  if (changes.length + reported.length > 0) {
    throw new Error(
      `${changes.length} changes where none are; ${reported.length} problems: ${reported[0]?.message ?? ''}`,
    )
  }
}
