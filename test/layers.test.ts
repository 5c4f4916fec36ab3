import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { kindNames, kinds } from '../src/catalog/queries.js'
import { shapes } from '../src/catalog/shapes.js'

/** The rooms of the program (ARCHITECTURE.md), compared with the imports of every file. */

type Room =
  | 'json'
  | 'problems'
  | 'files'
  | 'catalog'
  | 'ports'
  | 'secrets'
  | 'platform'
  | 'live'
  | 'stores'
  | 'client'
  | 'workflows'
  | 'snapshot'
  | 'manifest'
  | 'planner'
  | 'policy'
  | 'applier'
  | 'documents'
  | 'history'
  | 'report'
  | 'engine'
  | 'fleet'
  | 'cli'

type Rule = Readonly<Partial<Record<Room, 'all' | 'types'>>>

const all = (...rooms: readonly Room[]): Rule => Object.fromEntries(rooms.map((room) => [room, 'all']))
const types = (...rooms: readonly Room[]): Rule => Object.fromEntries(rooms.map((room) => [room, 'types']))

/** The rooms that a room may import, from the lowest room to the highest; 'types': only their types. */
const allowed: Readonly<Record<Room, Rule>> = {
  json: {},
  problems: {},
  files: all('json', 'problems'),
  catalog: all('json'),
  ports: {},
  secrets: { ...all('json', 'catalog'), ...types('ports') },
  platform: all('json', 'catalog'),
  live: all('json', 'problems', 'catalog'),
  stores: all('json', 'problems', 'files', 'catalog'),
  workflows: all('json', 'problems', 'files', 'stores'),
  client: { ...all('json', 'problems', 'catalog', 'secrets'), ...types('ports', 'live') },
  snapshot: { ...all('json', 'problems', 'files', 'catalog', 'client'), ...types('live') },
  manifest: { ...all('json', 'problems', 'files', 'catalog', 'secrets'), ...types('live', 'ports') },
  planner: { ...all('json', 'problems', 'files', 'catalog', 'live', 'manifest'), ...types('secrets') },
  policy: {
    ...all('json', 'problems', 'files', 'catalog', 'secrets', 'live', 'manifest'),
    ...types('planner'),
  },
  applier: {
    ...all('json', 'problems', 'catalog', 'secrets', 'live', 'planner'),
    ...types('client', 'manifest', 'ports'),
  },
  documents: {
    ...all('json', 'problems', 'files', 'catalog', 'secrets', 'live', 'manifest'),
    ...types('applier', 'planner', 'policy', 'stores'),
  },
  history: {
    ...all('json', 'problems', 'files', 'catalog', 'secrets', 'live', 'stores', 'manifest', 'planner'),
    ...all('applier', 'documents'),
    ...types('ports'),
  },
  report: { ...all('json', 'problems', 'secrets', 'documents'), ...types('catalog', 'planner', 'applier') },
  engine: {
    ...all('json', 'problems', 'files', 'catalog', 'ports', 'secrets', 'platform', 'live', 'stores', 'client'),
    ...all('snapshot', 'manifest', 'planner', 'policy', 'applier', 'documents', 'history', 'report'),
  },
  fleet: {
    ...all('json', 'problems', 'files', 'catalog', 'stores', 'workflows', 'manifest', 'documents', 'history'),
    ...all('report', 'engine'),
    ...types('ports'),
  },
  cli: {
    ...all('json', 'problems', 'files', 'catalog', 'ports', 'manifest', 'platform', 'documents', 'report', 'engine'),
    ...all('fleet'),
    ...types('client'),
  },
}

/**
 * The platform implements the special behaviour of these kinds; each comparison with a kind's name there has a comment with the
 * reason.
 */
const comparisons: readonly string[] = [
  'platform/maintenance.ts ScheduledMaintenanceEvent',
  'platform/projection.ts ScheduledMaintenanceEvent',
  'platform/query.ts Application',
  'platform/query.ts PackageKey',
  'platform/remove.ts PackageKey',
  'platform/seed.ts Cache',
  'platform/seed.ts Service',
]

const isRoom = (name: string): name is Room => Object.hasOwn(allowed, name)

