import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { allSchemas } from '../../src/catalog/json-schema.js'
import { documentOf, errorsOf, manifestsIn } from './manifests-of.js'

const ajv = new Ajv2020({ schemas: Object.values(allSchemas()), strict: false })
const accepts = (text: string): boolean => Boolean(ajv.validate('gatewright.schema.json', parse(text)))

const good = 'accepted'
const bad = 'refused'

const key = (spec: object) => documentOf('PackageKey', { member: 'm', application: 'A' }, spec)
const service = (spec: object, metadata: object = {}) => documentOf('Service', { name: 'S', ...metadata }, spec)
const endpoint = (spec: object, metadata: object = {}) =>
  documentOf('Endpoint', { service: 'S', name: 'e', ...metadata }, spec)
const inline = (spec: object) => service({ endpoints: [{ name: 'e', ...spec }] })
const planService = (endpoints: unknown) =>
  documentOf('PlanService', { package: 'P', plan: 'G', name: 'S' }, { endpoints })
const event = (endpoints: unknown) => documentOf('ScheduledMaintenanceEvent', { name: 'W' }, { endpoints })

test.each<[string, string, string]>([
  [good, 'a service', service({ description: 'x', qpsLimitOverall: 5, rfc3986Encode: true, version: null })],
  [good, 'no spec', documentOf('Role', { name: 'R' }).replace('spec: {}\n', '')],
  [good, 'an empty spec', documentOf('Role', { name: 'R' }).replace('{}', '')],
  [good, 'placeholders', service({ qpsLimitOverall: '${env:N}', rfc3986Encode: '${env:B}', description: '${env:N}' })],
  [bad, 'an unknown field', service({ descripton: 'x' })],
  [good, 'an extra field', service({ descripton: 'x', securityProfile: { x: 1 } }, { extraFields: true })],
  [bad, 'an unknown member', service({ securityProfile: { x: 1 } })],
  [
    good,
    'members',
    service({ securityProfile: { oauth: { grantTypes: 'client_credentials', accessTokenTtl: null } } }),
  ],
  [bad, 'a number for a text', service({ version: 1 })],
  [bad, 'a text for a number', service({ qpsLimitOverall: '5' })],
  [good, 'the largest number', service({ qpsLimitOverall: Number.MAX_SAFE_INTEGER })],
  [bad, 'a larger one', service({ qpsLimitOverall: 2 ** 53 })],
  [bad, 'one that is less than the least', service({ qpsLimitOverall: -(2 ** 53) })],
  [bad, 'an id that is larger', documentOf('EmailTemplate', { emailTemplateSet: 2 ** 53, name: 't' })],
  [bad, 'an ignored field', service({ revisionNumber: 1 })],
  [bad, 'an id', service({ id: 'x' })],
  [bad, 'a null name', service({ name: null })],
  [good, 'the name again', service({ name: 'S' })],
  [bad, 'no name', documentOf('Service', {})],
  [bad, 'unknown metadata', service({}, { lables: {} })],
  [
    good,
    'all metadata',
    service({}, { labels: { a: 'b' }, id: 'x', formerly: 'T', protect: true, ignore: ['/version'] }),
  ],
  [bad, 'a parent of a kind at the root', service({}, { service: 'x' })],
  [bad, 'no parent', documentOf('Endpoint', { name: 'e' })],
  [good, 'a parent with id', endpoint({}, { service: { name: 'S', id: 'x' } })],
  [bad, 'a parent without name', endpoint({}, { service: { id: 'x' } })],
  [bad, 'no error set', service({ errorSets: [] })],
  [bad, 'null error sets', service({ errorSets: null })],
  [good, 'error messages', service({ errorSets: [{ name: 'x', errorMessages: [{ id: 'E' }, 'F'] }] })],
  [good, 'null children', service({ endpoints: null })],
  [good, 'bare children', service({ endpoints: ['e', { name: 'f', methods: 'list' }] })],
  [bad, 'a child without name', service({ endpoints: [{}] })],
  [bad, 'a mapping of children', service({ endpoints: { e: {} } })],
  [good, 'child metadata', inline({ metadata: { protect: true } })],
  [good, 'an extra field of a child', inline({ odd: 1, metadata: { extraFields: true } })],
  [bad, 'an unknown field of a child', inline({ odd: 1 })],
  [good, 'extra fields of all children', service({ endpoints: [{ name: 'e', odd: 1 }] }, { extraFields: true })],
  [bad, 'a name in child metadata', inline({ metadata: { name: 'e' } })],
  [good, 'single children', inline({ cache: {}, systemDomainAuthentication: null })],
  [bad, 'a single child as text', inline({ cache: 'x' })],
  [
    good,
    'enum words',
    endpoint({ supportedHttpMethods: ['get'], requestProtocol: 'rest', returnedHeaders: 'svc-responder' }),
  ],
  [good, 'underscores', endpoint({ oauthGrantTypes: ['client_credentials'] })],
  [bad, 'capitals', endpoint({ supportedHttpMethods: ['GET'] })],
  [good, 'a listed number', endpoint({ connectionTimeoutForSystemDomainRequest: 5 })],
  [bad, 'a number not listed', endpoint({ connectionTimeoutForSystemDomainRequest: 6 })],
  [good, 'domains', endpoint({ publicDomains: ['a', { domain: 'b' }, { address: 'c' }], systemDomains: 'd' })],
  [bad, 'a domain of no word', endpoint({ publicDomains: [{ host: 'a' }] })],
  [good, 'a map of texts', endpoint({ processor: { preInputs: { a: 'b' } } })],
  [bad, 'a map of numbers', endpoint({ processor: { preInputs: { a: 1 } } })],
  [bad, 'null on Req', endpoint({ requestPathAlias: null })],
  [good, 'null on Opt', endpoint({ requestProtocol: null, cors: null, publicDomains: null })],
  [good, 'an event by name', endpoint({ scheduledMaintenanceEvent: 'W', errorSet: { name: 'x', id: 'y' } })],
  [good, 'stored booleans', endpoint({ inboundSslRequired: 1 })],
  [bad, 'a number that is no boolean', endpoint({ inboundSslRequired: 2 })],
  [good, 'roles', service({ roles: ['R', { name: 'Q', action: 'read' }] })],
  [bad, 'a role with an empty id', service({ roles: [{ name: 'Q', id: '' }] })],
  [bad, 'a parent with an empty id', endpoint({}, { service: { name: 'S', id: '' } })],
  [bad, 'a link without an id', documentOf('PlanService', { package: 'P', plan: 'G', name: 'S' }, { id: null })],
  [bad, 'a link with an empty id', documentOf('PlanService', { package: 'P', plan: 'G', name: 'S' }, { id: '' })],
  [
    bad,
    'a link with an empty id beside its pin',
    documentOf('PlanService', { package: 'P', plan: 'G', name: 'S', id: 'x' }, { id: '' }),
  ],
  [bad, 'an empty id of a set', documentOf('Plan', { package: 'P', name: 'G' }, { emailTemplateSetId: '' })],
  [bad, 'roles with more', service({ roles: [{ name: 'Q', rights: 'read' }] })],
  [good, 'everything in a plan', planService('*')],
  [
    good,
    'all methods in a plan',
    planService([{ name: 'e', methods: '*' }, 'f', { name: 'g', methods: [{ name: 'm' }] }]),
  ],
  [bad, 'more of an endpoint in a plan', planService([{ name: 'e', cors: {} }])],
  [
    bad,
    'a description of a service in a plan',
    documentOf('PlanService', { package: 'P', plan: 'G', name: 'S' }, { description: 'x' }),
  ],
  [
    good,
    'plan services by name',
    documentOf('Plan', { package: 'P', name: 'G' }, { services: ['S', { name: 'T', id: 'x' }] }),
  ],
  [
    good,
    'event endpoints',
    event([
      { service: 'S', name: 'e' },
      { service: { name: 'S', id: 'x' }, name: 'f', id: 'y' },
    ]),
  ],
  [bad, 'event endpoints without service', event(['e'])],
  [bad, 'event endpoints with only a name', event([{ name: 'e' }])],
  [
    good,
    'datetimes',
    documentOf('ScheduledMaintenanceEvent', { name: 'W' }, { startDateTime: '2027-01-01T00:00:00Z' }),
  ],
  [bad, 'a day', documentOf('ScheduledMaintenanceEvent', { name: 'W' }, { startDateTime: '2027-01-01' })],
  [good, 'a key', key({ apikey: 'abc', package: 'P', plan: { name: 'G' }, secret: '${env:N}' })],
  [bad, 'a key of nothing', key({ plan: 'G' })],
  [bad, 'limits of a key', key({ package: 'P', limits: [] })],
  [bad, 'keys of a member', documentOf('Member', { name: 'm' }, { packageKeys: [] })],
  [bad, 'a key without parents', documentOf('PackageKey', { name: 'x' }, { package: 'P' })],
  [good, 'inline keys', documentOf('Application', { member: 'm', name: 'A' }, { packageKeys: [{ package: 'P' }] })],
  [bad, 'inline keys of nothing', documentOf('Application', { member: 'm', name: 'A' }, { packageKeys: [{}] })],
  [bad, 'inline keys as texts', documentOf('Application', { member: 'm', name: 'A' }, { packageKeys: ['x'] })],
  [good, 'free maps', documentOf('Package', { name: 'P' }, { eav: { a: [1, null] } })],
  [good, 'an attribute', documentOf('Application', { member: 'm', name: 'A' }, { costCentre: '12', tier: null })],
  [bad, 'a word of metadata as attribute', documentOf('Application', { member: 'm', name: 'A' }, { formerly: 'B' })],
  [bad, 'an ignored field as attribute', documentOf('Application', { member: 'm', name: 'A' }, { created: null })],
  [
    bad,
    'the same inline',
    documentOf(
      'Member',
      { name: 'm' },
      {
        applications: [
          { name: 'A', formerly: 'B' },
          { name: 'B', id: 'x' },
        ],
      },
    ),
  ],
  [good, 'an email template', documentOf('EmailTemplate', { emailTemplateSet: 7, name: 't' }, { subject: 'x' })],
  [good, 'a group', documentOf('Role', { name: 'R' }, { group: { name: 'g', suborganizations: [{ name: 'h' }] } })],
  [good, 'a removal', documentOf('Removed', { address: 'Service/S' }).replace('spec: {}\n', '')],
  [bad, 'a removal with a name', documentOf('Removed', { address: 'Service/S', name: 'x' }).replace('spec: {}\n', '')],
  [bad, 'a removal of nothing', documentOf('Removed', {}).replace('spec: {}\n', '')],
  [bad, 'another version', 'apiVersion: v1\nkind: Service\nmetadata: {name: S}\n'],
  [bad, 'an unknown kind', documentOf('Servce', { name: 'S' })],
])('%s by walker and schema: %s', (verdict, _, text) => {
  const errors = errorsOf(manifestsIn(text, { env: { N: '5', B: 'true' }, paths: ['a.yaml'] }))
  expect({ walker: errors.length === 0 ? good : bad, schema: accepts(text) ? good : bad, errors }).toEqual({
    walker: verdict,
    schema: verdict,
    errors: verdict === good ? [] : errors,
  })
})

const complaintsAbout = (text: string): readonly string[] => {
  accepts(text)
  return (ajv.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`)
}

test.each([
  ['of an unknown kind', documentOf('Servce', { name: 'S' }), '/kind enum'],
  ['without a kind', 'apiVersion: gatewright/v1\nmetadata: {name: S}\n', ' required'],
  ['whose kind is not written yet', 'apiVersion: gatewright/v1\nkind:\n', '/kind enum'],
  ['whose kind is the beginning of another one', documentOf('Plan', { name: 'G' }), '/metadata required'],
])('a document %s is not validated as another kind', (_, text, told) => {
  expect(complaintsAbout(text).filter((each) => !each.endsWith(' if'))).toEqual([told])
})

test('the files in schemas/ match the catalogue', () => {
  for (const [file, schema] of Object.entries(allSchemas())) {
    expect(JSON.parse(readFileSync(new URL(`../../schemas/${file}`, import.meta.url), 'utf8'))).toEqual(schema)
  }
})
