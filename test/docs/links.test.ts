import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const folders = ['docs', 'examples', 'ci'].filter((folder) => existsSync(join(root, folder)))
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => join(folder, path)),
  ),
]

const textOf = (page: string): string => readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '')

/** As GitHub makes anchors from headings. */
const anchorsIn = (page: string): ReadonlySet<string> =>
  new Set(
    [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )

it.each(pages)('%s links only to existing targets', (page) => {
  const text = textOf(page).replaceAll(/`[^`\n]*`/g, '')
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  const broken = links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [path = '', anchor] = link.split('#', 2)
    const target = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(root, target))) return true
    return anchor !== undefined && target.endsWith('.md') && !anchorsIn(target).has(anchor)
  })
  expect(broken).toEqual([])
})
