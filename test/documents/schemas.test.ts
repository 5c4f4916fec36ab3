import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../src/json/json.js'
import type { RunChild } from '../../src/ports/child.js'
import { document } from '../kit/manifests.js'
import { embedded, environment } from '../kit/world.js'

const root = join(import.meta.dirname, '../..')
const readJson = (path: string): Json => JSON.parse(readFileSync(join(root, path), 'utf8'))

const ajv = new Ajv2020({ strict: false, allErrors: true })
const schemas = readdirSync(join(root, 'schemas')).filter((name) => name.endsWith('-document.schema.json'))
const validators = new Map(
  schemas.flatMap((name) => {
    const schema = readJson(`schemas/${name}`)
    if (!isObject(schema) || !isObject(schema.properties) || !isObject(schema.properties.format)) return []
    const { format } = schema.properties
    const formats = Array.isArray(format.enum) ? format.enum : [format.const]
    const validate = ajv.compile(schema)
    return formats.map((each) => [String(each), validate] as const)
  }),
)

/** Validates an answer with the schema of its format; returns the format. */
function checked(stdout: string): string {
  const answer: Json = JSON.parse(stdout)
  const format = isObject(answer) ? String(answer.format) : ''
  const validate = validators.get(format)
  expect(validate, `no schema for ${format}`).toBeDefined()
  validate?.(answer)
  expect(validate?.errors ?? [], format).toEqual([])
  return format
}

describe('JSON answers match their schemas', () => {
  it('the example of the page', () => {
    const page = readFileSync(join(root, 'docs/reference/json.md'), 'utf8')
    const [, example = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
    expect(checked(example)).toBe('gatewright.plan/1')
  })

  it('of every command, and every schema belongs to an answer', async () => {
    const area = embedded({}, { env: { ...environment, PASSWORD: 's3cret' } })
    const endpoint = {
      name: 'orders',
      requestPathAlias: '/orders',
      trafficManagerDomain: 'api.example.com',
      publicDomains: ['api.example.com'],
      systemDomainAuthentication: { type: 'httpBasic', username: 'u', password: '${env:PASSWORD}' },
    }
    const declare = (service: JsonObject): void =>
      area.declare(document('Domain', 'example.com'), document('Service', 'Orders API', service))
    const formats = new Set<string>()
    const run = async (...args: readonly string[]): Promise<void> => {
      const { stdout } = await area.run([...args, '-o', 'json'])
      formats.add(checked(stdout))
    }
    declare({ description: 'one', endpoints: [endpoint] })
    await run('validate')
    await run('plan')
    await run('apply', '--yes')
    declare({ description: 'one', endpoints: [] })
    await run('apply', '--yes')
    declare({ description: 'two' })
    await run('plan')
    await run('drift')
    await run('apply', '--yes')
    await run('rollback', 'latest', '--yes')
    await run('history')
    await run('show', 'latest')
    await run('history', '--prune', '1')
    await run('get', 'Service')
    await run('get', '--unmanaged')
    await run('snapshot', '--out', 'area.json')
    await run('diff', 'area.json', 'live')
    await run('export', '--dir', 'exported')
    await run('init', '-C', 'fresh', '--yes')
    await run('init', '-C', 'stages', '--yes', '--env', 'dev,prod')
    await run('render')
    area.write(
      'gatewright.fleet.yaml',
      'apiVersion: gatewright/v1\nkind: Fleet\nmetadata: {name: brands}\nspec: {areas: [{name: acme}]}\n',
    )
    const child: RunChild = async ({ args }) => {
      const { exitCode, stdout, stderr } = await area.run(args)
      return { is: 'exited', code: exitCode, stdout, stderr }
    }
    const inFleet = async (command: string): Promise<void> => {
      const { stdout } = await area.run(['fleet', command, '-o', 'json'], { children: () => Promise.resolve(child) })
      formats.add(checked(stdout))
    }
    declare({ description: 'three' })
    await inFleet('plan')
    await inFleet('list')
    await run('explain')
    for (const topic of ['Service.name', 'yaml-syntax', 'KEY_LOSS', 'metadata', 'Project']) await run('explain', topic)
    await run('explain', 'Service/Orders API')
    await run('plan', '--url', 'nonsense')
    declare({ description: 'three' })
    area.write('policies/all.yaml', policy)
    await run('plan')
    await run('policy', 'test')
    area.write('layers/gatewright.yaml', layers)
    await run('promote', 'dev', 'prod', '-C', 'layers')
    await run('diff', '-e', 'dev', '-e', 'prod', '-C', 'layers')
    // Webhooks get notices, and there is no stdout: test/engine/notify.test.ts. Others need a server:
    // test/report/fleet-status.test.ts.
    const others = ['notice', 'fleet-status', 'fleet-history', 'rollout'].map((name) => `gatewright.${name}/1`)
    const answers = [...validators.keys()].filter((format) => !others.includes(format))
    expect([...formats].sort()).toEqual(answers.sort())
  })
})

const policy = `apiVersion: gatewright/v1
kind: Policy
metadata: {name: all}
spec:
  match: {kinds: [Service]}
  rules:
    - {assert: after.description == "x", at: /description}
    - {assert: after.qpsLimitOverall > 1}
    - {plan: true, assert: "false", level: warning}
  waivers: [{address: "*", reason: r, owner: o, until: 2027-03-31}]
  tests: [{change: {kind: Service, after: {description: x}}, expect: pass}]
`

const layers = `apiVersion: gatewright/v1
kind: Project
metadata: {name: layers}
spec:
  manifests: ['*.txt']
  values: {timeout: 30}
  environments:
    dev: {values: {timeout: 5}}
    prod: {}
`
