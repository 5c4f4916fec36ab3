import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { vi } from 'vitest'

/** How often files whose path has this end are opened for reading while `work` runs, and what it returns. */
export async function opened<T>(end: string, work: () => Promise<T>): Promise<readonly [number, T]> {
  const open = vi.spyOn(fs, 'openSync')
  syncBuiltinESMExports()
  try {
    const result = await work()
    return [open.mock.calls.filter(([path]) => String(path).endsWith(end)).length, result]
  } finally {
    open.mockRestore()
    syncBuiltinESMExports()
  }
}
