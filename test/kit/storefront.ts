import { type DocumentText, document } from './manifests.js'

/** The values of the storefront from environment variables. They must never be shown. */
export const canaries = {
  SDA_PASSWORD: 'canary-"sda"/password',
  CERTIFICATE: 'canary-certificate\nof two lines',
  MEMBER_PASSWORD: 'canary-member-password',
  KEY_1: 'canary-apikey-0001',
  KEY_2: 'canary-apikey-0002',
  SECRET_1: 'canary-key-secret-1',
  SECRET_2: 'canary-key-secret-2',
}

/** A compact area with objects of every writable kind, in all forms that manifests permit. */
export const storefront: readonly DocumentText[] = [
  document('Domain', 'example.com'),
  document('Domain', 'backend.example'),
  document('Role', 'Partners'),
  document('Role', 'Staff', { description: 'Our own people' }),
  document('Service', 'Orders API', {
    description: 'Order intake and tracking',
    version: '2.1',
    qpsLimitOverall: 500,
    rfc3986Encode: true,
    securityProfile: { oauth: { accessTokenTtlEnabled: true, accessTokenTtl: 3600, grantTypes: ['password'] } },
    roles: [{ name: 'Partners', action: 'read' }],
    errorSets: [
      {
        name: 'problem-json',
        type: 'text/json',
        errorMessages: [
          { id: 'ERR_403_DEVELOPER_OVER_QPS', status: 'Slow down', responseBody: '{"title":"slow down"}' },
        ],
      },
    ],
    endpoints: [
      {
        name: 'orders',
        requestPathAlias: '/orders/v1',
        trafficManagerDomain: 'api.example.com',
        publicDomains: ['api.example.com'],
        systemDomains: ['orders.backend.example', 'standby.backend.example'],
        supportedHttpMethods: ['get', 'post'],
        connectionTimeoutForSystemDomainRequest: 5,
        inboundSslRequired: true,
        cors: { allDomainsEnabled: true, maxAge: 60 },
        processor: { adapter: 'trim', preProcessEnabled: true, preInputs: { depth: '2' } },
        systemDomainAuthentication: { type: 'httpBasic', username: 'gateway', password: '${env:SDA_PASSWORD}' },
        cache: { clientSurrogateControlEnabled: true, contentCacheKeyHeaders: ['accept'] },
        methods: [{ name: 'listOrders', sampleJsonResponse: '{"orders":[]}' }, { name: 'placeOrder' }],
      },
      {
        name: 'tracking',
        requestPathAlias: '/tracking/v1',
        trafficManagerDomain: 'api.example.com',
        publicDomains: ['api.example.com'],
        supportedHttpMethods: ['get'],
        methods: [{ name: 'track' }],
      },
    ],
  }),
  document('Service', 'Stock/Prices 100%', { description: 'Names with slashes and percent signs' }),
  document('ErrorSet', { service: 'Stock/Prices 100%', name: 'xml' }, { type: 'text/xml' }),
  document(
    'Endpoint',
    { service: 'Stock/Prices 100%', name: 'prices' },
    {
      requestPathAlias: '/prices',
      trafficManagerDomain: 'api.example.com',
      publicDomains: ['api.example.com'],
    },
  ),
  document('Method', { service: 'Stock/Prices 100%', endpoint: 'prices', name: 'getPrice' }),
  document('Cache', { service: 'Stock/Prices 100%', endpoint: 'prices' }, { clientSurrogateControlEnabled: true }),
  document(
    'SystemDomainAuthentication',
    { service: 'Stock/Prices 100%', endpoint: 'prices' },
    {
      type: 'clientSslCert',
      certificate: '${env:CERTIFICATE}',
    },
  ),
  document('ServiceRole', { service: 'Stock/Prices 100%', name: 'Staff' }, { action: 'read' }),
  document(
    'ErrorMessage',
    { service: 'Stock/Prices 100%', errorSet: 'xml', name: 'ERR_403_NOT_AUTHORIZED' },
    {
      status: 'No',
    },
  ),
  document('ScheduledMaintenanceEvent', 'New year', {
    startDateTime: '2027-01-01T00:00:00.000+0000',
    endDateTime: '2027-01-01T02:00:00.000+0000',
    endpoints: [
      { service: 'Orders API', name: 'orders' },
      { service: 'Stock/Prices 100%', name: 'prices' },
    ],
  }),
  document('Package', 'Partner Access', {
    description: 'For partners',
    notifyDeveloperPeriod: 'day',
    nearQuotaThreshold: 80,
    eav: { region: 'emea' },
    plans: [
      {
        name: 'Gold',
        rateLimitCeiling: 100_000,
        rateLimitPeriod: 'day',
        qpsLimitCeiling: 50,
        services: [
          { name: 'Orders API', endpoints: [{ name: 'orders', methods: ['listOrders'] }, { name: 'tracking' }] },
          { name: 'Stock/Prices 100%', endpoints: '*' },
        ],
      },
      { name: 'Bronze' },
    ],
  }),
  document('Plan', { package: 'Partner Access', name: 'Silver' }, { notes: 'in between' }),
  document(
    'PlanService',
    { package: 'Partner Access', plan: 'Silver', name: 'Orders API' },
    {
      endpoints: [{ name: 'tracking', methods: '*' }],
    },
  ),
  document('Member', 'acme-dev', {
    email: 'dev@acme.example',
    displayName: 'Acme',
    externalId: 'crm-17',
    passwdNew: '${env:MEMBER_PASSWORD}',
    roles: ['Partners'],
    applications: [
      {
        name: 'Acme Shop',
        commercial: true,
        packageKeys: [{ package: 'Partner Access', plan: 'Gold', apikey: '${env:KEY_1}', secret: '${env:SECRET_1}' }],
      },
    ],
  }),
  document('Application', { member: 'acme-dev', name: 'Acme Monitor' }, { description: 'Watches prices' }),
  document(
    'PackageKey',
    { member: 'acme-dev', application: 'Acme Monitor' },
    {
      package: 'Partner Access',
      plan: 'Bronze',
      apikey: '${env:KEY_2}',
      secret: '${env:SECRET_2}',
    },
  ),
]

/** The storefront without fields that the document does not have: other makes do not store them. */
export const documentedStorefront = storefront.map((each) =>
  each.kind === 'Role' ? { kind: each.kind, metadata: each.metadata } : each,
)
