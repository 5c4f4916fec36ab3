import { describe, expect, it } from 'vitest'
import { catalog } from '../../src/catalog/catalog.js'
import type { KindName } from '../../src/catalog/types.js'
import { fieldPaths, pathGroups } from '../../src/client/fields.js'
import { mergedById } from '../../src/client/merge.js'

const paths = (kind: KindName, asked: Partial<Record<KindName, readonly string[]>>): readonly string[] =>
  fieldPaths(catalog[kind], new Map(Object.entries(asked) as [KindName, readonly string[]][]))

describe('the fields parameter', () => {
  it('asks a kind that is only referred to for id and name', () => {
    expect(paths('Service', { Service: [] })).toEqual(['id', 'name'])
    expect(paths('Domain', { Domain: [] })).toEqual(['id', 'domain'])
    expect(paths('Member', { Member: [] })).toEqual(['id', 'username'])
  })

  it('asks for id and name at every level on the way to what is desired', () => {
    expect(paths('Service', { Method: ['sampleJsonResponse'] })).toEqual([
      'id',
      'name',
      'endpoints.id',
      'endpoints.name',
      'endpoints.methods.id',
      'endpoints.methods.name',
      'endpoints.methods.sampleJsonResponse',
    ])
  })

  it('asks for domains, value objects and single children by their plain path', () => {
    expect(
      paths('Service', { Endpoint: ['publicDomains', 'cors'], Cache: [], SystemDomainAuthentication: [] }),
    ).toEqual([
      'id',
      'name',
      'endpoints.id',
      'endpoints.name',
      'endpoints.publicDomains',
      'endpoints.cors',
      'endpoints.cache',
      'endpoints.systemDomainAuthentication',
    ])
  })

  it('asks for a service role with its action, for the kind as for the field', () => {
    const expected = ['id', 'name', 'roles.id', 'roles.name', 'roles.action']
    expect(paths('Service', { Service: ['roles'] })).toEqual(expected)
    expect(paths('Service', { ServiceRole: [] })).toEqual(expected)
  })

  it('asks a plan service for its endpoints and their methods', () => {
    expect(paths('Package', { PlanService: ['endpoints'] })).toEqual([
      'id',
      'name',
      'plans.id',
      'plans.name',
      'plans.services.id',
      'plans.services.name',
      'plans.services.endpoints.id',
      'plans.services.endpoints.name',
      'plans.services.endpoints.methods.id',
      'plans.services.endpoints.methods.name',
    ])
  })

  it('asks for references by id and name', () => {
    expect(paths('Member', { PackageKey: ['package', 'plan'] })).toEqual([
      'id',
      'username',
      'applications.id',
      'applications.name',
      'applications.packageKeys.id',
      'applications.packageKeys.apikey',
      'applications.packageKeys.package.id',
      'applications.packageKeys.package.name',
      'applications.packageKeys.plan.id',
      'applications.packageKeys.plan.name',
    ])
  })

  it('asks for an error set where older platforms have it too', () => {
    expect(paths('Service', { Endpoint: ['errorSet'] }).slice(4)).toEqual([
      'endpoints.errorSet.id',
      'endpoints.errorSet.name',
      'endpoints.errors.errorSet.id',
      'endpoints.errors.errorSet.name',
    ])
  })

  it('never asks for what is never given back', () => {
    expect(paths('Member', { Member: ['passwdNew', 'email'] })).toEqual(['id', 'username', 'email'])
  })

  it('passes fields on that the catalogue does not know', () => {
    expect(paths('Package', { Package: ['production'] })).toEqual(['id', 'name', 'production'])
  })
})

describe('a long list of fields', () => {
  it('stays one group as long as the URL is short enough', () => {
    expect(pathGroups(['id', 'name', 'a.id', 'a.b'], 100)).toEqual([['id', 'name', 'a.id', 'a.b']])
  })

  it('is split, with the ids on the way in every group', () => {
    expect(pathGroups(['id', 'name', 'a.id', 'a.long', 'a.b.id', 'a.b.long'], 0, 24)).toEqual([
      ['id', 'name', 'a.id', 'a.long'],
      ['id', 'a.id', 'a.b.id', 'a.b.long'],
    ])
  })

  it('is put together again by id, whatever the order of the lists', () => {
    const merged = mergedById([
      [
        {
          id: '1',
          name: 'one',
          list: [
            { id: 'a', x: 1 },
            { id: 'b', x: 2 },
          ],
        },
        { id: '2', name: 'two' },
      ],
      [
        { id: '2', extra: true },
        {
          id: '1',
          list: [
            { id: 'b', y: 4 },
            { id: 'a', y: 3 },
          ],
          cors: null,
        },
        { id: '3' },
      ],
    ])
    expect(merged).toEqual([
      {
        id: '1',
        name: 'one',
        list: [
          { id: 'a', x: 1, y: 3 },
          { id: 'b', x: 2, y: 4 },
        ],
        cors: null,
      },
      { id: '2', name: 'two', extra: true },
    ])
  })
})
