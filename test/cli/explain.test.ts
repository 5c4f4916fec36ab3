import { describe, expect, it } from 'vitest'
import { kinds } from '../../src/catalog/queries.js'
import { documentFields } from '../catalog/document.js'
import { document } from '../kit/manifests.js'
import { embedded } from '../kit/world.js'
import { gatewright } from './run.js'

describe('explain', () => {
  it('-o json has every kind with every documented field and operation', async () => {
    const { exitCode, stdout } = await gatewright(['explain', '-o', 'json'])
    const described = JSON.parse(stdout).kinds
    expect(exitCode).toBe(0)
    expect(Object.keys(described)).toEqual(kinds.map((kind) => kind.name))
    const otherwise: string[] = []
    for (const { name, origin } of kinds) {
      if (origin !== 'document') continue
      for (const row of documentFields(name)) {
        const { create, update, fetch } = described[name].fields[row.name]
        if (`${create} ${update} ${fetch}` !== row.rules) otherwise.push(`${name}.${row.name}`)
      }
    }
    // Clients write these two, and real platforms keep them (A220).
    expect(otherwise).toEqual(['Plan.selfServiceKeyProvisioningEnabled', 'Plan.status'])
    expect(described.Service.operations.list).toEqual({ method: 'GET', path: '/services', documented: true })
    expect(described.Endpoint.operations.create.documented).toBe(false)
    expect(described.Role.operations.create.caveat).toContain('earlier version')
  })

  it('of one kind lists fields, rules and operations', async () => {
    const { stdout } = await gatewright(['explain', 'errormessage'])
    expect(stdout).toMatchInlineSnapshot(`
      "ErrorMessage
      One error answer of an error set, identified by its id, such as ERR_403_DEVELOPER_OVER_QPS.
      Lives in the list "errorMessages" of its ErrorSet.
      Identified by its id.
      No delete: the document shows no operation that deletes an error message.

      FIELD         TYPE     C    U    F    NOTES
      id            string   Req  Req  Imp
      code          integer  Ign  Ign  Imp  HTTP response code of the error response
      status        string   Opt  Opt  Imp  status message
      detailHeader  string   Opt  Opt  Imp  information placed in a response header
      responseBody  string   Opt  Opt  Imp  information placed in the response body

      OPERATION  METHOD  PATH
      list       GET     /services/{serviceId}/errorSets/{errorSetId}/errorMessages
      fetch      GET     /services/{serviceId}/errorSets/{errorSetId}/errorMessages/{messageType}
      update     PUT     /services/{serviceId}/errorSets/{errorSetId}/errorMessages/{messageType}

      C create, U update, F fetch. Req required, Opt optional, Ign ignored if sent, Ctx given by the path, Imp returned by default, Exp returned only on request.
      "
    `)
  })

  it('refers to the field notes for operations that the document does not have', async () => {
    const { stdout } = await gatewright(['explain', 'PlanService'])
    expect(stdout).toMatch(/^deleteMethod +DELETE +\S+ +conventional: from the field notes$/m)
    expect(stdout).not.toContain('without a shape')
    const { stdout: endpoint } = await gatewright(['explain', 'Endpoint'])
    expect(endpoint).toMatch(/^create +POST +\S+ +conventional: the document names it without a shape$/m)
  })

  it('of one field displays all its facts', async () => {
    const { stdout } = await gatewright(['explain', 'Member.passwdNew'])
    expect(stdout).toContain('write-only  sent on create, never given back, never compared')
    expect(stdout).toContain('secret')
    const { stdout: cors } = await gatewright(['explain', 'Endpoint.cors'])
    expect(cors).toMatch(/^maxAge +integer +minutes; default 0$/m)
    expect(cors).toMatch(/^example +cors: \{domainsAllowed: \[shop.example.com\], maxAge: 60\}$/m)
    const { stdout: redirects } = await gatewright(['explain', 'Endpoint.numberOfHttpRedirectsToFollow'])
    expect(redirects).toMatch(/^default +0$/m)
    expect(redirects).toMatch(/^example +numberOfHttpRedirectsToFollow: 3$/m)
  })

  it('of a field of references lists the kinds of their targets', async () => {
    const { stdout } = await gatewright(['explain', 'PlanService.endpoints'])
    expect(stdout).toContain('of each Method, responseFilter: the name of one of its responseFilters, null for none')
  })

  it('of one member of a value object displays its facts', async () => {
    const { stdout } = await gatewright(['explain', 'Service.securityProfile.oauth.accessTokenTtl'])
    expect(stdout).toMatch(/^type +integer$/m)
    expect(stdout).toMatch(/^note +seconds$/m)
    expect((await gatewright(['explain', 'Endpoint.cors.maxAg'])).stderr).toContain('did you mean maxAge?')
    expect((await gatewright(['explain', 'Service.version.x'])).exitCode).toBe(1)
  })

  it('of a field of a child displays the field of its kind, as manifests write it there', async () => {
    for (const [path, kind] of [
      ['Endpoint.cache.cacheTtlOverride', 'Cache.cacheTtlOverride'],
      ['Service.endpoints.cors.maxAge', 'Endpoint.cors.maxAge'],
      ['Package.plans.services.endpoints', 'PlanService.endpoints'],
    ] as const) {
      expect(await gatewright(['explain', path])).toEqual(await gatewright(['explain', kind]))
    }
    expect((await gatewright(['explain', 'Service.endpoints.nam'])).stderr).toContain('did you mean name?')
  })

  it('of an unknown word suggests a similar one', async () => {
    expect((await gatewright(['explain', 'Servise'])).stderr).toContain('did you mean Service?')
    expect((await gatewright(['explain', 'Service.desciption'])).stderr).toContain('did you mean description?')
    expect((await gatewright(['explain', 'Nonsense'])).exitCode).toBe(1)
    expect((await gatewright(['explain', 'Service.constructor'])).exitCode).toBe(1)
  })

  it('of a code displays its meaning and advice', async () => {
    const { stdout, exitCode } = await gatewright(['explain', 'yaml-alias'])
    expect(exitCode).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
      "yaml-alias
      severity  error
      means     A YAML alias or merge key refers to nothing that can be repeated there.
      remedy    Define the anchor before it, write the value out, or put the text in quotes.
      "
    `)
    const { stdout: json } = await gatewright(['explain', 'uncovered-domain', '-o', 'json'])
    expect(JSON.parse(json)).toMatchObject({
      format: 'gatewright.explain/1',
      problems: { 'uncovered-domain': { severity: ['warning', 'note'] } },
    })
    expect((await gatewright(['explain', 'yaml-alais'])).stderr).toContain('did you mean yaml-alias?')
  })

  it('of a hazard displays when it is reported', async () => {
    const { stdout } = await gatewright(['explain', 'key_loss'])
    expect(stdout).toMatch(/^KEY_LOSS\nmeans {3}Keys are lost/)
    const { stdout: json } = await gatewright(['explain', 'KEY_LOSS', '-o', 'json'])
    expect(Object.keys(JSON.parse(json).hazards)).toEqual(['KEY_LOSS'])
  })

  it('of metadata and of the project file lists the keys', async () => {
    expect((await gatewright(['explain', 'metadata'])).stdout).toMatch(/^formerly +Earlier names/m)
    expect((await gatewright(['explain', 'metadata.formerly'])).stdout).toMatch(/^metadata\n\nKEY +IS\nformerly .*\n$/)
    expect((await gatewright(['explain', 'metadata.former'])).stderr).toContain('did you mean metadata.formerly?')
    expect((await gatewright(['explain', 'Project'])).stdout).toMatch(/^spec\.limits\.deletes +whole number +\S/m)
    const below = (await gatewright(['explain', 'project.spec.limits'])).stdout
    expect(below).toMatch(/^spec\.limits\.deletes +whole number/m)
    expect(below).not.toContain('spec.platform')
    const wrong = await gatewright(['explain', 'Project.spec.limts'])
    expect(wrong.exitCode).toBe(1)
    expect(wrong.stderr).toContain('Project has no field "spec.limts"')
    expect(wrong.stderr).toContain('did you mean Project.spec.limits?')
    const { stdout } = await gatewright(['explain', 'removed', '-o', 'json'])
    expect(Object.keys(JSON.parse(stdout).documents)).toEqual(['Removed'])
    const part = JSON.parse((await gatewright(['explain', 'Project.spec.limits', '-o', 'json'])).stdout).documents
    expect(Object.keys(part)).toEqual(['Project.spec.limits'])
    expect(Object.keys(part['Project.spec.limits'].properties)).toEqual(['deletes', 'changedPercent'])
  })

  it('has no schema that refers to a missing one', async () => {
    const { stdout } = await gatewright(['schema'])
    const { $defs, ...bundle }: { readonly $defs: Record<string, { $id: string }> } = JSON.parse(stdout)
    const ids = Object.values($defs).map(({ $id }) => $id)
    const references = [...JSON.stringify(bundle).matchAll(/"\$ref":"([^"#]+)"/g)].map(([, id]) => id)
    expect(references.sort()).toEqual(ids.sort())
    expect((await gatewright(['schema', 'environment'])).exitCode).toBe(0)
  })
})

describe('explain ADDRESS', () => {
  const world = () => {
    const own = embedded({}, { transport: () => Promise.reject(new Error('offline')) })
    own.project(`  values: {login: {type: string}}
  environments: {dev: {values: {login: "\${env:LOGIN}"}}}
`)
    const endpoint = {
      name: 'e',
      processor: { preInputs: { token: 'Bearer ${env:TOKEN}', plain: 'x' } },
      systemDomainAuthentication: { type: 'httpBasic', password: '${value:login}' },
    }
    own.declare(document('Service', 'S', { endpoints: [endpoint] }))
    return own
  }
  const password = 'Service/S/Endpoint/e/SystemDomainAuthentication'

  it('displays the layers of a secret that is not set here, without its text', async () => {
    const { stdout } = await world().run(['explain', password, '-e', 'dev'])
    expect(stdout).toMatch(
      /^password {2}\(sensitive, not set here\)\n {2}manifest, manifests\/all\.yaml:\d+:\d+; login is … \(values of environment dev, gatewright\.yaml:7:\d+\)$/m,
    )
    const run = await world().run(['explain', 'Service/S/Endpoint/e', '-e', 'dev', '-o', 'json'])
    const fields: { path: string; layers: readonly object[] }[] = JSON.parse(run.stdout).fields
    expect(fields.find(({ path }) => path.endsWith('Inputs'))).toMatchObject({
      ...{ path: '/processor/preInputs', value: '(sensitive)', sensitive: true, unavailable: true },
      layers: [{ layer: 'manifest' }],
    })
  })

  it('displays the value from which a secret comes, but neither text', async () => {
    const env = { LOGIN: 'canary-login', TOKEN: 'canary-token' }
    const { stdout } = await world().run(['explain', password, '-e', 'dev', '-o', 'json'], { env })
    const field = JSON.parse(stdout).fields.find(({ path }: { path: string }) => path === '/password')
    expect(field).toMatchObject({ value: '(sensitive)', layers: [{ values: [{ name: 'login', line: 7 }] }] })
    expect(stdout).not.toContain('canary')
    expect(JSON.stringify(field)).not.toContain('"text"')
  })
})
