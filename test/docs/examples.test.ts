import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { KindName } from '../../src/catalog/types.js'
import { nodeFiles } from '../../src/files/files.js'
import type { JsonObject } from '../../src/json/json.js'
import { isObject } from '../../src/json/json.js'
import { readProject } from '../../src/manifest/project.js'
import { readManifests } from '../../src/manifest/read.js'
import { gatewright } from '../cli/run.js'
import { exampleVariables } from '../kit/example-env.js'

const folder = join(import.meta.dirname, '../../examples/storefront')

const env = exampleVariables(folder)

const files = nodeFiles(folder)
const { project } = readProject({ dir: '.', env, environment: 'prod' }, files)
const { resources } = readManifests({ project, env, files })

const yamlFiles = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.yaml'))
  .sort()

describe('examples/storefront', () => {
  it('has no problem of any kind', async () => {
    const { exitCode, stdout, stderr } = await gatewright(['validate', '-o', 'json'], { cwd: folder, env })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({ format: 'gatewright.diagnostics/1', diagnostics: [] })
  })

  it('is as large as a real area', () => {
    const count = (kind: KindName) => resources.filter((resource) => resource.kind === kind).length
    expect(count('Service')).toBeGreaterThanOrEqual(6)
    expect(count('Endpoint')).toBeGreaterThanOrEqual(25)
    expect(count('Method')).toBeGreaterThanOrEqual(60)
    expect(count('Package')).toBeGreaterThanOrEqual(4)
    expect(count('Plan')).toBeGreaterThanOrEqual(10)
    expect(count('ScheduledMaintenanceEvent')).toBe(1)
    expect(count('Member')).toBe(2)
    expect(count('PackageKey')).toBe(3)
  })

  it('has environments that differ only in values and patches', async () => {
    const { exitCode, stdout } = await gatewright(['diff', '-e', 'staging', '-e', 'prod'], { cwd: folder, env })
    expect(exitCode).toBe(2)
    const layers = stdout.split('\n').filter((line) => /^[~+-] (?!a:|b:)/.test(line))
    expect(layers.map((line) => line.replace(/(: | at ).*/, ''))).toEqual([
      '~ value domain',
      '~ value goldCeiling',
      '- patches[0] of environment staging',
      '+ patches[0] of environment prod',
    ])
  })

  it('gives each verb of a path on a host to one endpoint', () => {
    const routes = resources
      .filter((resource) => resource.kind === 'Endpoint')
      .flatMap(({ fields }) =>
        listOf(fields, 'supportedHttpMethods').map((verb) => [verb, fields.requestPathAlias].join(' ')),
      )
    expect(new Set(routes).size).toBe(routes.length)
  })

  it('has no secrets in the files', () => {
    for (const path of yamlFiles) {
      const text = readFileSync(join(folder, path), 'utf8')
      for (const secret of Object.values(env)) expect(text).not.toContain(secret)
    }
  })
})

describe.each(yamlFiles)('examples/storefront/%s', (path) => {
  const text = readFileSync(join(folder, path), 'utf8')
  const [, reference = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? []
  const schemaPath = join(folder, dirname(path), reference)

  it('names a schema that exists, and matches it', () => {
    expect(existsSync(schemaPath)).toBe(true)
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    const validate = ajv.compile(JSON.parse(readFileSync(schemaPath, 'utf8')))
    for (const document of parseAllDocuments(text)) {
      validate(document.toJS())
      expect(validate.errors).toBeNull()
    }
  })
})

function listOf(fields: JsonObject, name: string): readonly string[] {
  const value = fields[name]
  if (!Array.isArray(value)) return []
  return value.filter((each) => typeof each === 'string' && !isObject(each))
}
