import type { Json, JsonObject } from '../json/json.js'
import { catalog } from './catalog.js'
import {
  ancestors,
  childField,
  elementOf,
  givenByParent,
  hasSecretName,
  isWritable,
  metadataWord,
  ownFields,
  referredKind,
  targetOf,
} from './queries.js'
import { nestedReferenceForm, type ReferenceForm, referenceForm } from './reference-form.js'
import type { Field, FieldType, Kind, KindName } from './types.js'

/** Examples that read like real manifests, for `explain`, for the reference pages, and valid as they stand. */

/** The names by which examples call one object of each kind. */
const names: Readonly<Record<KindName, string>> = {
  Service: 'Orders API',
  Endpoint: 'orders',
  Method: 'listOrders',
  Cache: '',
  SystemDomainAuthentication: '',
  ErrorSet: 'problem-json',
  ErrorMessage: 'ERR_403_DEVELOPER_OVER_QPS',
  ServiceRole: 'Partners',
  ScheduledMaintenanceEvent: 'New year window',
  Domain: 'example.com',
  Package: 'Partner Access',
  Plan: 'Gold',
  PlanService: 'Orders API',
  Role: 'Partners',
  Member: 'acme-dev',
  Application: 'Acme Shop',
  PackageKey: 'acme-shop-key-0001',
  EmailTemplate: 'keyActivated',
}

/** Values of fields by their names; a kind's own come first. Everything else follows from the type. */
const values: Readonly<Record<string, Json>> = {
  'Service.description': 'Order intake and tracking',
  'Package.description': 'For partners who place orders',
  'Plan.description': 'A hundred thousand calls a day',
  'Application.description': 'Shop front of Acme',
  'Role.description': 'Companies that sell our goods',
  'ErrorSet.type': 'text/json',
  'Application.type': 'web',
  'PackageKey.status': 'active',
  'ErrorMessage.status': 'Slow down',
  'PackageKey.rateLimitCeiling': 50_000,
  'SystemDomainAuthentication.username': 'gateway',
  'Plan.qpsLimitCeiling': 50,
  action: 'read',
  apiKeyValueLocationKey: 'api_key',
  apiMethodDetectionKey: 'method',
  areaStatus: 'active',
  cacheTtlOverride: 300,
  company: 'Acme',
  connectionTimeoutForSystemDomainRequest: 5,
  connectionTimeoutForSystemDomainResponse: 30,
  cors: { domainsAllowed: ['shop.example.com'], maxAge: 60 },
  countryCode: 'DE',
  customRequestAuthenticationAdapter: 'signature-check',
  detailHeader: 'Account Over Queries Per Second Limit',
  displayName: 'Acme',
  eav: { region: 'emea' },
  email: 'dev@acme.example',
  emailTemplateSetId: 7,
  endDateTime: '2027-01-01T02:00:00.000+0000',
  expires: '2027-12-31',
  externalId: 'crm-17',
  firstName: 'Ada',
  from: 'portal@example.com',
  group: { name: 'Partners' },
  headersToExcludeFromIncomingCall: ['X-Debug'],
  jsonpCallbackParameter: 'callback',
  jsonpCallbackParameterValue: 'handle',
  jsonpType: 'text/json',
  keyAdapter: 'uuid-keys',
  keyLength: 24,
  lastName: 'Lovelace',
  maxNumKeysAllowed: 2,
  nearQuotaThreshold: 80,
  notifyAdminEmails: 'ops@example.com',
  numKeysBeforeReview: 1,
  numberOfHttpRedirectsToFollow: 3,
  oauthRedirectUri: 'https://shop.example.com/oauth',
  outboundRequestTargetPath: '/v1/orders',
  outboundRequestTargetQueryParameters: 'source=gateway',
  outboundTransportProtocol: 'https',
  phone: '+49 30 1234567',
  preferredOutput: 'json',
  preferredProtocol: 'rest',
  processor: { adapter: 'trim-headers', preProcessEnabled: true, preInputs: { depth: '2' } },
  qpsLimitCeiling: 20,
  qpsLimitOverall: 500,
  rateLimitCeiling: 100_000,
  rateLimitPeriod: 'day',
  requestAuthenticationType: 'apiKey',
  requestPathAlias: '/orders/v1',
  responseBody: '{"title":"slow down"}',
  sampleJsonResponse: '{"orders":[]}',
  sampleXmlResponse: '<orders/>',
  securityProfile: { oauth: { accessTokenTtlEnabled: true, accessTokenTtl: 3600, grantTypes: ['client-credentials'] } },
  sharedSecretLength: 10,
  startDateTime: '2027-01-01T00:00:00.000+0000',
  stringsToTrimFromApiKey: 'Bearer',
  subject: 'Your key is active',
  body: 'You may start calling the API.',
  supportedHttpMethods: ['get', 'post'],
  trafficManagerDomain: 'api.example.com',
  uri: 'https://acme.example',
  version: '2.1',
}

