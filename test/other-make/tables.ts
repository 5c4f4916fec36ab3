/**
 * The document's tables, written again for this make without the catalogue. Fields that the document does not show do not exist.
 */
export interface Table {
  /** Fields that are answered by default. */
  readonly plain: readonly string[]
  /** Fields that are answered only if `fields` names them. */
  readonly onRequest: readonly string[]
  readonly required: readonly string[]
  /** Lists of owned objects: the name of their table by field. */
  readonly lists: Readonly<Record<string, string>>
  /** Fields with at most one owned object. */
  readonly singles: Readonly<Record<string, string>>
  /** Lists of references to objects elsewhere. */
  readonly references: Readonly<Record<string, string>>
  /** Fields with a reference to one object elsewhere. */
  readonly reference: Readonly<Record<string, string>>
  /** Fields that are accepted only on create. */
  readonly onCreate: readonly string[]
  /** `given`: the request determines the id of these objects, as the target of a link or as a name. */
  readonly ownId: 'given' | 'made'
}

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '')

const table = (row: Partial<Table>): Table => ({
  plain: [],
  onRequest: [],
  required: [],
  lists: {},
  singles: {},
  references: {},
  reference: {},
  onCreate: [],
  ownId: 'made',
  ...row,
})

export const tables: Readonly<Record<string, Table>> = {
  services: table({
    plain: words('name version'),
    onRequest: words('description qpsLimitOverall rfc3986Encode securityProfile'),
    required: ['name'],
    lists: { endpoints: 'endpoints', errorSets: 'errorSets' },
  }),
  endpoints: table({
    plain: ['name'],
    onRequest: words(`allowMissingApiKey apiKeyValueLocationKey apiKeyValueLocations apiMethodDetectionKey
      apiMethodDetectionLocations connectionTimeoutForSystemDomainRequest connectionTimeoutForSystemDomainResponse
      cookiesDuringHttpRedirectsEnabled cors customRequestAuthenticationAdapter dropApiKeyFromIncomingCall
      forceGzipOfBackendCall gzipPassthroughSupportEnabled headersToExcludeFromIncomingCall highSecurity
      hostPassthroughIncludedInBackendCallHeader inboundSslRequired jsonpCallbackParameter jsonpCallbackParameterValue
      forwardedHeaders returnedHeaders numberOfHttpRedirectsToFollow outboundRequestTargetPath
      outboundRequestTargetQueryParameters outboundTransportProtocol processor publicDomains requestAuthenticationType
      requestPathAlias requestProtocol oauthGrantTypes stringsToTrimFromApiKey supportedHttpMethods systemDomains
      trafficManagerDomain useSystemDomainCredentials systemDomainCredentialKey systemDomainCredentialSecret`),
    required: words('name requestPathAlias trafficManagerDomain'),
    lists: { methods: 'methods' },
    singles: { cache: 'cache', systemDomainAuthentication: 'systemDomainAuthentication' },
  }),
  methods: table({
    plain: ['name'],
    onRequest: words('sampleJsonResponse sampleXmlResponse'),
    required: ['name'],
    lists: { responseFilters: 'responseFilters' },
  }),
  // The document does not have these: they exist only with an option of the store.
  responseFilters: table({
    plain: words('name notes'),
    onRequest: words('jsonFilterFields xmlFilterFields'),
    required: ['name'],
  }),
  cache: table({ plain: words('clientSurrogateControlEnabled contentCacheKeyHeaders') }),
  systemDomainAuthentication: table({ plain: words('type username password certificate') }),
  errorSets: table({ plain: words('name type jsonp jsonpType'), lists: { errorMessages: 'errorMessages' } }),
  errorMessages: table({
    plain: words('id status detailHeader responseBody'),
    required: ['id'],
    ownId: 'given',
  }),
  scheduledMaintenanceEvents: table({
    plain: words('name startDateTime endDateTime'),
    required: words('name startDateTime endDateTime'),
    references: { endpoints: 'endpoints' },
  }),
  domains: table({ plain: words('domain status'), required: ['domain'] }),
  packages: table({
    plain:
      words(`name description notifyDeveloperPeriod notifyAdminPeriod notifyAdminEmails nearQuotaThreshold keyAdapter
      keyLength sharedSecretLength`),
    onRequest: words(`notifyDeveloperNearQuota notifyDeveloperOverQuota notifyDeveloperOverThrottle notifyAdminNearQuota
      notifyAdminOverQuota notifyAdminOverThrottle eav`),
    required: ['name'],
    lists: { plans: 'plans' },
  }),
  plans: table({
    plain: words(`name description adminKeyProvisioningEnabled maxNumKeysAllowed numKeysBeforeReview qpsLimitCeiling
      qpsLimitExempt qpsLimitKeyOverrideAllowed rateLimitCeiling rateLimitExempt rateLimitKeyOverrideAllowed
      rateLimitPeriod responseFilterOverrideAllowed`),
    onRequest: words('eav notes emailTemplateSetId'),
    required: ['name'],
    lists: { services: 'planServices' },
  }),
  planServices: table({ references: { endpoints: 'endpoints' }, ownId: 'given' }),
  roles: table({ plain: ['name'], onRequest: ['group'], required: ['name'] }),
  members: table({
    plain:
      words(`username email displayName externalId uri blog im imsvc phone company address1 address2 locality region
      postalCode countryCode firstName lastName areaStatus`),
    required: words('username email displayName externalId passwdNew'),
    lists: { applications: 'applications' },
    references: { roles: 'roles' },
    onCreate: ['username'],
  }),
  applications: table({
    plain: words(`name username description type commercial ads adsSystem usageModel tags notes howDidYouHear
      preferredProtocol preferredOutput externalId uri oauthRedirectUri`),
    required: words('name username'),
    lists: { packageKeys: 'packageKeys' },
  }),
  packageKeys: table({
    plain: words('apikey secret rateLimitCeiling rateLimitExempt qpsLimitCeiling qpsLimitExempt status'),
    required: words('secret package plan'),
    reference: { package: 'packages', plan: 'plans' },
    onCreate: words('apikey package'),
  }),
  emailTemplates: table({ plain: words('from subject body type') }),
}

/** The collections at the root of the interface that own their objects. */
export const roots = words('services scheduledMaintenanceEvents domains packages members roles')

/** The collections in which `offset` counts pages. */
export const paged: ReadonlySet<string> = new Set(words('members applications packageKeys roles'))

export function tableOf(name: string): Table {
  const found = tables[name]
  if (!found) throw new Error(`no table ${name}`)
  return found
}
