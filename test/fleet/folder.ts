import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder with files, which goes when the test ends. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-fleet-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) writeIn(dir, path, text)
  return dir
}

export function writeIn(dir: string, path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true })
  writeFileSync(join(dir, path), text)
}

/** A fleet file with that spec, as lines of YAML that are indented below it. */
export const fleetText = (...spec: readonly string[]): string =>
  [
    'apiVersion: gatewright/v1',
    'kind: Fleet',
    'metadata: {name: brands}',
    'spec:',
    ...spec.map((line) => `  ${line}`),
    '',
  ].join('\n')

/** A file of one area. */
export const areaText = (name: string, spec: string): string =>
  `apiVersion: gatewright/v1\nkind: Area\nmetadata: {name: ${name}}\nspec: ${spec}\n`
