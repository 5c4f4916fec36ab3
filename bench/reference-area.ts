import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { JsonObject } from '../src/json/json.js'
import type { SeedSnapshot } from '../src/platform/settings.js'

/**
 * The size of an area. The reference area has 1,000 services with 5 endpoints each, and each of these has 3 methods: 21,000
 * objects.
 */
export interface AreaSize {
  readonly services: number
  readonly endpoints: number
  readonly methods: number
}

export const reference: AreaSize = { services: 1000, endpoints: 5, methods: 3 }

/** The number of objects in an area of that size. */
export const objectsOf = ({ services, endpoints, methods }: AreaSize): number =>
  services * (1 + endpoints * (1 + methods))

/** The numbers from 0 to below `count`. */
export const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)

/** The manifest of one service. Each endpoint has 12 fields and its methods. */
function serviceManifest(service: number, { endpoints, methods }: AreaSize): JsonObject {
  return {
    apiVersion: 'gatewright/v1',
    kind: 'Service',
    metadata: { name: `service-${service}` },
    spec: {
      description: `Service number ${service} of the reference area`,
      version: '1.0',
      endpoints: range(endpoints).map((endpoint) => endpointSpec(service, endpoint, methods)),
    },
  }
}

function endpointSpec(service: number, endpoint: number, methods: number): JsonObject {
  return {
    name: `endpoint-${endpoint}`,
    requestPathAlias: `/service-${service}/endpoint-${endpoint}/v1`,
    outboundRequestTargetPath: `/internal/service-${service}/endpoint-${endpoint}`,
    trafficManagerDomain: 'api.example.com',
    publicDomains: ['api.example.com'],
    systemDomains: [`backend-${service % 10}.internal.example.com`],
    supportedHttpMethods: ['get', 'post', 'put'],
    requestProtocol: 'rest',
    requestAuthenticationType: 'apiKey',
    connectionTimeoutForSystemDomainRequest: 5,
    connectionTimeoutForSystemDomainResponse: 60,
    dropApiKeyFromIncomingCall: true,
    inboundSslRequired: false,
    methods: range(methods).map((method) => ({
      name: `method-${method}`,
      sampleXmlResponse: `<answer of="method-${method}"/>`,
    })),
  }
}

const usual = [
  'trafficManagerDomain',
  'publicDomains',
  'supportedHttpMethods',
  'requestProtocol',
  'requestAuthenticationType',
  'connectionTimeoutForSystemDomainRequest',
  'connectionTimeoutForSystemDomainResponse',
  'dropApiKeyFromIncomingCall',
  'inboundSslRequired',
]

/**
 * The same area with layers, as people would write it: common fields of endpoints as defaults, the texts of the area and its
 * version as values, and only the rest in each manifest.
 */
export function layered(size: AreaSize): {
  readonly words: Readonly<Record<string, string>>
  readonly defaults: Readonly<Record<'Service' | 'Endpoint', JsonObject>>
  readonly texts: readonly string[]
} {
  const { name: _, ...endpoint } = endpointSpec(0, 0, 0)
  const shared = Object.entries(endpoint).filter(([key]) => usual.includes(key))
  const texts = range(size.services).map((service) => {
    const { spec, ...head } = serviceManifest(service, size) as JsonObject & { readonly spec: JsonObject }
    const endpoints = (spec.endpoints as readonly JsonObject[]).map((each) =>
      Object.fromEntries(Object.entries(each).filter(([key]) => !usual.includes(key))),
    )
    const manifest = { ...head, spec: { description: spec.description, endpoints } }
    return stringify(manifest, { lineWidth: 0 })
      .replaceAll('the reference area', '${value:which} area')
      .replaceAll(/(requestPathAlias: .*\/)v1$/gm, '$1${value:version}')
  })
  return {
    words: { which: 'the reference', version: 'v1' },
    defaults: { Service: { version: '1.0' }, Endpoint: Object.fromEntries(shared) },
    texts,
  }
}

/** Writes the manifests, one file for each service. Changed manifests have other descriptions than the platform. */
export function writeManifests(dir: string, size: AreaSize, changed: 'nothing' | 'every description'): void {
  mkdirSync(join(dir, 'manifests'), { recursive: true })
  for (const service of range(size.services)) {
    const manifest = serviceManifest(service, size)
    const text = stringify(changed === 'nothing' ? manifest : withOtherDescriptions(manifest), { lineWidth: 0 })
    writeFileSync(join(dir, 'manifests', `service-${service}.yaml`), text)
  }
}

/** Writes the project file, with the platform settings of the case. */
export function writeProject(dir: string, platform: JsonObject): void {
  const project = {
    apiVersion: 'gatewright/v1',
    kind: 'Project',
    metadata: { name: 'bench' },
    spec: { manifests: ['manifests'], limits: { deletes: 100_000, changedPercent: 100 }, platform },
  }
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'gatewright.yaml'), stringify(project))
}

/** Changes one field of every service, endpoint and method, so that there are as many independent updates as objects. */
function withOtherDescriptions(manifest: JsonObject): JsonObject {
  return JSON.parse(
    JSON.stringify(manifest)
      .replaceAll(' of the reference area', ' of the changed area')
      .replaceAll('"connectionTimeoutForSystemDomainRequest":5', '"connectionTimeoutForSystemDomainRequest":10')
      .replaceAll('<answer', '<other'),
  ) as JsonObject
}

/** The same area as a snapshot for the platform. */
export function seedOf(size: AreaSize): SeedSnapshot {
  return {
    domains: ['api.example.com', 'internal.example.com'].map((domain, index) => ({
      id: `domain-${index}`,
      domain,
      status: 'active',
    })),
    services: range(size.services).map((service) => serviceSeed(service, size)),
  }
}

function serviceSeed(service: number, size: AreaSize): JsonObject {
  const { spec } = serviceManifest(service, size) as { readonly spec: JsonObject }
  const endpoints = spec.endpoints as readonly JsonObject[]
  return {
    ...spec,
    id: `service${String(service).padStart(6, '0')}`,
    name: `service-${service}`,
    created: instant(service),
    endpoints: endpoints.map((endpoint, index) => ({
      ...endpoint,
      id: `e${String(service).padStart(6, '0')}x${index}`,
      publicDomains: [{ domain: 'api.example.com' }],
      systemDomains: [{ domain: `backend-${service % 10}.internal.example.com` }],
      methods: (endpoint.methods as readonly JsonObject[]).map((method, number) => ({
        ...method,
        id: `m${String(service).padStart(6, '0')}x${index}x${number}`,
      })),
    })),
  }
}

const instant = (service: number): string =>
  new Date(Date.UTC(2026, 0, 1) + service * 1000).toISOString().replace('Z', '+0000')
