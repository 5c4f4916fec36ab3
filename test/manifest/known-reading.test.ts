import { describe, expect, test } from 'vitest'
import { KnownReading } from '../../src/manifest/known-reading.js'
import { readProject } from '../../src/manifest/project.js'
import { readManifests } from '../../src/manifest/read.js'
import { documentOf, filesOf } from './manifests-of.js'

test('a file is read again only if its text differs, and its positions name the file', () => {
  const { documents } = new KnownReading()
  const first = documents({ file: 'a.yaml', text: 'a: 1\n' })
  expect(documents({ file: 'a.yaml', text: 'a: 1\n' })).toBe(first)
  const [other] = documents({ file: 'a.yaml', text: 'a: 2\n' }).documents
  expect(other).not.toEqual(first.documents[0])
  const [elsewhere] = documents({ file: 'b.yaml', text: 'a: 1\n' }).documents
  expect(elsewhere?.range.source.file).toBe('b.yaml')
})

describe('the objects of a document', () => {
  const project = (spec: object) =>
    JSON.stringify({ apiVersion: 'gatewright/v1', kind: 'Project', metadata: { name: 'shop' }, spec })
  const plain = documentOf('Service', { name: 'Orders' }, { description: 'one', endpoints: [{ name: 'list' }] })

  /** The objects of the second reading that are identical to those of the first. */
  function shared(
    first: string,
    second: string,
    [before = {}, after = before]: readonly object[] = [],
  ): readonly string[] {
    const known = new KnownReading()
    const [earlier, later] = [
      [project(before), first],
      [project(after), second],
    ].map(([file = '', text = '']) => {
      const files = filesOf({ 'gatewright.yaml': file, 'manifests/a.yaml': text })
      const env = { TEXT: 'one' }
      return readManifests({ project: readProject({ dir: '.', env }, files).project, env, files, known }).resources
    })
    expect(later?.length).toBeGreaterThan(0)
    return (later ?? []).filter((each) => earlier?.includes(each)).map(({ address }) => address)
  }

  test('are reused if text and layers are the same', () => {
    expect(shared(plain, plain)).toEqual(['Service/Orders', 'Service/Orders/Endpoint/list'])
    const layers = { defaults: { Service: { version: '1' } }, manifests: ['manifests'] }
    expect(shared(plain, plain, [layers])).toEqual(['Service/Orders', 'Service/Orders/Endpoint/list'])
  })

  test.each([
    ['its text differs', plain, plain.replace('one', 'two'), []],
    ['a default differs', plain, plain, [{ defaults: { Service: { version: '1' } } }, { defaults: {} }]],
    ['it uses a value from outside', plain.replace('one', '${env:TEXT}'), plain.replace('one', '${env:TEXT}'), []],
    [
      'other objects inherit from it',
      ...twice({ name: 'Orders', defaults: { Endpoint: { cors: { maxAge: 5 } } } }),
      [],
    ],
  ])('are read again if %s', (_, first, second, layers) => {
    expect(shared(first, second, layers)).toEqual([])
  })

  test('are read again if a patch matches them, so that it finds them once more', () => {
    const patches = [
      { target: 'Service/Orders', merge: { version: '2' } },
      { target: 'Service/Orders/Endpoint/list', unset: ['/cors'] },
    ]
    const files = filesOf({
      'gatewright.yaml': project({ environments: { dev: { patches } } }),
      'manifests/a.yaml': plain,
    })
    const known = new KnownReading()
    const [first, second] = [0, 1].map(() => {
      const { project: read } = readProject({ dir: '.', env: {}, environment: 'dev' }, files)
      return readManifests({ project: read, env: {}, files, known })
    })
    expect(first?.patches?.map(({ matched }) => matched.length)).toEqual([1, 1])
    expect(second?.patches).toEqual(first?.patches)
    expect(second?.problems).toEqual(first?.problems)
  })

  function twice(metadata: object, spec: object = {}): [string, string] {
    const text = documentOf('Service', metadata, spec)
    return [text, text]
  }
})
