import { findKind } from '../catalog/queries.js'
import type { Vocabulary } from '../catalog/vocabulary.js'
import type { JsonObject } from '../json/json.js'

/** The form of answers: as the document prints them, or as the field notes recorded them. */
export type Dialect = 'document' | 'recorded'

/** A snapshot of an area, nested as in the answers of the interface. References use ids. */
export interface SeedSnapshot {
  readonly [collection: string]: readonly JsonObject[] | undefined
}

/** The settings of an embedded platform. All have fixed defaults, so that runs are repeatable. */
export interface PlatformSettings {
  readonly dialect?: Dialect | undefined
  /** The vocabulary of requests and answers: the document's, or that of the vendor's platforms. */
  readonly vocabulary?: Vocabulary | undefined
  /** The path of an SQLite file. Without it, all objects are only in memory. */
  readonly data?: string | undefined
  /** Loaded at the start; ignored if `data` already has objects. */
  readonly seed?: SeedSnapshot | undefined
  readonly latencyMs?: number | undefined
  /** The limit of calls per second. Above it, the gateway answers ERR_403_DEVELOPER_OVER_QPS. */
  readonly qps?: number | undefined
  /** The limit of calls per day (UTC). Above it, the gateway answers ERR_403_DEVELOPER_OVER_RATE. */
  readonly dailyQuota?: number | undefined
  /** If true, new domains are active at once. */
  readonly autoApprove?: boolean | undefined
  /** Fault rules, see `faults.ts`. */
  readonly faults?: readonly string[] | undefined
  /** The clock, in milliseconds since 1970. */
  readonly now?: (() => number) | undefined
  /** The wait for latency and slow answers; by default with real timers. */
  readonly sleep?: ((milliseconds: number) => Promise<void>) | undefined
  readonly area?: string | undefined
  readonly apiKey?: string | undefined
  readonly apiSecret?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** Additional users who may request tokens: passwords by user name. */
  readonly accounts?: Readonly<Record<string, string>> | undefined
  readonly tokenLifetimeSeconds?: number | undefined
  readonly refreshLifetimeSeconds?: number | undefined
  /** If true, an array with one plain value is answered as that value, as in the document's examples. */
  readonly bareStrings?: boolean | undefined
  /** Operations that this platform refuses with 405, such as "DELETE /packages/{packageId}". */
  readonly refuse?: readonly string[] | undefined
  /** The name of the error set that a new service gets from the platform. "" means none; services may then have no error set. */
  readonly errorSet?: string | undefined
  /**
   * Nested fields that creates drop silently, such as "Service.endpoints". For plan services, updates drop them as well:
   * "PlanService.endpoints", "PlanService.endpoints.methods".
   */
  readonly ignoreNested?: readonly string[] | undefined
  /** A fixed seed makes ids, generated keys and tokens repeatable. */
  readonly idSeed?: string | undefined
}

/** The settings of a platform, with all defaults. */
export interface Settings {
  readonly dialect: Dialect
  readonly vocabulary: Vocabulary
  readonly area: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly username: string
  readonly password: string
  readonly accounts: ReadonlyMap<string, string>
  readonly tokenLifetimeMs: number
  readonly refreshLifetimeMs: number
  readonly latencyMs: number
  readonly qps: number | undefined
  readonly dailyQuota: number | undefined
  readonly domainStatus: 'active' | 'waiting'
  readonly singleValues: 'list' | 'bare'
  readonly refuse: readonly string[]
  readonly errorSet: string
  readonly ignoreNested: ReadonlySet<string>
  readonly now: () => number
  readonly sleep: (milliseconds: number) => Promise<void>
}

/** The options with all defaults. */
export function settingsOf(options: PlatformSettings): Settings {
  const username = options.username ?? 'local-user'
  const password = options.password ?? 'local-password'
  return {
    dialect: options.dialect ?? 'document',
    vocabulary: options.vocabulary ?? 'document',
    area: options.area ?? '00000000-0000-4000-8000-00000000a4ea',
    apiKey: options.apiKey ?? 'local-key',
    apiSecret: options.apiSecret ?? 'local-secret',
    username,
    password,
    accounts: new Map([...Object.entries(options.accounts ?? {}), [username, password]]),
    tokenLifetimeMs: (options.tokenLifetimeSeconds ?? 3600) * 1000,
    refreshLifetimeMs: (options.refreshLifetimeSeconds ?? 86_400) * 1000,
    latencyMs: options.latencyMs ?? 0,
    qps: options.qps,
    dailyQuota: options.dailyQuota,
    domainStatus: options.autoApprove ? 'active' : 'waiting',
    singleValues: options.bareStrings ? 'bare' : 'list',
    refuse: options.refuse ?? [],
    errorSet: options.errorSet ?? 'Default',
    ignoreNested: new Set((options.ignoreNested ?? []).map(nestedPath)),
    now: options.now ?? Date.now,
    sleep: options.sleep ?? ((milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))),
  }
}

function nestedPath(path: string): string {
  const [kindName = '', field = ''] = path.split('.')
  if (findKind(kindName)?.fields[field]) return path
  throw new RangeError(`'${path}' is not a nested field: KIND.FIELD, such as Service.endpoints`)
}
