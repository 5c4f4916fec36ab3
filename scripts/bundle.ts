import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { projectSchema } from '../src/catalog/project-schema.js'
import { validatorOptions } from '../src/manifest/schema-problems.js'

const root = join(import.meta.dirname, '..')

/** The entry points: the program and the programming interface. */
export const programFile = 'src/bin.ts'
export const interfaceFile = 'src/index.ts'

/** Replaces the module that compiles the validator of project documents by the compiled validator. */
const compiledChecks: Plugin = {
  name: 'compiled checks',
  setup: (build) => {
    build.onLoad({ filter: /[\\/]manifest[\\/]project-validator\.ts$/ }, ({ path }) => ({
      contents: compiledValidator(),
      loader: 'js',
      resolveDir: path.slice(0, -'project-validator.ts'.length),
    }))
  },
}

function compiledValidator(): string {
  const ajv = new Ajv2020({
    ...validatorOptions,
    strict: false,
    strictNumbers: true,
    code: { source: true, esm: true },
  })
  const code = standalone.default(ajv, ajv.compile(projectSchema('resolved')))
  return `${code}\nexport const projectValidator = () => validate\n`
}

/**
 * Bundles only the parts of undici that its pool needs: the whole package, with fetch, caches and mocks, needs twice as long to
 * load. Methods are added to dispatchers in the same way as in its own index.
 */
const pooledUndici: Plugin = {
  name: 'pooled undici',
  setup: (build) => {
    build.onResolve({ filter: /^undici$/ }, ({ resolveDir }) => ({
      path: 'undici',
      namespace: 'pooled-undici',
      pluginData: resolveDir,
    }))
    build.onLoad({ filter: /.*/, namespace: 'pooled-undici' }, ({ pluginData }) => ({
      contents: `
        const Dispatcher = require('undici/lib/dispatcher/dispatcher')
        Object.assign(Dispatcher.prototype, require('undici/lib/api'))
        exports.Agent = require('undici/lib/dispatcher/agent')
        exports.Pool = require('undici/lib/dispatcher/pool')
        exports.EnvHttpProxyAgent = require('undici/lib/dispatcher/env-http-proxy-agent')
      `,
      resolveDir: String(pluginData),
    }))
    // Our connections never use HTTP/2 (`allowH2` is off) and send only texts, so the code for other cases is left out.
    build.onResolve({ filter: /^node:http2$|\/client-h2\.js$|\/web\/fetch\/body\.js$/ }, ({ path, importer }) =>
      /[\\/]undici[\\/]/.test(importer) ? { path, namespace: 'no-undici' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'no-undici' }, () => ({ contents: 'exports.constants = {}' }))
  },
}

/** The module that is loaded unless only help or the version is requested. */
const runnerFile = 'src/cli/run-line.ts'

/** Commands that shells and editors run, or that run for hours. They load only what they need. */
const lightCommands = ['completion', 'schema', 'platform']

/** The commands that are run most. */
const areaCommands = ['plan', 'apply', 'drift', 'validate']

/**
 * Puts the modules that the program always loads into one file, and the modules that commands for areas load into another; most
 * other commands need nearly all of these. Otherwise there would be a file for each group of commands that share modules: a plan
 * would load ninety files, and opening one takes as long as running most of them.
 */
