import { findKind } from '../catalog/queries.js'
import type { Vocabulary } from '../catalog/vocabulary.js'
import type { JsonObject } from '../json/json.js'

/** How the platform speaks: as the document prints it, or as the field notes recorded it. */
export type Dialect = 'document' | 'recorded'

/** A snapshot of an area, nested as the interface answers it; references are by id. */
export interface SeedSnapshot {
  readonly [collection: string]: readonly JsonObject[] | undefined
}

/** What an embedded platform can be told; everything has a fixed default, so that runs are repeatable. */
export interface PlatformSettings {
  readonly dialect?: Dialect | undefined
  /** The words that it takes and answers: the document's, or those of the vendor's platforms. */
  readonly vocabulary?: Vocabulary | undefined
  /** SQLite file; without it everything lives in memory only. */
  readonly data?: string | undefined
  /** Loaded when the platform starts; ignored where `data` holds objects already. */
  readonly seed?: SeedSnapshot | undefined
  readonly latencyMs?: number | undefined
  /** Calls per second; over it the gateway answers ERR_403_DEVELOPER_OVER_QPS. */
  readonly qps?: number | undefined
  /** Calls per day of the clock (UTC); over it the gateway answers ERR_403_DEVELOPER_OVER_RATE. */
  readonly dailyQuota?: number | undefined
  /** New domains are active at once. */
  readonly autoApprove?: boolean | undefined
  /** Fault rules, see `faults.ts`. */
  readonly faults?: readonly string[] | undefined
  /** The clock, in milliseconds since 1970. */
  readonly now?: (() => number) | undefined
  /** What latency and slow answers wait with: the real clock's timers, unless told otherwise. */
  readonly sleep?: ((milliseconds: number) => Promise<void>) | undefined
  readonly area?: string | undefined
  readonly apiKey?: string | undefined
  readonly apiSecret?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** Further people who may ask for tokens: user names and passwords. */
  readonly accounts?: Readonly<Record<string, string>> | undefined
  readonly tokenLifetimeSeconds?: number | undefined
  readonly refreshLifetimeSeconds?: number | undefined
  /** Answers arrays of one plain value as that value, as the document's examples are rendered. */
  readonly bareStrings?: boolean | undefined
  /** Operations that this platform does not offer (405), such as "DELETE /packages/{packageId}". */
  readonly refuse?: readonly string[] | undefined
  /** The error set that a new service gets by itself; "" is none, and a service can then be without any. */
  readonly errorSet?: string | undefined
  /**
   * Nested fields that creates drop silently, such as "Service.endpoints"; of plan services updates do so as well:
   * "PlanService.endpoints", "PlanService.endpoints.methods".
   */
  readonly ignoreNested?: readonly string[] | undefined
  /** Makes ids, generated keys and tokens repeatable. */
  readonly idSeed?: string | undefined
}

/** Credentials and identity of a platform, defaults filled in. */
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

/** The options with every default filled in. */
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
