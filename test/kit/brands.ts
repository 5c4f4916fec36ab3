import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Fleet, FleetArea } from '../../src/fleet/fleet.js'
import { type RunningPlatform, startPlatform } from '../../src/platform/listen.js'
import type { LogEntry } from '../../src/platform/log.js'
import type { PlatformSettings } from '../../src/platform/settings.js'
import { area as areaOf, serveSettings } from '../fleet/areas.js'
import { isWrite } from './world.js'

/** A fleet of small areas. Each area has its own embedded platform in this process and its own project. */
export interface Brands {
  readonly dir: string
  readonly fleet: Fleet
  readonly platforms: readonly RunningPlatform[]
  /** The variables of the login, which is the same for all areas. */
  readonly env: Readonly<Record<string, string>>
  /** Writes the manifest of each area again: one service with that description. */
  readonly declare: (description: string) => void
  /** The number of calls by which a platform has changed something, by area. */
  readonly writes: (area: string) => number
  /**
   * When the platforms received requests, in milliseconds since 1970, by the name of the area. Requests for tokens are included.
   */
  readonly calls: ReadonlyMap<string, readonly number[]>
  readonly close: () => Promise<void>
}

export interface BrandsSetup extends Partial<Pick<Fleet, 'drift' | 'rollout' | 'keys' | 'timeoutMs'>> {
  readonly count: number
  readonly platform?: PlatformSettings
  readonly area?: (index: number) => Partial<FleetArea>
}

export const brandName = (index: number): string => `brand-${String(index + 1).padStart(2, '0')}`

export async function brands({ count, platform = {}, area = () => ({}), ...fleet }: BrandsSetup): Promise<Brands> {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-brands-'))
  const platforms = await Promise.all(
    Array.from({ length: count }, () => startPlatform({ autoApprove: true, idSeed: 'brands', ...platform })),
  )
  const calls = new Map(platforms.map((_, index) => [brandName(index), noted()]))
  platforms.forEach(({ platform: { log } }, index) => {
    watched(log, () => calls.get(brandName(index))?.push(performance.now()))
  })
  platforms.forEach(({ url, area: id }, index) => {
    mkdirSync(join(dir, brandName(index), 'manifests'), { recursive: true })
    writeFileSync(
      join(dir, brandName(index), 'gatewright.yaml'),
      `apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: brands}\nspec:\n  manifests: [manifests]\n  platform: {url: "${url}", area: ${id}}\n`,
    )
  })
  const [first] = platforms
  const declare = (description: string): void =>
    platforms.forEach((_, index) => {
      writeFileSync(
        join(dir, brandName(index), 'manifests/orders.yaml'),
        `apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: Orders}\nspec: {description: ${description}}\n`,
      )
    })
  declare('first')
  return {
    dir,
    platforms,
    fleet: {
      ...{ name: 'brands', file: 'gatewright.fleet.yaml', dir: '.', keys: {}, drift: undefined, rollout: undefined },
      ...{ records: '.gatewright/fleets', timeoutMs: 120_000 },
      serve: serveSettings,
      ...fleet,
      areas: platforms.map((_, index) =>
        areaOf(brandName(index), { project: brandName(index), area: undefined, ...area(index) }),
      ),
    },
    env: {
      ...{ GATEWRIGHT_API_KEY: first?.apiKey ?? '', GATEWRIGHT_API_SECRET: first?.apiSecret ?? '' },
      ...{ GATEWRIGHT_USERNAME: first?.username ?? '', GATEWRIGHT_PASSWORD: first?.password ?? '' },
      GATEWRIGHT_HOSTS: platforms.map(({ url }) => new URL(url).host).join(','),
      PATH: process.env.PATH ?? '',
    },
    declare,
    calls,
    writes: (name) =>
      (platforms.find((_, index) => brandName(index) === name)?.platform.log ?? []).filter(isWrite).length,
    close: async () => {
      await Promise.all(platforms.map((each) => each.close()))
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

const noted = (): number[] => []

/** Calls `told` for each entry that the platform adds to its log. */
function watched(log: readonly LogEntry[], told: () => void): void {
  const push = Array.prototype.push.bind(log)
  Object.defineProperty(log, 'push', {
    value: (...entries: readonly LogEntry[]) => {
      for (const _ of entries) told()
      return push(...entries)
    },
  })
}
