import { cpSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A copy of the example in a new folder, without the records of its runs. */
export function exampleCopy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-example-'))
  const example = new URL('../../examples/storefront', import.meta.url)
  cpSync(example, folder, { recursive: true, filter: (path) => !path.includes('.gatewright') })
  return folder
}

/** The secrets of the example, from `example.env` in its folder. */
export const exampleVariables = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...readFileSync(join(folder, 'example.env'), 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  )
