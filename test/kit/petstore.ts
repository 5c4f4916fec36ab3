import { stringify } from 'yaml'
import type { JsonObject } from '../../src/json/json.js'
import { document, manifestText } from './manifests.js'

/** A small pet store in OpenAPI, in each of its dialects. */

const responses = { 200: { description: 'fine' } }

const paths: JsonObject = {
  '/pets': {
    get: { operationId: 'listPets', tags: ['pets'], responses },
    post: { operationId: 'addPet', tags: ['pets'], responses },
  },
  '/pets/{petId}': {
    parameters: [{ name: 'petId', in: 'path', required: true }],
    get: { operationId: 'readPet', tags: ['pets'], responses },
    delete: { operationId: 'removePet', tags: ['pets'], responses },
  },
  '/pets/{petId}/photos': { post: { operationId: 'addPhoto', tags: ['photos'], responses } },
  '/store/orders': { post: { operationId: 'placeOrder', tags: ['store'], responses } },
}

const info = { title: 'Petstore', version: '1.0.0' }
const servers = [{ url: 'https://petstore.backend.example/v1' }]

export const petstores: Readonly<Record<string, string>> = {
  '2.0': stringify({
    swagger: '2.0',
    info,
    host: 'petstore.backend.example',
    basePath: '/v1',
    schemes: ['https'],
    paths,
    definitions: { Pet: { type: 'object' } },
  }),
  '3.0': stringify({ openapi: '3.0.3', info, servers, paths, components: { schemas: { Pet: { type: 'object' } } } }),
  '3.1': JSON.stringify({ openapi: '3.1.0', info, servers, paths, webhooks: { petAdded: { post: { responses } } } }),
  '3.2': stringify({ openapi: '3.2.0', $self: 'https://example.com/petstore', info, servers, paths }),
}

/** The manifests for it. */
export const petstoreManifests = (spec: JsonObject = {}, metadata: JsonObject = {}): string =>
  [
    manifestText([
      document('Domain', 'example.com'),
      document('Domain', 'backend.example'),
      document(
        'Service',
        {
          name: 'Petstore',
          defaults: {
            Endpoint: {
              trafficManagerDomain: 'api.example.com',
              publicDomains: ['api.example.com'],
              requestProtocol: 'rest',
              outboundTransportProtocol: 'https',
            },
          },
        },
        { description: 'Animals' },
      ),
    ]),
    stringify({
      apiVersion: 'gatewright/v1',
      kind: 'OpenAPI',
      metadata: { service: 'Petstore', ...metadata },
      spec: { file: '../openapi/petstore.yaml', ...spec },
    }),
  ].join('---\n')
