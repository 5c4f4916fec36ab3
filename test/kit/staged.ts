import type { Json, JsonObject } from '../../src/json/json.js'
import { type DocumentText, document } from './manifests.js'

export const stages = ['DEV', 'QA', 'PRD'] as const

type Stage = (typeof stages)[number]

/** The values that differ between the stages of the service. */
const hosts: Readonly<Record<Stage, { readonly api: string; readonly login: string; readonly backend: string }>> = {
  DEV: { api: 'dev.inner.example.com', login: 'dev.api.example.com', backend: 'develop.catalogue.dev' },
  QA: { api: 'qa.inner.example.com', login: 'qa.api.example.com', backend: 'staging.catalogue.staging' },
  PRD: { api: 'inner.example.com', login: 'api.example.com', backend: 'production.catalogue.prod' },
}

interface Row {
  readonly name: string
  readonly path: string
  readonly verbs: readonly string[]
  readonly method?: string
  readonly more?: JsonObject
}

const slow = { connectionTimeoutForSystemDomainResponse: 10 }

const items = '/items/{shop}/{shelf}'
const uploads = `${items}/uploads/{item}`

const rows: readonly Row[] = [
  { name: 'ListItems', path: items, verbs: ['get'], method: 'items' },
  { name: 'AddItem', path: items, verbs: ['post'], method: 'items' },
  { name: 'ReadItem', path: `${items}/{item}`, verbs: ['get', 'head'], method: 'items' },
  { name: 'ReplaceItem', path: `${items}/{item}`, verbs: ['put'], method: 'items' },
  { name: 'RemoveItem', path: `${items}/{item}`, verbs: ['delete'], method: 'items', more: { ...slow } },
  { name: 'ListShops', path: '/shops', verbs: ['get'], method: 'shops', more: { ...slow } },
  { name: 'AddShop', path: '/shops', verbs: ['post'], method: 'shops', more: { dropApiKeyFromIncomingCall: false } },
  { name: 'ReadShop', path: '/shops/{shop}', verbs: ['get'], method: 'shops', more: { ...slow } },
  { name: 'RemoveShop', path: '/shops/{shop}', verbs: ['delete'], method: 'shops', more: { ...slow } },
  { name: 'CheckShop', path: '/shops/{shop}', verbs: ['head'], method: 'shops', more: { ...slow } },
  {
    name: 'OpenUpload',
    path: `${items}/uploads`,
    verbs: ['post'],
    method: 'uploads',
    more: { apiMethodDetectionKey: '1 4' },
  },
  { name: 'Upload', path: uploads, verbs: ['put'], method: 'uploads', more: { apiMethodDetectionKey: '1 4' } },
  { name: 'ReadUpload', path: uploads, verbs: ['get'], method: 'uploads', more: { apiMethodDetectionKey: '1 4' } },
  { name: 'DropUpload', path: uploads, verbs: ['delete'], method: 'uploads', more: { apiMethodDetectionKey: '1 4' } },
  { name: 'UploadPart', path: `${uploads}/{part}`, verbs: ['put'], method: 'uploads' },
  { name: 'ReadPart', path: `${uploads}/{part}`, verbs: ['get'], method: 'uploads' },
  { name: 'Search', path: '/search', verbs: ['get'], method: 'search' },
  { name: 'Health', path: '/health', verbs: ['get'], method: 'health', more: { ...slow, processor: null } },
  { name: 'Login', path: '/login', verbs: ['post'], method: 'login', more: { ...slow, processor: null } },
  { name: 'Root', path: '', verbs: ['get'], more: { ...slow, apiMethodDetectionKey: null } },
]

const withoutNulls = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

function endpoint(stage: Stage, { name, path, verbs, method, more }: Row): Json {
  const { api, login, backend } = hosts[stage]
  const host = name === 'Login' ? login : api
  return withoutNulls({
    name: `${stage} (CAT) Catalogue API ${name}`,
    requestPathAlias: `/cat${path}`,
    trafficManagerDomain: host,
    publicDomains: [host],
    systemDomains: [name === 'Login' ? `login.${backend.split('.')[2]}.backend.example` : `${backend}.backend.example`],
    supportedHttpMethods: verbs,
    apiKeyValueLocationKey: 'x-api-key',
    apiKeyValueLocations: ['request-header'],
    apiMethodDetectionKey: '1',
    connectionTimeoutForSystemDomainRequest: 5,
    connectionTimeoutForSystemDomainResponse: 300,
    dropApiKeyFromIncomingCall: true,
    outboundRequestTargetPath: path,
    outboundTransportProtocol: 'http',
    processor: {
      adapter: 'com.example.plugins.AddHeader',
      preProcessEnabled: true,
      preInputs: { 'x-forwarded-host': `${api}/cat`, 'x-forwarded-port': '443', 'x-forwarded-proto': 'https' },
    },
    requestAuthenticationType: 'apiKey',
    requestProtocol: 'rest',
    ...(method === undefined ? {} : { methods: [{ name: method }] }),
    ...more,
  })
}

/** A service with 60 endpoints: 20 endpoints in three stages, which differ in four fields. */
export const stagedCatalogue: readonly DocumentText[] = [
  document('Domain', 'example.com'),
  document('Domain', 'backend.example'),
  document('Service', '(CAT) Catalogue API', {
    description: 'Items of shops',
    version: '1.0',
    endpoints: stages.flatMap((stage) => rows.map((row) => endpoint(stage, row))),
  }),
]
