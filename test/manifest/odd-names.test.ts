import { describe, expect, test } from 'vitest'
import { readProject } from '../../src/manifest/project.js'
import { embedded } from '../kit/world.js'
import { documentOf, filesOf, manifestsIn } from './manifests-of.js'

/** Names of properties that every JavaScript object has are ordinary names. */

const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf', '__proto__', 'isPrototypeOf', '__defineGetter__']
const head = 'apiVersion: gatewright/v1\n'
const mistakes = (text: string) =>
  manifestsIn(text)
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code}: ${message}`)

describe.each(names)('%s', (name) => {
  test('is not a kind, a key or a field', () => {
    expect(mistakes(`${head}kind: ${name}\n`)).toEqual([`unknown-kind: there is no kind "${name}"`])
    expect(mistakes(`${head}kind: Role\nmetadata: {name: R}\n${name}: 1\n`)).toEqual([
      `unknown-key: a manifest has no key "${name}"`,
    ])
    expect(mistakes(`${head}kind: Role\nmetadata: {name: R, ${name}: 1}\n`)).toEqual([
      `unknown-metadata: metadata has no key "${name}" here`,
    ])
    expect(mistakes(`${head}kind: Role\nmetadata: {name: R}\nspec: {${name}: 1}\n`)).toEqual([
      `unknown-field: Role has no field "${name}"`,
    ])
    const inside = `{securityProfile: {${name}: 1}, roles: [{name: R, ${name}: 1}], endpoints: [{name: e, ${name}: 1}]}`
    expect(mistakes(`${head}kind: Service\nmetadata: {name: S}\nspec: ${inside}\n`)).toEqual([
      `unknown-field: Service.securityProfile has no field "${name}"`,
      `unknown-field: an entry of Service.roles has no field "${name}"`,
      `unknown-field: Endpoint has no field "${name}"`,
    ])
    expect(mistakes(`${head}kind: Role\nmetadata: {name: R, ignore: [/${name}]}\n`)).toEqual([
      `bad-pointer: "/${name}" points to no field`,
    ])
    expect(mistakes(`${head}kind: Removed\nmetadata: {address: ${name}/x}\n`)).toEqual([
      `bad-address: "${name}/x" is not the address of an object`,
    ])
    expect(mistakes(`${head}kind: Role\nmetadata: {name: R}\nspec: {description: "\${${name}:x}"}\n`)).toEqual([
      'unknown-placeholder: this is not a known placeholder',
    ])
    const unset = `${head}kind: Role\nmetadata: {name: R}\nspec: {description: "\${env:${name}}"}\n`
    expect(manifestsIn(unset).problems.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      `secret-unavailable: the environment variable ${name} is not set here: its value is not known`,
    ])
  })

  test('is not a key of a project file', () => {
    const spec = `{${name}: 1, platform: {${name}: 1}, scope: {kinds: [${name}]}}`
    const text = `${head}kind: Project\n${name}: 1\nmetadata: {${name}: 1}\nspec: ${spec}\n`
    const { problems } = readProject({ dir: '.', env: {} }, filesOf({ 'gatewright.yaml': text }))
    expect(problems.map(({ code }) => code).sort()).toEqual([...Array(4).fill('unknown-field'), 'unknown-value'])
  })

  test('may be a name, a label and a key of a free map', () => {
    const { problems, resources } = manifestsIn(
      `${head}kind: Package\nmetadata: {name: ${name}, labels: {${name}: ${name}}}\nspec: {eav: {${name}: x}, organization: null}\n`.replace(
        ', organization: null',
        '',
      ),
    )
    expect(problems).toEqual([])
    expect(resources[0]?.address).toBe(`Package/${name}`)
    expect(Object.entries(resources[0]?.labels ?? {})).toEqual([[name, name]])
    expect(Object.entries(resources[0]?.fields.eav ?? {})).toEqual([[name, 'x']])
  })

  test('is accepted with extraFields, and is planned and applied like any other field', async () => {
    const world = embedded()
    world.write(
      'manifests/all.yaml',
      `${head}kind: Service\nmetadata: {name: S, extraFields: true}\nspec: {${name}: 1, securityProfile: {${name}: 1}}\n`,
    )
    const plan = await world.plan()
    const codes = plan.diagnostics.map(({ code }) => code)
    expect(codes.filter((code) => code !== 'no-base')).toEqual(['extra-field', 'extra-field'])
    expect(plan.changes[0]?.fields.map(({ path }) => path)).toContain(`/${name}`)
    expect((await world.run(['validate'])).exitCode).toBe(0)
    expect(await world.run(['apply', '--yes'])).not.toMatchObject({ exitCode: 1 })
  })

  test('is not a word of the command line', async () => {
    const world = embedded()
    world.write('manifests/all.yaml', documentOf('Role', { name: 'R' }))
    for (const args of [['explain', name], ['explain', `Service.${name}`], ['schema', name], ['get', name], [name]]) {
      const run = await world.run(args)
      expect([run.exitCode, run.stderr]).toEqual([1, expect.not.stringContaining('internal')])
    }
    expect((await world.run(['plan', '-l', name, '--select', name])).stderr).not.toContain('internal')
  })
})
