import { describe, expect, test } from 'vitest'
import type { Files } from '../../src/files/files.js'
import { readManifests } from '../../src/manifest/read.js'

/** Positions of the fields of an object, found by reading the text once more. */

const text = `apiVersion: gatewright/v1
kind: Service
metadata: {name: Orders}
spec:
  description: all orders
  roles: [Admin, {name: Buyer}]
  endpoints:
    - name: first
      publicDomains:
        - a.example.com
        - b.example.com
      systemDomains: only.example.com
      cors: {maxAge: 5, "allowed~Headers/": [x]}
      methods: [list, {name: get}]
    - &two
      name: second
      connectionTimeoutForSystemDomainRequest: 7
    - <<: *two
      name: third
---
apiVersion: gatewright/v1
kind: Endpoint
metadata: {service: Orders, name: alone}
spec:
  publicDomains: [c.example.com]
`

const files: Files = {
  cwd: '/',
  readText: () => ({ text }),
  list: () => [],
  exists: () => 'file',
  realPath: (path) => path,
  repositoryOf: () => '/',
}

const read = (from: Files) =>
  readManifests({ project: { file: 'p.yaml', dir: '.', manifests: ['a.yaml'] }, env: {}, files: from })

const { resources } = read(files)

function written(address: string, pointer: string): string | undefined {
  const resource = resources.find((each) => each.address === address)
  expect(resource, address).toBeDefined()
  const range = resource?.ranges.at(pointer)
  return range && text.slice(range.start, range.end)
}

describe('marks', () => {
  test.each([
    ['Service/Orders', '/description', 'description'],
    ['Service/Orders', '/name', 'Orders'],
    ['Service/Orders', '/roles/0', 'Admin'],
    ['Service/Orders', '/roles/1', '{name: Buyer}'],
    ['Service/Orders', '/endpoints', 'endpoints'],
    ['Service/Orders', '/nothing', undefined],
    ['Service/Orders', '/roles/2', undefined],
    ['Service/Orders/Endpoint/first', '/name', 'name'],
    ['Service/Orders/Endpoint/first', '/publicDomains', 'publicDomains'],
    ['Service/Orders/Endpoint/first', '/publicDomains/1', 'b.example.com'],
    // A single value is a list with one entry.
    ['Service/Orders/Endpoint/first', '/systemDomains/0', 'only.example.com'],
    ['Service/Orders/Endpoint/first', '/cors/maxAge', 'maxAge'],
    ['Service/Orders/Endpoint/first', '/cors/allowed~0Headers~1', '"allowed~Headers/"'],
    ['Service/Orders/Endpoint/first/Method/get', '/name', 'name'],
    // A child that is only a name is not a mapping: the object's own position is the nearest one.
    ['Service/Orders/Endpoint/first/Method/list', '/name', undefined],
    [
      'Service/Orders/Endpoint/second',
      '/connectionTimeoutForSystemDomainRequest',
      'connectionTimeoutForSystemDomainRequest',
    ],
    [
      'Service/Orders/Endpoint/third',
      '/connectionTimeoutForSystemDomainRequest',
      'connectionTimeoutForSystemDomainRequest',
    ],
    ['Service/Orders/Endpoint/alone', '/publicDomains/0', 'c.example.com'],
    ['Service/Orders/Endpoint/alone', '/name', 'alone'],
  ])('of %s at %s', (address, pointer, expected) => {
    expect(written(address, pointer)).toBe(expected)
  })
})

test('a parent that nobody declares is reported at its name in the metadata', () => {
  const method = (service: string, endpoint: string) => ({
    ...files,
    readText: () => ({
      text: `apiVersion: gatewright/v1
kind: Service
metadata: {name: Orders}
spec: {endpoints: [{name: list}]}
---
apiVersion: gatewright/v1
kind: Method
metadata:
  service: ${service}
  endpoint: ${endpoint}
  name: get
spec: {}
`,
    }),
  })
  const placesOf = (files: Files) =>
    read(files)
      .problems.filter(({ code }) => code === 'undeclared-reference')
      .map(({ place }) => `${place?.line}:${place?.column}`)
  expect(placesOf(method('Odrers', 'list'))).toEqual(['9:12'])
  expect(placesOf(method('Orders', 'lits'))).toEqual(['10:13'])
  expect(placesOf(method('{name: Odrers, id: 1}', 'list'))).toEqual(['9:12'])
})

test('a parent that no manifest declares is reported once, at its name in the document', () => {
  const plan = `apiVersion: gatewright/v1
kind: Plan
metadata: {name: P, package: Pk}
spec: {services: [{name: S, endpoints: '*'}]}
`
  const { problems } = read({ ...files, readText: () => ({ text: plan }) })
  expect(problems.map(({ code, place }) => `${place?.line}:${place?.column} ${code}`)).toEqual([
    '3:30 undeclared-reference',
    '4:20 undeclared-reference',
  ])
})

test('entries after an unreadable one are reported at their own positions', () => {
  const member = `apiVersion: gatewright/v1
kind: Role
metadata: {name: New, formerly: [Old]}
---
apiVersion: gatewright/v1
kind: Member
metadata: {name: jane}
spec:
  roles:
    - 5
    - Old
    - {name: [x]}
    - Other
`
  const { problems } = read({ ...files, readText: () => ({ text: member }) })
  const places = problems.map(({ code, place }) => `${place?.line}:${place?.column} ${code}`)
  expect(places).toContain('11:7 former-name-used')
  expect(places).toContain('13:7 undeclared-reference')
})
