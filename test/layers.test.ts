import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { kindNames } from '../src/catalog/queries.js'

/** The layers of the program (design, "Layers"), held against the imports of every file. */

type Layer =
  | 'files'
  | 'catalog'
  | 'manifest'
  | 'client'
  | 'planner'
  | 'applier'
  | 'records'
  | 'report'
  | 'platform'
  | 'cli'

/** What a layer may import beside itself; 'types' where only their types. */
const allowed: Readonly<Record<Layer, Readonly<Partial<Record<Layer, 'all' | 'types'>>>>> = {
  files: {},
  catalog: {},
  manifest: { files: 'all', catalog: 'all' },
  client: { catalog: 'all' },
  planner: { catalog: 'all', manifest: 'all' },
  applier: { catalog: 'all', manifest: 'all', planner: 'all', client: 'all' },
  records: { files: 'all', catalog: 'all', manifest: 'types', planner: 'types', client: 'types', applier: 'types' },
  report: {
    catalog: 'types',
    manifest: 'types',
    planner: 'types',
    client: 'types',
    applier: 'types',
    records: 'types',
  },
  platform: { catalog: 'all' },
  cli: {
    files: 'all',
    catalog: 'all',
    manifest: 'all',
    client: 'all',
    planner: 'all',
    applier: 'all',
    records: 'all',
    report: 'all',
    platform: 'all',
  },
}

/** Comparisons with a kind's name that no property of its row can replace; each says in a comment why. */
const comparisons: readonly string[] = [
  'manifest/check.ts Domain',
  'planner/order.ts Domain',
  'planner/order.ts PackageKey',
  'planner/order.ts Plan',
  'platform/answers.ts Endpoint',
  'platform/maintenance.ts ScheduledMaintenanceEvent',
  'platform/projection.ts ScheduledMaintenanceEvent',
  'platform/query.ts Application',
  'platform/query.ts PackageKey',
  'platform/remove.ts PackageKey',
  'platform/seed.ts Cache',
  'platform/seed.ts Service',
]

/** Layers that make no messages of their own: they import nothing of ours, or the catalogue only. */
const withoutProblems: readonly Layer[] = ['files', 'catalog', 'platform']

const isLayer = (name: string): name is Layer => Object.hasOwn(allowed, name)

interface Import {
  readonly from: string
  readonly kind: 'all' | 'types'
}

interface SourceFile {
  /** Relative to src, with forward slashes. */
  readonly path: string
  readonly layer: Layer | undefined
  readonly text: string
  readonly imports: readonly Import[]
}

const root = join(import.meta.dirname, '../src')

const files: readonly SourceFile[] = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .sort()
  .map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    const [first = ''] = path.split('/')
    return { path, layer: isLayer(first) ? first : undefined, text, imports: importsOf(text) }
  })

/** `import … from`, `export … from`, `import '…'` and `import('…')`; comments are taken away first. */
function importsOf(text: string): readonly Import[] {
  const code = withoutComments(text)
  const statements = code.matchAll(/^(?:import|export)\s+(type\s+)?([^'"]*?)\s*from\s*['"]([^'"]+)['"]/gm)
  const bare = code.matchAll(/^import\s*['"]([^'"]+)['"]/gm)
  const lazy = code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)
  return [
    ...[...statements].map(([, type, names = '', from = '']): Import => {
      return { from, kind: type !== undefined || onlyTypes(names) ? 'types' : 'all' }
    }),
    ...[...bare, ...lazy].map(([, from = '']): Import => ({ from, kind: 'all' })),
  ]
}

/** `{ type A, type B }` brings nothing at run time. */
function onlyTypes(names: string): boolean {
  const [, list] = /^\{([^}]*)\}$/.exec(names.trim()) ?? []
  const each = (list ?? '').split(',').filter((name) => name.trim() !== '')
  return each.length > 0 && each.every((name) => name.trim().startsWith('type '))
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '')
}

/** The path inside src that a relative import names, or undefined for a package. */
function target(file: SourceFile, { from }: Import): string | undefined {
  return from.startsWith('.') ? posix.join(dirname(file.path), from).replace(/\.js$/, '.ts') : undefined
}

/** Every import that the table does not allow, as a sentence. */
function violations(file: SourceFile): readonly string[] {
  return file.imports.flatMap((each) => {
    const path = target(file, each)
    if (path === undefined || file.layer === undefined) return []
    const [layer = ''] = path.split('/')
    if (layer === 'problem.ts') {
      return withoutProblems.includes(file.layer) ? [`${file.path} imports problem.ts`] : []
    }
    if (layer === file.layer) return []
    const rule = isLayer(layer) ? allowed[file.layer][layer] : undefined
    if (rule === 'all' || (rule === 'types' && each.kind === 'types')) return []
    return [`${file.path} imports ${each.kind === 'all' ? '' : 'types of '}${path}`]
  })
}