interface Import {
  readonly from: string
  readonly kind: 'all' | 'types'
}

interface SourceFile {
  /** Relative to src, with forward slashes. */
  readonly path: string
  readonly room: Room | undefined
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
    return { path, room: isRoom(first) ? first : undefined, text, imports: importsOf(text) }
  })

/** `import … from`, `export … from`, `import '…'` and `import('…')`; comments are removed first. */
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

/** `{ type A, type B }` imports nothing at run time. */
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
    if (path === undefined || file.room === undefined) return []
    const [room = ''] = path.split('/')
    if (room === file.room) return []
    const rule = isRoom(room) ? allowed[file.room][room] : undefined
    if (rule === 'all' || (rule === 'types' && each.kind === 'types')) return []
    return [`${file.path} imports ${each.kind === 'all' ? '' : 'types of '}${path}`]
  })
}

const inRoom = (room: Room): readonly SourceFile[] => files.filter((file) => file.room === room)

const importing = (matches: (from: string) => boolean): readonly SourceFile[] =>
  files.filter((file) => file.imports.some(({ from }) => matches(from)))

describe('rooms', () => {
  it('are visible to this test: it reads files, and their imports', () => {
    expect(inRoom('catalog').length).toBeGreaterThan(20)
    expect(files.flatMap((file) => file.imports).length).toBeGreaterThan(100)
    expect(importsOf("import type { A } from './a.js'\nimport { b } from './b.js'\nawait import('./c.js')")).toEqual([
      { from: './a.js', kind: 'types' },
      { from: './b.js', kind: 'all' },
      { from: './c.js', kind: 'all' },
    ])
  })

  it('import only rooms that the table allows', () => {
    expect(files.flatMap(violations)).toEqual([])
  })

  it('are the only folders: beside them are the process and the programming interface', () => {
    expect(files.filter((file) => file.room === undefined).map((file) => file.path)).toEqual(['bin.ts', 'index.ts'])
  })

  it('import downward only: a room may import only rooms before it in the table', () => {
    const rooms = Object.keys(allowed)
    const upward = Object.entries(allowed).flatMap(([room, rule]) =>
      Object.keys(rule)
        .filter((other) => rooms.indexOf(other) >= rooms.indexOf(room))
        .map((other) => `${room} imports ${other}`),
    )
    expect(upward).toEqual([])
  })

  it('use every import that they are allowed', () => {
    const used = new Set(
      files.flatMap((file) =>
        file.imports.map((each) => `${file.room} ${target(file, each)?.split('/')[0] ?? ''} ${each.kind}`),
      ),
    )
    const unused = Object.entries(allowed).flatMap(([room, rule]) =>
      Object.entries(rule)
        .filter(([other, kind]) => !used.has(`${room} ${other} ${kind}`))
        .map(([other, kind]) => `${room} ${other} ${kind}`),
    )
    expect(unused).toEqual([])
  })

  it('have no circles of files, including types', () => {
    expect(circles()).toEqual([])
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

/** Circles of imports, each as the path back to its beginning. */
function circles(): readonly string[] {
  const done = new Set<string>()
  const found: string[] = []
  const byPath = new Map(files.map((file) => [file.path, file]))
  const visit = (path: string, above: readonly string[]): void => {
    if (above.includes(path)) found.push([...above.slice(above.indexOf(path)), path].join(' → '))
    if (above.includes(path) || done.has(path)) return
    const file = byPath.get(path)
    for (const each of file?.imports ?? []) {
      const next = file && target(file, each)
      if (next !== undefined) visit(next, [...above, path])
    }
    done.add(path)
  }
  for (const { path } of files) visit(path, [])
  return found
}

describe('below the command line', () => {
  const below = files.filter((file) => file.room !== undefined && file.room !== 'cli')

  it.each(below.map((file) => [file.path, file] as const))('%s does not know the terminal or exit codes', (_, file) => {
    const code = withoutComments(file.text)
    expect(code).not.toMatch(/\bIo\b|\bexitCode\b|\bstdout\.|\bstderr\.|\bisTTY\b/)
    expect(code).not.toMatch(/^(?:export )?(?:interface|type) \w*Options\b/m)
  })
})

describe('names', () => {
  it('no type name is declared twice', () => {
    const homes = new Map<string, string[]>()
    for (const { path, text } of files) {
      for (const [, name = ''] of withoutComments(text).matchAll(/^(?:export )?(?:interface|type|class) (\w+)/gm)) {
        homes.set(name, [...(homes.get(name) ?? []), path])
      }
    }
    expect([...homes].filter(([, paths]) => paths.length > 1)).toEqual([])
  })

  it('each package is imported by one room', () => {
    const users = new Map<string, Set<string>>()
    for (const file of files) {
      for (const { from } of file.imports) {
        if (from.startsWith('.') || from.startsWith('node:')) continue
        users.set(from, (users.get(from) ?? new Set()).add(file.room ?? file.path))
      }
    }
    // Packages for answering HTTP: the embedded platform shares only the catalogue with the program.
    const shared = [...users].filter(([name, rooms]) => rooms.size > 1 && !['hono', '@hono/node-server'].includes(name))
    expect(shared.map(([name, rooms]) => [name, [...rooms]])).toEqual([])
  })

  it('no module keeps data by the identity of an object', () => {
    const keepers = files.filter((file) => /^(?:export )?const \w+(?::[^=]+)? = new Weak(Map|Set)/m.test(file.text))
    expect(keepers.map((file) => file.path)).toEqual([])
  })
})

describe('planner and policies are pure', () => {
  it.each([...inRoom('planner'), ...inRoom('policy')].map((file) => [file.path, file] as const))('%s', (_, file) => {
    const code = withoutComments(file.text)
    expect(file.imports.map(({ from }) => from).filter((from) => from.startsWith('node:'))).toEqual([])
    expect(code).not.toMatch(
      /\bawait\b|\basync\b|\bPromise\b|\bprocess\.|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b/,
    )
  })
})

describe('the catalogue and the reports', () => {
  it.each([...inRoom('catalog'), ...inRoom('report')].map((file) => [file.path, file] as const))(
    '%s uses no file, process, clock or network',
    (_, file) => {
      expect(file.imports.map(({ from }) => from).filter((from) => from.startsWith('node:'))).toEqual([])
      expect(withoutComments(file.text)).not.toMatch(
        /\bprocess\.|\bfetch\(|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b/,
      )
    },
  )

  it('no catalogue file imports a package', () => {
    const packages = inRoom('catalog').flatMap((file) => file.imports.filter(({ from }) => !from.startsWith('.')))
    expect(packages).toEqual([])
  })
})

describe('network requests', () => {
  const wire = (from: string) => ['undici', 'node:http', 'node:https', 'node:net', 'node:tls'].includes(from)

  it('are made only by the client and by the embedded platform', () => {
    const rooms = new Set(importing(wire).map((file) => file.room))
    expect([...rooms].filter((room) => room !== 'client' && room !== 'platform')).toEqual([])
    expect(importing((from) => from === 'undici').filter((file) => file.room !== 'client')).toEqual([])
  })

  it('are loaded lazily: no command imports their code when it starts', () => {
    const eager = files
      .filter((file) => file.room === 'cli' || file.path === 'bin.ts')
      .filter((file) => /^import (?!type)[^\n]*undici-transport/m.test(withoutComments(file.text)))
    expect(eager).toEqual([])
  })
})

describe('every file', () => {
  it('leaves the process to bin.ts and index.ts', () => {
    const users = files.filter((file) => /\bprocess\.(?!hrtime)/.test(withoutComments(file.text)))
    expect(users.map((file) => file.path)).toEqual(['bin.ts', 'index.ts'])
  })

  it('creates its problems in the room of problems', () => {
    const makers = files.filter((file) => /\bcode: '[a-z-]+',\s+severity: '/.test(withoutComments(file.text)))
    expect(makers.filter((file) => file.room !== 'problems').map((file) => file.path)).toEqual([])
  })

  it('has no default export', () => {
    expect(files.filter((file) => /^export default/m.test(file.text)).map((file) => file.path)).toEqual([])
  })
})

describe('names of kinds and fields', () => {
  /** Fields and kinds whose names are also words of the program, by their meaning there. */
  const ownWords = new Set([
    ...['id', 'name', 'type', 'description', 'version', 'parent', 'source', 'from', 'code', 'status', 'body', 'secret'],
    // An object in the words of `metadata`, and the time when it was created or changed; the action of a run on it.
    ...['created', 'updated', 'action'],
    // A plan is the result of the planner, its limits are those of the project; `period` and `ceiling` belong to a rate.
    ...['Plan', 'plan', 'limits', 'period', 'ceiling'],
    // The login of a person or of a connection; a response in the log; a type of fields.
    ...['username', 'password', 'responseBody', 'domain'],
    // In the embedded platform: the error set that it adds. In accepted drift: its last day. In problems and lists.
    ...['errorSet', 'expires', 'notes', 'group', 'applications'],
    // Words in OpenAPI files, and the keys of the documents that name them.
    ...['tags', 'methods', 'endpoints'],
    // A position in a report of SARIF.
    ...['uri', 'region'],
  ])

  const fieldNames = new Set([
    ...kinds.flatMap(({ fields }) => Object.keys(fields)),
    ...Object.values(shapes).flatMap(Object.keys),
  ])

  const names = new Set([
    ...fieldNames,
    ...kindNames,
    ...Object.keys(shapes),
    ...kinds.flatMap(({ idParameter, within }) => [idParameter, ...Object.values(within ?? {})]),
  ])

  const outside = files.filter(({ room }) => room !== 'catalog' && room !== 'platform')

  it('are visible to this test', () => {
    expect(wordsOf("const a = { roles: 1 } // b\nif (c.d === 'the Domain' || e['Plan']) `f ${g('Role')} h`")).toEqual(
      expect.arrayContaining(['a', 'roles', 'c', 'd', 'the Domain', 'e', 'Plan', 'g', 'Role']),
    )
    expect(wordsOf('a // roles\n/* roles */ `roles ${b} roles`')).toEqual(['a', 'b'])
  })

  it('are only in the catalogue and in the platform: other code asks the catalogue', () => {
    const found = outside.flatMap(({ path, text }) =>
      [...new Set(wordsOf(text))]
        .filter((word) => names.has(word) && !ownWords.has(word))
        .map((word) => `${path} ${word}`),
    )
    expect(found).toEqual([])
  })

  it('read no field of an object, even if they are words of the program', () => {
    const picked = /\bfields(?:\?\.|\.|\??\.?\[')(\w+)/g
    const found = outside.flatMap(({ path, text }) =>
      [...withoutComments(text).matchAll(picked)].flatMap(([, name = '']) =>
        fieldNames.has(name) && name !== 'id' ? [`${path} fields.${name}`] : [],
      ),
    )
    expect(found).toEqual([])
  })

  it('are words of the program only if they are used as such', () => {
    const used = new Set(outside.flatMap(({ text }) => wordsOf(text)))
    expect([...ownWords].filter((word) => !names.has(word) || !used.has(word))).toEqual([])
  })

  it('are compared only in the platform', () => {
    const comparison = new RegExp(`[!=]== '(${kindNames.join('|')})'`, 'g')
    const found = files.flatMap((file) =>
      file.room === 'catalog'
        ? []
        : [...withoutComments(file.text).matchAll(comparison)].map(([, kind = '']) => `${file.path} ${kind}`),
    )
    expect([...new Set(found)].sort()).toEqual(comparisons)
  })
})

/** The identifiers and the whole strings of a file's code, without comments and without text in templates. */
function wordsOf(text: string): readonly string[] {
  const words: string[] = []
  for (const [, string, template, word] of text.matchAll(tokens)) {
    if (string !== undefined) words.push(string.slice(1, -1))
    if (template !== undefined) for (const [, code = ''] of template.matchAll(inTemplate)) words.push(...wordsOf(code))
    if (word !== undefined) words.push(word)
  }
  return words
}

const tokens =
  /\/\*[\s\S]*?\*\/|\/\/.*|(?<=[(,=:[!&|?{};\n] *)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/|('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")|(`(?:\\[\s\S]|\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\}|[^`\\])*`)|([A-Za-z_$][\w$]*)/g

const inTemplate = /(?<!\\)\$\{((?:[^{}`]|\{[^{}]*\}|`[^`]*`)*)\}/g
