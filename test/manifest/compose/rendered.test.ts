import { expect, test } from 'vitest'
import { renderedDocuments, renderedObject } from '../../../src/manifest/compose/rendered.js'
import type { ComposedObject } from '../../../src/manifest/object-text.js'
import { readProject } from '../../../src/manifest/project.js'
import { readManifests } from '../../../src/manifest/read.js'
import { fileText } from '../../../src/manifest/write/yaml-text.js'
import { document, manifestText, projectText } from '../../kit/manifests.js'
import { filesOf } from '../manifests-of.js'

const layered = projectText(`  values:
    stage: DEV
    hosts: {type: array, items: {type: string}, default: [a.example.com, b.example.com]}
  defaults:
    Endpoint: {requestProtocol: rest, cors: {maxAge: 5}}
    Method: {sampleJsonResponse: "{}"}
  environments:
    prod:
      values: {stage: PRD}
      patches: [{target: "Service/*/Endpoint/up*", merge: {publicDomains: ["\${value:hosts}", c.example.com]}}, {target: Service/Gone, omit: true}]
`)
const manifests = `apiVersion: gatewright/v1
kind: Service
metadata: {name: "\${value:stage} API", labels: {team: a}, formerly: Old, defaults: {Endpoint: {highSecurity: true}}}
spec:
  description: "$\${literal} and \${value:stage}"
  errorSets: [{name: own, type: text/json}]
  endpoints:
    - name: upload
      publicDomains: "\${value:hosts}"
      methods: [one, {name: two, metadata: {protect: true}}]
      systemDomainAuthentication: {type: httpBasic, username: u, password: "\${env:PASSWORD}"}
      cache: null
    - {name: down, cache: {clientSurrogateControlEnabled: true, metadata: {environments: [dev]}}, metadata: {without: [/cors], environments: ["!dev"]}}
---
apiVersion: gatewright/v1
kind: Endpoint
metadata: {service: "\${value:stage} API", name: alone}
spec: {requestPathAlias: "/\${value:stage}"}
---
apiVersion: gatewright/v1
kind: Service
metadata: {name: Gone}
---
apiVersion: gatewright/v1
kind: Package
metadata: {name: P}
spec: {plans: [{name: Gold, services: [{name: "\${value:stage} API", endpoints: "*"}]}]}
---
apiVersion: gatewright/v1
kind: Member
metadata: {name: dev}
spec: {email: d@example.com, displayName: D, applications: [{name: A, packageKeys: [{package: P, plan: Gold, apikey: "\${env:KEY}"}]}]}
`

const env = { PASSWORD: 'correct horse', KEY: 'battery-staple' }

function rendered() {
  const files = filesOf({
    'gatewright.yaml': layered.replace('prod:', 'dev: {}\n    prod:'),
    'manifests/a.yaml': manifests,
  })
  const { project, problems } = readProject({ dir: '.', env, environment: 'prod' }, files)
  const objects: ComposedObject[] = []
  readManifests({ project, env, files, placeholders: 'kept', composed: (object) => objects.push(object) })
  return { problems, objects, original: readManifests({ project, env, files }) }
}

test('rendered manifests mean the same without any layer', () => {
  const { problems, objects, original } = rendered()
  expect(problems).toEqual([])
  expect(original.problems.filter(({ severity }) => severity === 'error')).toEqual([])
  const text = fileText(undefined, renderedDocuments(objects))
  const files = filesOf({ 'b.yaml': text })
  const again = readManifests({ project: { file: undefined, dir: '.', manifests: ['b.yaml'] }, env, files })
  expect(again.problems.filter(({ severity }) => severity === 'error')).toEqual([])
  const said = ({ resources }: typeof again) =>
    resources.map(({ range: _, ranges: __, absent: ___, ...resource }) => ({
      ...resource,
      fields: Object.entries(resource.fields),
    }))
  expect(said(again)).toEqual(said(original))
  expect(again.digest).toBe(original.digest)
  expect(again.resources.length).toBeGreaterThan(10)
})

test('placeholders of variables stay, and their values are not in the output', () => {
  const text = fileText(undefined, renderedDocuments(rendered().objects))
  expect(text).toContain('${env:PASSWORD}')
  expect(text).not.toContain('correct horse')
  expect(text).not.toContain('value:')
})

test('an inline child becomes a separate document', () => {
  expect(renderedObject(rendered().objects, 'Service/PRD API/Endpoint/upload/Method/two')).toEqual({
    apiVersion: 'gatewright/v1',
    kind: 'Method',
    metadata: { service: 'PRD API', endpoint: 'upload', name: 'two', protect: true },
    spec: { sampleJsonResponse: '{}' },
  })
})

test('a variable whose value must be one of certain words stays as its placeholder', () => {
  const text = projectText('  values: {stage: {type: string, enum: [DEV, PRD], default: "${env:STAGE}"}}\n')
  const files = filesOf({
    'gatewright.yaml': text,
    'manifests/a.yaml': manifestText([document('Service', 'API', { version: '${value:stage}' })]),
  })
  const { project } = readProject({ dir: '.', env: {} }, files)
  const objects: ComposedObject[] = []
  readManifests({ project, env: {}, files, placeholders: 'kept', composed: (object) => objects.push(object) })
  expect(fileText(undefined, renderedDocuments(objects))).toContain('version: "${env:STAGE}"')
})
