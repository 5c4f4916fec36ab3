import type { Json, JsonObject } from '../../../src/json/json.js'
import type { ManifestInput } from '../../../src/manifest/read.js'
import type { Manifests } from '../../../src/manifest/resource.js'
import { documentOf, manifestsOf, project, stream } from '../manifests-of.js'

/** The manifests of an OpenAPI file, a service, and a document that connects them; and optional other files. */
export function withApi(
  api: Json | string,
  spec: JsonObject = {},
  more: Partial<ManifestInput> = {},
  others: Readonly<Record<string, string>> = {},
): Manifests {
  return manifestsOf(
    {
      'manifests/service.yaml': stream(
        documentOf('Service', {
          name: 'Shop',
          defaults: { Endpoint: { trafficManagerDomain: 'api.example.com' } },
        }),
        documentOf('OpenAPI', { service: 'Shop' }, { file: '../api/shop.yaml', ...spec }),
      ),
      'api/shop.yaml': typeof api === 'string' ? api : JSON.stringify(api, null, 2),
      ...others,
    },
    { project: { ...project, manifests: ['manifests'] }, ...more },
  )
}

/** The generated endpoints: names to fields, with the names of methods. */
export function endpointsOf({ resources }: Manifests): Readonly<Record<string, JsonObject>> {
  const endpoints = resources.filter(({ kind }) => kind === 'Endpoint')
  return Object.fromEntries(
    endpoints.map(({ key, address, fields }) => {
      const methods = resources.filter(({ kind, parent }) => kind === 'Method' && parent === address)
      const { name: _, trafficManagerDomain: __, ...others } = fields
      return [key, { ...others, methods: methods.map((method) => method.key) }]
    }),
  )
}

/** An OpenAPI file with these paths. */
export const api = (paths: JsonObject, more: JsonObject = {}): JsonObject => ({
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1.4' },
  servers: [{ url: 'https://shop.internal.example.com/v1/' }],
  paths,
  ...more,
})

/** A path that answers GET. */
export const get = (more: JsonObject = {}): JsonObject => ({ get: { responses: {}, ...more } })
