import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EVENT_ID, parseEvents } from 'js-yaml'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cacheFolder } from '../../src/cli/cache-folder.js'
import { nodeFiles } from '../../src/manifest/files.js'
import { format, parseCache } from '../../src/manifest/parse-cache.js'
import { readManifests } from '../../src/manifest/read.js'
import { readYaml } from '../../src/manifest/yaml.js'
import { scalarOf, toNumbers } from '../../src/manifest/yaml-numbers.js'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'gatewright-parse-cache-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const texts = [
  "a: 1\nb:\n  - x\n  - {c: \"d e\", f: 'g''h'}\n",
  'text: |-\n  one\n  two\nfolded: >+\n  three\n\nquoted: "tab\\t and \\u00e9"\n',
  '--- \na: b\n---\n- é\n- "😀"\n- plain  text\n',
  'empty:\nlist: []\nmap: {}\nnone: ~\n',
]

const nodesOf = (text: string, read?: Parameters<typeof readYaml>[1]) => readYaml({ file: 'a.yaml', text }, read)

describe('events as numbers', () => {
  it.each(['a: &x 1\nb: *x\n', 'a: !!str 1\n', '%YAML 1.2\n---\na: 1\n', '- &x a\n', '&m {a: 1}\n'])(
    'are not made of what they cannot say: %j',
    (text) => expect(toNumbers(parseEvents(text, {}))).toBeUndefined(),
  )

  it('give the scalars again', () => {
    const scalars = texts.flatMap((text) => parseEvents(text, {}).filter((event) => event.type === EVENT_ID.SCALAR))
    const again = scalars.map((scalar) => {
      const [, start = 0, end = 0, form = 0] = toNumbers([scalar]) ?? []
      return scalarOf(start, end, form)
    })
    expect(again).toEqual(scalars)
    expect(new Set(scalars.map(({ style }) => style)).size).toBe(5)
  })
})

describe('the parse cache', () => {
  const file = () => join(dir, 'cache', 'parsed')

  const filled = () => {
    const cache = parseCache(file())
    for (const text of texts) nodesOf(text, cache)
    cache.save()
    return readFileSync(file())
  }

  it('gives the nodes that the parser gives', () => {
    filled()
    const cache = parseCache(file())
    const parsed = texts.map((text) => nodesOf(text))
    expect(texts.map((text) => nodesOf(text, cache))).toEqual(parsed)
  })

  it('knows what it was given, and writes nothing where it knew all', () => {
    const before = filled()
    utimesSync(file(), 1000, 1000)
    const cache = parseCache(file())
    for (const text of texts) nodesOf(text, cache)
    cache.save()
    expect(statSync(file()).mtimeMs).toBe(1_000_000)
    expect(readFileSync(file()).equals(before)).toBe(true)
  })

  it('reads a text anew that changed by one character', () => {
    filled()
    const changed = texts.map((text) => text.replace('a: 1', 'a: 2'))
    const cache = parseCache(file())
    expect(changed.map((text) => nodesOf(text, cache))).toEqual(changed.map((text) => nodesOf(text)))
  })

  it('holds nothing of what the texts say', () => {
    const secret = 'Xk9vQ2hunter2LongEnoughToBeFound'
    const cache = parseCache(file())
    nodesOf(`apikey: ${secret}\nother: "${secret}"\n`, cache)
    cache.save()
    const bytes = readFileSync(file())
    expect(bytes.length).toBeGreaterThan(80)
    expect(bytes.includes(secret)).toBe(false)
    expect(bytes.includes(secret.slice(0, 6))).toBe(false)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 40)],
    ['cut off within a number', (bytes: Buffer) => bytes.subarray(0, bytes.length - 3)],
    ['empty', () => Buffer.alloc(0)],
    ['something else', () => Buffer.from('no cache at all, but a text that is long enough to be taken for one')],
    [
      'changed in one bit',
      (bytes: Buffer) => {
        const changed = Buffer.from(bytes)
        changed[changed.length - 8] = (changed[changed.length - 8] ?? 0) ^ 1
        return changed
      },
    ],
  ])('counts as empty where the file is %s, and is written anew', (_, damaged) => {
    const whole = filled()
    writeFileSync(file(), damaged(whole))
    const cache = parseCache(file())
    expect(texts.map((text) => nodesOf(text, cache))).toEqual(texts.map((text) => nodesOf(text)))
    cache.save()
    expect(readFileSync(file()).equals(whole)).toBe(true)
  })

  it('does without where its folder cannot be made', () => {
    writeFileSync(join(dir, 'cache'), 'a file')
    const cache = parseCache(file())
    expect(nodesOf(texts[0] ?? '', cache)).toEqual(nodesOf(texts[0] ?? ''))
    cache.save()
    expect(readFileSync(join(dir, 'cache'), 'utf8')).toBe('a file')
  })

  it('drops files that nobody has written for a month', () => {
    filled()
    const old = join(dir, 'cache', 'parsed-of-another')
    writeFileSync(old, '')
    utimesSync(old, 1000, 1000)
    const cache = parseCache(file())
    nodesOf('something: new\nthat: is\nlonger: than\na: twentieth\n', cache)
    cache.save()
    expect(readdirSync(join(dir, 'cache'))).toEqual(['parsed'])
  })

  it('is of the very parser that is installed', () => {
    const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
    expect(format).toContain(`js-yaml ${dependencies['js-yaml']}`)
  })
})

