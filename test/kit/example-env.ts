import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The secrets of the example, from `example.env` in its folder. */
export const exampleVariables = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...readFileSync(join(folder, 'example.env'), 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  )
