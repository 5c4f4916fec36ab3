import {
  all,
  boolean,
  child,
  children,
  common,
  conventional,
  domain,
  hostName,
  integer,
  kind,
  listOf,
  oneOf,
  oneOfIntegers,
  reference,
  shape,
  string,
} from '../table.js'
import type { Row } from '../types.js'

const keyLocations = oneOf('request-parameters', 'request-path', 'request-body', 'request-header', 'custom')

/** A row without rules in the document: "Every other field is Exp and Optional on create and update". */
const optional = (type: Row[0], note = ''): Row => [type, 'Opt Opt Exp', note]

const item = '/services/{serviceId}/endpoints/{endpointId}'

export const Endpoint = kind({
  about: 'An addressable resource within the proxy service: back-end details and the rules for the traffic to it.',
  parent: { kind: 'Service', field: 'endpoints' },
  identity: ['name'],
  after: ['ErrorMessage'],
  idParameter: 'endpointId',
  operations: {
    list: 'GET /services/{serviceId}/endpoints',
    fetch: `GET ${item}`,
    create: conventional('POST /services/{serviceId}/endpoints'),
    update: conventional(`PUT ${item}`),
    delete: conventional(`DELETE ${item}`),
    fetchScheduledMaintenanceEvent: `GET ${item}/scheduledMaintenanceEvent`,
    assignScheduledMaintenanceEvent: `POST ${item}/scheduledMaintenanceEvent`,
    updateScheduledMaintenanceEvent: `PUT ${item}/scheduledMaintenanceEvent`,
    removeScheduledMaintenanceEvent: `DELETE ${item}/scheduledMaintenanceEvent`,
  },
  fields: {
    ...common,
    name: [string, 'Req Opt Imp'],
    allowMissingApiKey: optional(
      boolean,
      'true allows calls without API keys; requires a special key whose value is noapikey, used to accept the call, apply business rules and log requests',
    ),
    apiKeyValueLocationKey: optional(
      string,
      'name of the key field in calls, or for location request-path a space-delimited set of numbers giving positions in the request path recorded as the key',
    ),
    apiKeyValueLocations: optional(listOf(keyLocations)),
    apiMethodDetectionKey: optional(
      string,
      'string that identifies the incoming method; defines where to look for a method',
    ),
    apiMethodDetectionLocations: optional(listOf(keyLocations)),
    cache: optional(child('Cache'), 'cache behaviour of the endpoint'),
    connectionTimeoutForSystemDomainRequest: optional(oneOfIntegers(2, 5, 10, 20, 30, 45, 60), 'seconds'),
    connectionTimeoutForSystemDomainResponse: optional(
      oneOfIntegers(2, 5, 10, 20, 30, 45, 60, 120, 300, 600, 900, 1200),
      'seconds',
    ),
    cookiesDuringHttpRedirectsEnabled: optional(
      boolean,
      'true enables cookies during redirects to the back-end server',
    ),
    cors: optional(shape('Cors'), 'CORS behaviour of the endpoint'),
    customRequestAuthenticationAdapter: optional(string, 'custom authentication adapter'),
    dropApiKeyFromIncomingCall: optional(boolean, 'drop the platform key parameter from the call'),
    forceGzipOfBackendCall: optional(boolean, 'force gzip Accept-Encoding on the back-end call'),
    gzipPassthroughSupportEnabled: optional(
      boolean,
      'true makes the traffic manager accept and send gzip directives to the back end',
    ),
    headersToExcludeFromIncomingCall: optional(listOf(string), 'HTTP headers dropped from the incoming call'),
    highSecurity: optional(
      boolean,
      'true means calls must always use SSL; the customer area must be configured for this',
    ),
    hostPassthroughIncludedInBackendCallHeader: optional(boolean, 'pass the X-Svc-Host header in the back-end request'),
    inboundSslRequired: optional(boolean, 'stored as 0 or 1'),
    jsonpCallbackParameter: optional(string, 'parameter used when handling JSON responses'),
    jsonpCallbackParameterValue: optional(string, 'default value of that parameter'),
    scheduledMaintenanceEvent: optional(reference('ScheduledMaintenanceEvent')),
    forwardedHeaders: optional(listOf(oneOf('svc-host', 'svc-message-id', 'svc-service-id'))),
    returnedHeaders: optional(listOf(oneOf('svc-message-id', 'svc-responder'))),
    methods: optional(children('Method'), 'methods of the endpoint'),
    numberOfHttpRedirectsToFollow: optional(
      integer,
      'number of HTTP redirects to follow; by default none are followed',
    ),
    outboundRequestTargetPath: optional(string, 'request path sent to the back end'),
    outboundRequestTargetQueryParameters: optional(string, 'outbound query parameters'),
    outboundTransportProtocol: optional(oneOf('use-inbound', 'http', 'https')),
    processor: optional(shape('Processor'), 'customizations of call traffic management'),
    publicDomains: optional(listOf(domain), 'public hostnames used by developer applications'),
    requestAuthenticationType: optional(string, 'authentication type of the endpoint'),
    requestPathAlias: [string, 'Req Opt Exp', 'request path'],
    requestProtocol: optional(oneOf('rest', 'soap', 'xml-rpc', 'json-rpc', 'other')),
    oauthGrantTypes: optional(listOf(oneOf('authorization-code', 'implicit', 'password', 'client-credentials'))),
    stringsToTrimFromApiKey: optional(string, 'strings trimmed from the key before the call is passed on'),
    supportedHttpMethods: optional(listOf(oneOf('get', 'post', 'put', 'delete', 'head', 'options', 'patch'))),
    systemDomainAuthentication: optional(child('SystemDomainAuthentication')),
    systemDomains: optional(
      listOf(domain),
      'domain names of the client API server; calls are logged and business rules applied before forwarding',
    ),
    trafficManagerDomain: [
      hostName,
      'Req Opt Exp',
      'internal traffic-manager hostname to which the public hostname is aliased',
    ],
    useSystemDomainCredentials: optional(
      boolean,
      "true swaps the caller's credentials for the ones below when calling the back end",
    ),
    systemDomainCredentialKey: optional(string, 'key used when calling the back end'),
    systemDomainCredentialSecret: optional(string, 'secret used when calling the back end'),
  },
  noted: {
    errorSet: [reference('ErrorSet'), 'Opt Opt Exp', 'error set of the same service that the endpoint answers with'],
    undefinedMethodsAllowed: [
      boolean,
      'Opt Opt Exp',
      'calls whose method is not among the endpoint’s methods are allowed',
    ],
  },
  secret: ['systemDomainCredentialKey', 'systemDomainCredentialSecret'],
  route: { verbs: 'supportedHttpMethods', domains: 'publicDomains', path: 'requestPathAlias' },
  consequences: {
    weaker: { allowMissingApiKey: true, highSecurity: false, inboundSslRequired: false },
    routes: ['publicDomains', 'requestPathAlias', 'supportedHttpMethods'],
  },
  nestedOnCreate: ['methods', 'cache', 'systemDomainAuthentication'],
  olderPaths: { errorSet: 'errors.errorSet' },
  // Filled in by the platform (field notes; the recorded service of 60 endpoints).
  defaults: {
    ...all(
      false,
      'allowMissingApiKey',
      'cookiesDuringHttpRedirectsEnabled',
      'forceGzipOfBackendCall',
      'gzipPassthroughSupportEnabled',
      'highSecurity',
      'hostPassthroughIncludedInBackendCallHeader',
      'inboundSslRequired',
      'useSystemDomainCredentials',
    ),
    apiMethodDetectionLocations: ['request-path'],
    returnedHeaders: ['svc-responder'],
    numberOfHttpRedirectsToFollow: 0,
  },
})