describe('manifests', () => {
  const service = (index: number) =>
    `apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: s${index}}\nspec:\n  description: "${'d'.repeat(4000)}"\n  endpoints:\n    - name: e\n      bad: 1\n`

  const read = (cache: string | undefined) => {
    const found = readManifests({
      project: { file: 'gatewright.yaml', dir: '.', manifests: ['.'] },
      env: {},
      files: nodeFiles(join(dir, 'manifests')),
      cache,
    })
    const { resources, problems, digest } = found
    return { problems, digest, said: resources.map(({ address, fields }) => ({ address, fields })) }
  }

  it('say the same with a cache, with a warm one, and without; small projects leave none', async () => {
    const { mkdirSync } = await import('node:fs')
    mkdirSync(join(dir, 'manifests'))
    const cache = join(dir, 'cache', 'parsed')
    writeFileSync(join(dir, 'manifests', 's0.yaml'), service(0))
    read(cache)
    expect(readdirSync(dir)).toEqual(['manifests'])
    for (let index = 0; index < 60; index += 1) writeFileSync(join(dir, 'manifests', `s${index}.yaml`), service(index))
    const without = read(undefined)
    expect(without.problems.filter(({ code }) => code === 'unknown-field')).toHaveLength(60)
    expect(read(cache)).toEqual(without)
    expect(readdirSync(join(dir, 'cache'))).toEqual(['parsed'])
    expect(read(cache)).toEqual(without)
  })
})

describe('the folder of the cache', () => {
  it.each([
    [{ GATEWRIGHT_CACHE: '/ci/cache', HOME: '/h/me' }, 'linux', '/ci/cache'],
    [{ GATEWRIGHT_CACHE: 'off', HOME: '/h/me' }, 'linux', undefined],
    [{ XDG_CACHE_HOME: '/x', HOME: '/h/me' }, 'linux', '/x/gatewright'],
    [{ HOME: '/h/me' }, 'linux', '/h/me/.cache/gatewright'],
    [{ HOME: '/h/me' }, 'darwin', '/h/me/Library/Caches/gatewright'],
    [{ LOCALAPPDATA: '/AppData' }, 'win32', '/AppData/gatewright/Cache'],
    [{}, 'linux', undefined],
  ] as const)('of %j on %s is %s', (env, platform, folder) => {
    expect(cacheFolder(env, platform)).toBe(folder)
  })
})
