import { join } from 'node:path'
import type { Io } from './io.js'

/** GATEWRIGHT_CACHE, or the folder that the system has for what can be made again; `off`, and no home, keep nothing. */
export function cacheFolder(env: Io['env'], platform: NodeJS.Platform): string | undefined {
  if (env.GATEWRIGHT_CACHE) return env.GATEWRIGHT_CACHE === 'off' ? undefined : env.GATEWRIGHT_CACHE
  const within = (folder: string | undefined, ...below: readonly string[]) =>
    folder ? join(folder, ...below) : undefined
  const own =
    within(env.XDG_CACHE_HOME, 'gatewright') ??
    (platform === 'win32' ? within(env.LOCALAPPDATA, 'gatewright', 'Cache') : undefined) ??
    (platform === 'darwin' ? within(env.HOME, 'Library', 'Caches', 'gatewright') : undefined)
  return own ?? within(env.HOME, '.cache', 'gatewright')
}
