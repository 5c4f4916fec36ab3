import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The licences of the packages in a bundle, from the paths of its source files. */
export function noticesOf(sources: readonly string[]): string {
  const folders = new Set(sources.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []))
  return [...folders].sort().map(noticeOf).join('\n')
}

function noticeOf(folder: string): string {
  const { name, version, license, author }: Readonly<Record<string, string>> = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
  // Some packages have no licence file, only the name of the licence.
  const text = file === undefined ? `Copyright: ${author}` : readFileSync(join(folder, file), 'utf8').trim()
  return `${name} ${version} (${license})\n\n${text}\n`
}