const inLayer = (layer: Layer): readonly SourceFile[] => files.filter((file) => file.layer === layer)

const importing = (matches: (from: string) => boolean): readonly SourceFile[] =>
  files.filter((file) => file.imports.some(({ from }) => matches(from)))

describe('layers', () => {
  it('are seen by this test: it reads files, and their imports', () => {
    expect(inLayer('catalog').length).toBeGreaterThan(20)
    expect(files.flatMap((file) => file.imports).length).toBeGreaterThan(100)
    expect(importsOf("import type { A } from './a.js'\nimport { b } from './b.js'\nawait import('./c.js')")).toEqual([
      { from: './a.js', kind: 'types' },
      { from: './b.js', kind: 'all' },
      { from: './c.js', kind: 'all' },
    ])
  })

  it('import only what the table allows', () => {
    expect(files.flatMap(violations)).toEqual([])
  })

  it('are the only folders: beside them stand bin.ts and problem.ts', () => {
    expect(files.filter((file) => file.layer === undefined).map((file) => file.path)).toEqual(['bin.ts', 'problem.ts'])
  })

  it('problem.ts imports no file of ours', () => {
    const imports = files.find((file) => file.path === 'problem.ts')?.imports ?? []
    expect(imports.filter(({ from }) => from.startsWith('.'))).toEqual([])
  })

  it('nothing imports bin.ts', () => {
    const importers = files.filter((file) => file.imports.some((each) => target(file, each) === 'bin.ts'))
    expect(importers).toEqual([])
  })

  it('import only files that exist', () => {
    const known = new Set(files.map((file) => file.path))
    const dangling = files.flatMap((file) =>
      file.imports.flatMap((each) => {
        const path = target(file, each)
        return path === undefined || known.has(path) ? [] : [`${file.path} imports ${path}`]
      }),
    )
    expect(dangling).toEqual([])
  })
})

describe('the planner is pure', () => {
  it.each(inLayer('planner').map((file) => [file.path, file] as const))('%s', (_, file) => {
    const code = withoutComments(file.text)
    expect(file.imports.map(({ from }) => from).filter((from) => from.startsWith('node:'))).toEqual([])
    expect(code).not.toMatch(
      /\bawait\b|\basync\b|\bPromise\b|\bprocess\.|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b/,
    )
  })
})

describe('the catalogue and the reports', () => {
  it.each([...inLayer('catalog'), ...inLayer('report')].map((file) => [file.path, file] as const))(
    '%s touches no file, process, clock or network',
    (_, file) => {
      expect(file.imports.map(({ from }) => from).filter((from) => from.startsWith('node:'))).toEqual([])
      expect(withoutComments(file.text)).not.toMatch(
        /\bprocess\.|\bfetch\(|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b/,
      )
    },
  )

  it('no catalogue file imports a package', () => {
    const packages = inLayer('catalog').flatMap((file) => file.imports.filter(({ from }) => !from.startsWith('.')))
    expect(packages).toEqual([])
  })
})

describe('the wire', () => {
  const wire = (from: string) => ['undici', 'node:http', 'node:https', 'node:net', 'node:tls'].includes(from)

  it('is touched by the client and by the embedded platform only', () => {
    const layers = new Set(importing(wire).map((file) => file.layer))
    expect([...layers].filter((layer) => layer !== 'client' && layer !== 'platform')).toEqual([])
    expect(importing((from) => from === 'undici').filter((file) => file.layer !== 'client')).toEqual([])
  })

  it('is loaded lazily: no command imports the way to it when it starts', () => {
    const eager = files
      .filter((file) => file.layer === 'cli' || file.path === 'bin.ts')
      .filter((file) => /^import (?!type)[^\n]*undici-transport/m.test(withoutComments(file.text)))
    expect(eager).toEqual([])
  })
})

describe('every file', () => {
  it('leaves the process to bin.ts', () => {
    const users = files.filter((file) => /\bprocess\.(?!hrtime)/.test(withoutComments(file.text)))
    expect(users.map((file) => file.path)).toEqual(['bin.ts'])
  })

  it('makes its problems in problem.ts', () => {
    const makers = files.filter((file) => /\bcode: '[a-z-]+',\s+severity: '/.test(withoutComments(file.text)))
    expect(makers.map((file) => file.path)).toEqual(['problem.ts'])
  })

  it('has no default export', () => {
    expect(files.filter((file) => /^export default/m.test(file.text)).map((file) => file.path)).toEqual([])
  })

  it('asks the catalogue instead of a kind’s name', () => {
    const comparison = new RegExp(`[!=]== '(${kindNames.join('|')})'`, 'g')
    const found = files
      .filter((file) => file.layer !== 'catalog')
      .flatMap((file) =>
        [...withoutComments(file.text).matchAll(comparison)].map(([, kind = '']) => `${file.path} ${kind}`),
      )
    expect(found.filter((each) => !comparisons.includes(each))).toEqual([])
  })
})
