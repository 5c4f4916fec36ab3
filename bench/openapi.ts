import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { JsonObject } from '../src/json/json.js'
import { inTurns, program, type Row, runNode } from './measure.js'

const operations = 1_000

/** An OpenAPI file of 1,000 operations in 500 paths: 250 kB. */
function openApi(): JsonObject {
  const responses = { 200: { $ref: '#/components/responses/Item' }, 404: { description: 'nothing is there' } }
  const paths = Object.fromEntries(
    Array.from({ length: operations / 2 }, (_, index) => {
      const operation = (verb: string): JsonObject => ({
        operationId: `${verb}Item${index}`,
        tags: [`group-${index % 20}`],
        summary: `does what ${verb} does to an item`,
        responses,
      })
      return [`/groups/${index % 20}/items-${index}/{id}`, { get: operation('get'), put: operation('put') }]
    }),
  )
  const servers = [{ url: 'https://back.example.com/v1' }]
  const components = { responses: { Item: { description: 'an item' } } }
  return { openapi: '3.0.3', info: { title: 'Bench', version: '1' }, servers, paths, components }
}

const document = (kind: string, metadata: JsonObject, spec: JsonObject): string =>
  stringify({ apiVersion: 'gatewright/v1', kind, metadata, spec })

function project(dir: string, generators: readonly string[]): string {
  mkdirSync(join(dir, 'manifests'), { recursive: true })
  const endpoint = { trafficManagerDomain: 'api.example.com', publicDomains: ['api.example.com'] }
  const service = document('Service', { name: 'Bench', defaults: { Endpoint: endpoint } }, { description: 'one' })
  writeFileSync(join(dir, 'gatewright.yaml'), document('Project', { name: 'bench' }, { manifests: ['manifests'] }))
  writeFileSync(join(dir, 'manifests/service.yaml'), [service, ...generators].join('---\n'))
  return dir
}

/** The cost of 1,000 operations in `validate`: with one endpoint per path, with one per operation, and without operations. */
export async function readingOpenApi(dir: string, times: number): Promise<readonly Row[]> {
  const without = project(join(dir, 'without'), [])
  const [byPath = '', apart = ''] = ['path', 'operation'].map((endpoints) => {
    const generator = document('OpenAPI', { service: 'Bench' }, { file: '../openapi.yaml', endpoints })
    const made = project(join(dir, endpoints), [generator])
    writeFileSync(join(made, 'openapi.yaml'), stringify(openApi(), { aliasDuplicateObjects: false }))
    return made
  })
  const validate = (cwd: string) => async () => {
    const { exitCode, ms, stderr } = await runNode([program, 'validate'], { cwd, env: {} })
    if (exitCode !== 0) throw new Error(stderr)
    return ms
  }
  const [floor = 0, ...figures] = await inTurns(times, validate(without), validate(byPath), validate(apart))
  return figures.map((figure, index) => ({
    name: `${operations.toLocaleString('en')} operations of an OpenAPI file, ${['by path (the default)', 'an endpoint each'][index]}`,
    floor: 'allowed: 300 ms more',
    figure: `${(figure - floor).toFixed(0)} ms beside ${floor.toFixed(0)} ms without it`,
    ratio: (figure - floor) / 300,
    limit: 1,
  }))
}