export async function fewFiles(options: BuildOptions): Promise<Plugin> {
  const { metafile } = await build({ ...options, metafile: true, write: false })
  const fileOf = (command: string): string => `src/cli/commands/${command}.ts`
  const core = ownFiles([programFile], metafile).filter((file) => file !== programFile)
  const run = ownFiles([runnerFile], metafile).filter((file) => !core.includes(file))
  const area = ownFiles(areaCommands.map(fileOf), metafile).filter((file) => ![...core, ...run].includes(file))
  const groups: ReadonlyMap<string, readonly string[]> = new Map([
    ['core of the program', core],
    ['runner of the program', run],
    ['area commands of the program', area],
  ])
  const light = lightCommands.map(fileOf)
  const lightFiles = ownFiles(light, metafile).filter((file) => !core.includes(file))
  const withoutArea = [runnerFile, ...light, ...lightFiles.flatMap((file) => loadedLater(file, metafile))]
  const parts = Object.values(metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? [])
  const groupsOf = (file: string): readonly string[] => {
    if (!parts.includes(file) || file === interfaceFile) return []
    if (file === programFile) return [...groups.keys()].slice(0, 1)
    return [...groups.keys()].slice(0, withoutArea.includes(file) ? 2 : undefined)
  }
  return {
    name: 'few files',
    setup: ({ onLoad, onResolve }) => {
      onResolve({ filter: / of the program$/ }, ({ path }) => ({ path, namespace: 'group' }))
      onLoad({ filter: /.*/, namespace: 'group' }, ({ path }) => ({
        contents: importsOf((groups.get(path) ?? []).map((file) => join(root, file))),
        resolveDir: root,
      }))
      // Modules that are loaded later are loaded after all their groups. An explicit import of the groups keeps their modules
      // together.
      onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
        const needed = groupsOf(relative(root, path).replaceAll('\\', '/'))
        return needed.length === 0
          ? undefined
          : { contents: `${readFileSync(path, 'utf8')}\n${importsOf(needed)}`, loader: 'ts' }
      })
    },
  }
}

const importsOf = (files: readonly string[]): string => files.map((file) => `import ${JSON.stringify(file)}`).join('\n')

/** Our source files that these files import, without dynamic imports. */
const ownFiles = (files: readonly string[], metafile: Metafile): readonly string[] => [
  ...new Set(files.flatMap((file) => [...loadedWith(file, metafile)]).filter((file) => file.startsWith('src/'))),
]

const loadedLater = (file: string, { inputs }: Metafile): readonly string[] =>
  (inputs[file]?.imports ?? []).flatMap(({ path, kind }) => (kind === 'dynamic-import' ? [path] : []))

/** All files that a file imports, without dynamic imports. */
function loadedWith(entry: string, { inputs }: Metafile): ReadonlySet<string> {
  const seen = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    for (const { path, kind, external } of inputs[file]?.imports ?? []) {
      if (!external && kind !== 'dynamic-import') visit(path)
    }
  }
  visit(entry)
  return seen
}

/** The options of all bundles. */
export const bundleOptions = {
  bundle: true,
  // Modules that only some commands need are in separate files, which are loaded when they are needed.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // Users install these packages if they need them.
  external: ['pg', '@dbos-inc/dbos-sdk'],
  plugins: [compiledChecks, pooledUndici],
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  logLevel: 'warning',
} satisfies BuildOptions

/** Replaces the module that reads the files of the package by one that contains them. */
const embeddedFiles: Plugin = {
  name: 'embedded files',
  setup: (build) => {
    build.onLoad({ filter: /[\\/]files[\\/]shipped-files\.ts$/ }, () => ({
      contents: `
        const files = ${JSON.stringify(shippedFiles())}
        export const shippedText = (path) => files.find((file) => file.path === path).text
        export const shippedFiles = (folder) => files
          .filter(({ path }) => path.startsWith(folder + '/'))
          .map(({ path, text }) => ({ path: path.slice(folder.length + 1), text }))
      `,
      loader: 'js',
    }))
  },
}

function shippedFiles(): readonly { readonly path: string; readonly text: string }[] {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }
  const folders = ['schemas', 'starter'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((file) => ({ path: file.slice(root.length + 1).replaceAll('\\', '/'), text: readFileSync(file, 'utf8') })),
  )
  return [{ path: 'package.json', text: JSON.stringify({ version }) }, ...folders]
}

/** The options for a single file that needs only Node. It contains the PostgreSQL driver. */
export const oneFileOptions = {
  ...bundleOptions,
  splitting: false,
  external: ['pg-native', '@dbos-inc/dbos-sdk'],
  plugins: [...bundleOptions.plugins, embeddedFiles],
} satisfies BuildOptions
