import { fetchTransport } from '../../src/client/fetch-transport.js'
import { createPlatform } from '../../src/platform/server.js'
import type { PlatformSettings } from '../../src/platform/settings.js'
import type { ChildCall, ChildEnd, RunChild } from '../../src/ports/child.js'
import { gatewright, type Run } from '../cli/run.js'
import { folderWith } from '../kit/folder.js'
import { isWrite, type LoggedRequest, type Make } from '../kit/world.js'
import { fleetText } from './texts.js'

/** One platform for each area, with its own host, and children that run in this process. */
export interface FleetWorld {
  readonly dir: string
  readonly makes: ReadonlyMap<string, Make>
  /** Every call of a child so far. */
  readonly calls: readonly ChildCall[]
  /** The time of each request to the platforms, by the clock of the world, including those for the token. */
  readonly arrivals: readonly { readonly area: string; readonly at: number }[]
  readonly run: (args: readonly string[], more?: FleetRunWorld) => Promise<Run>
  /** Waits for this number of milliseconds. */
  readonly rest: (milliseconds: number) => Promise<void>
}

interface FleetRunWorld {
  /** Replaces a child; undefined: the program itself runs. */
  readonly child?: (call: ChildCall, real: RunChild) => Promise<ChildEnd>
  readonly signal?: AbortSignal
  readonly env?: Readonly<Record<string, string>>
}

interface FleetSetup {
  /** Lines in the spec of the fleet, beside its areas. */
  readonly spec?: readonly string[]
  /** By the name of the area: its settings beside project and environment. */
  readonly areas: Readonly<Record<string, string>>
  readonly manifests?: string
  readonly make?: (settings: PlatformSettings) => Make
}

const loginOfFleet = {
  GATEWRIGHT_API_KEY: 'local-key',
  GATEWRIGHT_API_SECRET: 'local-secret',
  GATEWRIGHT_USERNAME: 'local-user',
  GATEWRIGHT_PASSWORD: 'local-password',
  GATEWRIGHT_HOSTS: '*.example',
}

const areaId = '00000000-0000-4000-8000-00000000a4ea'

/** Files of a fleet of one project with an environment for each area, and a platform for each. */
export function fleetWorld({ spec = [], areas, manifests, make = createPlatform }: FleetSetup): FleetWorld {
  const names = Object.keys(areas)
  const environments = names.map(
    (name) =>
      `    ${JSON.stringify(name)}: {platform: {url: "http://${hostOf(name, names)}", area: ${areaId}}, values: {brand: ${JSON.stringify(name)}}}`,
  )
  const dir = folderWith({
    'gatewright.fleet.yaml': fleetText(
      'areas:',
      ...names.map(
        (name) =>
          `  - {name: ${JSON.stringify(name)}, project: shop, environment: ${JSON.stringify(name)}${areas[name]}}`,
      ),
      ...spec,
    ),
    'shop/gatewright.yaml': `apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: shop}\nspec:\n  values: {brand: {type: string}}\n  manifests: [manifests]\n  environments:\n${environments.join('\n')}\n`,
    'shop/manifests/all.yaml':
      manifests ?? 'apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: "Support of ${value:brand}"}\n',
  })
  const clock = virtualClock()
  const { now } = clock
  const makes = new Map(names.map((name) => [name, make({ autoApprove: true, idSeed: name, now })]))
  const arrivals: { area: string; at: number }[] = []
  const calls: ChildCall[] = []
  const transport = fetchTransport((url, init) => {
    const area = names[Number(/area-(\d+)/.exec(String(url))?.[1])] ?? ''
    const platform = makes.get(area)
    if (!platform) throw new TypeError(`no platform at ${String(url)}`)
    arrivals.push({ area, at: now() })
    return platform.fetch(new Request(url, init))
  })
  const runMain = async (args: readonly string[], world: FleetRunWorld & { readonly cwd: string }): Promise<Run> => {
    const real: RunChild = async ({ args: words, cwd, env, signal }) => {
      const end = await runMain(words, { cwd, env, signal })
      return { is: 'exited', code: end.exitCode, stdout: end.stdout, stderr: end.stderr }
    }
    const children: RunChild = (call) => {
      calls.push(call)
      return world.child ? world.child(call, real) : real(call)
    }
    return await gatewright(args, {
      ...{ env: world.env ?? loginOfFleet, cwd: world.cwd, now, sleep: clock.sleep },
      ...(world.signal && { signal: world.signal }),
      transport: () => Promise.resolve(transport),
      children: () => Promise.resolve(children),
    })
  }
  return {
    ...{ dir, makes, calls, arrivals, rest: clock.sleep },
    run: async (args, more = {}) => {
      // Two runs never have the same time.
      await clock.sleep(1000)
      return runMain(args, { cwd: dir, ...more })
    },
  }
}

/** Time passes only when no task that is awake has anything more to do at once: then the next sleeper wakes. */
function virtualClock() {
  let time = Date.UTC(2026, 10, 22)
  let isRunning = false
  const sleepers: { readonly at: number; readonly wake: () => void }[] = []
  const advance = async (): Promise<void> => {
    isRunning = true
    while (sleepers.length > 0) {
      for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      sleepers.sort((left, right) => left.at - right.at)
      const next = sleepers.shift()
      time = Math.max(time, next?.at ?? time)
      next?.wake()
    }
    isRunning = false
  }
  return {
    now: () => time,
    sleep: (milliseconds: number): Promise<void> =>
      new Promise((wake) => {
        sleepers.push({ at: time + milliseconds, wake })
        if (!isRunning) void advance()
      }),
  }
}

const hostOf = (name: string, names: readonly string[]): string => `area-${names.indexOf(name)}.example`

/** Writes that a platform has executed. */
export const writesOf = (make: Make | undefined): readonly LoggedRequest[] =>
  (make?.log ?? []).filter((request) => isWrite(request) && request.status < 300)
