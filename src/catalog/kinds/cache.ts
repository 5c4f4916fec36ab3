import { all, boolean, kind, listOf, number, oneOf } from '../table.js'

const path = '/services/{serviceId}/endpoints/{endpointId}/cache'

export const Cache = kind({
  about: 'Cache behaviour of an endpoint (EndpointCache in the document).',
  parent: { kind: 'Endpoint', field: 'cache', single: true },
  identity: [],
  idParameter: 'endpointId',
  operations: {
    fetch: `GET ${path}`,
    create: `POST ${path}`,
    update: `PUT ${path}`,
    delete: `DELETE ${path}`,
  },
  fields: {
    clientSurrogateControlEnabled: [
      boolean,
      'Opt Opt Imp',
      'surrogate control overrides the global TTL and sets TTL per object',
    ],
    contentCacheKeyHeaders: [
      listOf(oneOf('accept', 'accept-charset', 'accept-encoding', 'accept-language')),
      'Opt Opt Imp',
      'cache-control headers in responses override the global TTL per object',
    ],
  },
  noted: {
    cacheTtlOverride: [number, 'Opt Opt Imp', 'may have a fraction'],
    includeApiKeyInContentCacheKey: [boolean, 'Opt Opt Imp'],
    respondFromStaleCacheEnabled: [boolean, 'Opt Opt Imp'],
    responseCacheControlEnabled: [boolean, 'Opt Opt Imp'],
    varyHeaderEnabled: [boolean, 'Opt Opt Imp'],
  },
  defaults: {
    ...all(
      false,
      'clientSurrogateControlEnabled',
      'includeApiKeyInContentCacheKey',
      'respondFromStaleCacheEnabled',
      'responseCacheControlEnabled',
      'varyHeaderEnabled',
    ),
    cacheTtlOverride: 0,
  },
  examples: {
    cacheTtlOverride: 300,
  },
})
