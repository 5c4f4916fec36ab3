import { describe, expect, it } from 'vitest'
import { catalog } from '../../src/catalog/catalog.js'
import type { KindName } from '../../src/catalog/types.js'
import { fieldPaths, pathGroups } from '../../src/client/fields.js'
import { mergedById } from '../../src/client/merge.js'

const paths = (kind: KindName, asked: Partial<Record<KindName, readonly string[]>>): readonly string[] =>
  fieldPaths(catalog[kind], new Map(Object.entries(asked) as [KindName, readonly string[]][]))

describe('the fields parameter', () => {
  it('has id and name for a kind that is only referred to', () => {
    expect(paths('Service', { Service: [] })).toEqual(['id', 'name'])
    expect(paths('Domain', { Domain: [] })).toEqual(['id', 'domain'])
    expect(paths('Member', { Member: [] })).toEqual(['id', 'username'])
  })

  it('has id and name at every level above the desired field', () => {
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

  it('has the plain path of domains, value objects and single children', () => {
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

  it('has the action of a service role, for the kind and for the field', () => {
    const expected = ['id', 'name', 'roles.id', 'roles.name', 'roles.action']
    expect(paths('Service', { Service: ['roles'] })).toEqual(expected)
    expect(paths('Service', { ServiceRole: [] })).toEqual(expected)
  })

  it('has the endpoints and methods of a plan service', () => {
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

  it('has id and name of references', () => {
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

  it('has an error set with both names, for older platforms', () => {
    expect(paths('Service', { Endpoint: ['errorSet'] }).slice(4)).toEqual([
      'endpoints.errorSet.id',
      'endpoints.errorSet.name',
      'endpoints.errors.errorSet.id',
      'endpoints.errors.errorSet.name',
    ])
  })

  it('never has fields that are never answered', () => {
    expect(paths('Member', { Member: ['passwdNew', 'email'] })).toEqual(['id', 'username', 'email'])
  })

  it('includes fields that the catalogue does not know', () => {
    expect(paths('Package', { Package: ['production'] })).toEqual(['id', 'name', 'production'])
  })
})

describe('a long list of fields', () => {
  it('stays one group as long as the URL is short enough', () => {
    expect(pathGroups(['id', 'name', 'a.id', 'a.b'], 100)).toEqual([['id', 'name', 'a.id', 'a.b']])
  })

  it('is split, with the ids of all levels in every group', () => {
    expect(pathGroups(['id', 'name', 'a.id', 'a.long', 'a.b.id', 'a.b.long'], 0, 24)).toEqual([
      ['id', 'name', 'a.id', 'a.long'],
      ['id', 'a.id', 'a.b.id', 'a.b.long'],
    ])
  })

  it('is merged again by id, whatever the order of the lists', () => {
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