/** What a manifest may write for a field; undefined where none may write it. */
export function exampleValue(kind: Kind, field: Field): Json | undefined {
  if (!isWritable(field)) return undefined
  if (field.secret) return `\${env:${constantCase(`${kind.name}-${field.name}`)}}`
  if (field.name === kind.naming) return names[kind.name]
  return values[`${kind.name}.${field.name}`] ?? values[field.name] ?? valueOfType(kind, field)
}

function valueOfType(kind: Kind, field: Field): Json {
  const referred = referredKind(field)
  if (referred !== undefined) return listed(field.type, exampleReference(kind, referred))
  const child = childField(kind, field.name)
  if (child) return listed(field.type, exampleChild(child.kind))
  return listed(field.type, plainValue(elementOf(field.type)))
}

const listed = (type: FieldType, value: Json): Json => (type.is === 'list' ? [value] : value)

function plainValue(type: FieldType): Json {
  switch (type.is) {
    case 'boolean':
      return true
    case 'integer':
      return 1
    case 'enum':
      return type.values[0] ?? ''
    case 'domain':
      return 'api.example.com'
    default:
      return 'text'
  }
}

/** An owned child with what it cannot be without. */
function exampleChild(kind: Kind): JsonObject {
  const needed = ownFields(kind).filter((field) => isWritable(field) && isNeeded(kind, field))
  const some = needed.length > 0 ? needed : ownFields(kind).filter(isWritable).slice(0, 1)
  return Object.fromEntries(some.map((field) => [field.name, exampleValue(kind, field) ?? null]))
}

const isNeeded = (kind: Kind, field: Field): boolean =>
  field.name !== givenByParent(kind) && (field.create === 'Req' || field.update === 'Req' || field.name === kind.naming)

function exampleReference(holder: Kind, referred: KindName): Json {
  const form = referenceForm(holder, referred)
  return named(
    catalog[referred],
    form,
    form.parents.map((word) => [word, nameByWord(word)]),
  )
}

function named(kind: Kind, form: ReferenceForm, parents: readonly (readonly [string, Json])[]): Json {
  const name = names[targetOf(kind).name]
  const members = form.members.map((field): [string, Json] => [field.name, exampleValue(kind, field) ?? null])
  const nested = form.nested.map(({ field, kind: inner }): [string, Json] => [
    field,
    [named(inner, nestedReferenceForm(inner), [])],
  ])
  if (parents.length + members.length + nested.length === 0) return name
  return Object.fromEntries([...parents, ['name', name], ...members, ...nested])
}

const nameByWord = (word: string): string =>
  Object.values(catalog).flatMap((kind) => (metadataWord(kind) === word ? names[kind.name] : []))[0] ?? 'name'

/** How many fields beside the needed ones an example shows. */
const optionalFields = 4

/** A manifest of one object, as a document of its own. */
export function exampleManifest(kind: Kind): JsonObject {
  const writable = ownFields(kind).filter(
    (field) =>
      isWritable(field) && field.name !== givenByParent(kind) && (field.name !== kind.naming || hasSecretName(kind)),
  )
  const needed = writable.filter((field) => isNeeded(kind, field) || isRoute(kind, field))
  const others = writable.filter((field) => !needed.includes(field) && isTelling(kind, field)).slice(0, optionalFields)
  const shown = writable.filter((field) => needed.includes(field) || others.includes(field))
  return {
    apiVersion: 'gatewright/v1',
    kind: kind.name,
    metadata: {
      ...Object.fromEntries(ancestors(kind).map((each) => [metadataWord(each), names[each.name]])),
      ...(kind.within && { [kind.within.metadata]: '7' }),
      ...(kind.naming === undefined || hasSecretName(kind) ? {} : { name: names[kind.name] }),
    },
    spec: Object.fromEntries(shown.map((field) => [field.name, exampleValue(kind, field) ?? null])),
  }
}

const isRoute = (kind: Kind, field: Field): boolean =>
  kind.route !== undefined && Object.values(kind.route).includes(field.name)

/** A field of which the example says more than its type; references to what the kind links to say most. */
const isTelling = (kind: Kind, field: Field): boolean =>
  !field.secret &&
  field.type.is !== 'shape' &&
  (values[`${kind.name}.${field.name}`] !== undefined ||
    values[field.name] !== undefined ||
    (referredKind(field) !== undefined && field.type.is === 'list'))

/** `PackageKey-secret` as the name of a variable: PACKAGE_KEY_SECRET. */
const constantCase = (text: string): string =>
  text
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
    .replaceAll('-', '_')
    .toUpperCase()
