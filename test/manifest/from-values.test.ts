import { expect, test } from 'vitest'
import { manifestsFromValues, type ObjectValues } from '../../src/manifest/from-values.js'
import { manifestsIn } from './manifests-of.js'

const nothing = { id: undefined, formerly: [], ancestors: [] }

test('values give the same resources as manifests, and nothing in them is a placeholder', () => {
  const objects: readonly ObjectValues[] = [
    {
      ...nothing,
      kind: 'Endpoint',
      recordedAs: 'Service/Old/Endpoint/e',
      ancestors: [{ kind: 'Service', name: 'S' }],
      name: 'e',
      formerly: ['d'],
      fields: { methods: [{ name: 'm' }], publicDomains: ['a.example.com'], cors: { maxAge: 60 } },
    },
    { ...nothing, kind: 'Service', recordedAs: 'Service/S', name: 'S', id: '17', fields: { description: '${env:X}' } },
  ]
  const { resources, problems } = manifestsFromValues(objects, 'run 1')
  expect(problems).toEqual([])
  const { resources: written } = manifestsIn(`
apiVersion: gatewright/v1
kind: Service
metadata: {name: S, id: "17"}
spec: {description: "$\${env:X}"}
---
apiVersion: gatewright/v1
kind: Endpoint
metadata: {service: S, name: e, formerly: [d]}
spec: {methods: [{name: m}], publicDomains: [a.example.com], cors: {maxAge: 60}}
`)
  const plain = (all: typeof resources) => all.map(({ range, ranges, recordedAs, ...rest }) => rest)
  expect(plain(resources)).toEqual(plain(written))
  expect(resources.map(({ recordedAs }) => recordedAs)).toEqual(['Service/S', 'Service/Old/Endpoint/e', undefined])
})

test('a value that no manifest can have is an error that names the source', () => {
  const fields = { qpsLimitOverall: 'many' }
  const { problems } = manifestsFromValues(
    [{ ...nothing, kind: 'Service', recordedAs: 'x', name: 'S', fields }],
    'run 1',
  )
  expect(problems.map(({ code, place }) => [code, place?.file, place?.frame])).toEqual([
    ['wrong-type', 'run 1', undefined],
  ])
})
