import { type ExtensionLevel, extensionPrefix } from '../../catalog/openapi.js'
import { brokenOpenApi, notOpenApi, oddPath, unknownPathKey } from '../../problems/openapi.js'
import type { ReportProblem } from '../../problems/problem.js'
import { nearest } from '../../problems/suggest.js'
import { formWords, keyWords, type MapNode, type Node, valueAt } from '../node.js'
import { type LocatedText, placeOf, type SourceRange, textOfRange } from '../source.js'
import type { ApiFiles, OpenedFile } from './api-files.js'
import { checkExtensions, type Extensions, readExtensions } from './extensions.js'
import { noServers, readHost, readServers, type Servers } from './servers.js'

/** One path of an OpenAPI file. */
export interface ApiPath {
  readonly path: string
  readonly range: SourceRange
  readonly map: MapNode
  readonly extensions: Extensions
}

/** One operation, with what it says about an endpoint. */
export interface ApiOperation {
  /** In lower case. */
  readonly verb: string
  /** The place of the verb. */
  readonly range: SourceRange
  readonly map: MapNode
  readonly at: ApiPath
  readonly extensions: Extensions
  readonly operationId: LocatedText | undefined
  readonly summary: LocatedText | undefined
  readonly tags: readonly string[]
}

/** The content of an OpenAPI file. */
export interface Api {
  readonly range: SourceRange
  readonly title: LocatedText | undefined
  readonly version: LocatedText | undefined
  readonly extensions: Extensions
  /** In the order of the file. */
  readonly operations: readonly ApiOperation[]
  /** False if a `$ref` leads nowhere, which is reported: operations are missing. */
  readonly isWhole: boolean
  /** The servers of an operation, of its path or of the file: the nearest ones that are written. They are read on request. */
  serversOf(operation: ApiOperation): Servers
}

/** What reading an OpenAPI file depends on. */
interface ApiContext {
  readonly files: ApiFiles
  /** Fills in the placeholders of an extension. The rest of the file may have texts that look like placeholders (A297). */
  resolve(node: Node): Node
  report: ReportProblem
}

/** Reads the operations of a file; undefined if there are none to read, which is reported. */
export function readApi(file: OpenedFile, context: ApiContext): Api | undefined {
  const { root } = file
  const range: SourceRange = { ...root.range, end: root.range.start }
  const dialect = dialectOf(file, range, context.report)
  if (!dialect || root.is !== 'map') return undefined
  const levels = new Map<Node, ExtensionLevel>([[root, 'file']])
  const reader = new PathReader(file, levels, context)
  const operations = reader.operations(valueAt(root, 'paths'))
  // Only our extensions have this prefix, and most files have none of them.
  if (file.source.text.includes(extensionPrefix)) checkExtensions(root, levels, context.report)
  for (const map of reader.elsewhere) checkExtensions(map, levels, context.report)
  const info = valueAt(root, 'info')
  const known = new Map<Node, Servers>()
  const once = (node: Node, read: () => Servers): Servers => {
    const servers = known.get(node) ?? read()
    known.set(node, servers)
    return servers
  }
  return {
    range,
    title: info?.is === 'map' ? textAt(info, 'title') : undefined,
    version: info?.is === 'map' ? textAt(info, 'version') : undefined,
    extensions: readExtensions(root, 'file', context.resolve, context.report),
    operations,
    isWhole: reader.isWhole,
    serversOf: ({ map, at }) => {
      if (dialect === 'older') return once(root, () => readHost(root, context.report))
      const written = valueAt(map, 'servers') ?? valueAt(at.map, 'servers') ?? valueAt(root, 'servers')
      return written ? once(written, () => readServers(written, context.report)) : noServers
    },
  }
}

/** `older`: OpenAPI 2, whose name is Swagger. */
function dialectOf({ root }: OpenedFile, range: SourceRange, report: ReportProblem): 'older' | 'newer' | undefined {
  if (root.is !== 'map') {
    report(notOpenApi(placeOf(range), `the file is no OpenAPI document, but ${formWords(root)}`))
    return undefined
  }
  const [older, newer] = [valueAt(root, 'swagger'), valueAt(root, 'openapi')]
  const written = newer ?? older
  const version = writtenText(written)
  if (!written || version === undefined) {
    report(notOpenApi(placeOf(written?.range ?? range), 'the file says no version of OpenAPI'))
    return undefined
  }
  if (newer ? /^3\.[012](\.|-|$)/.test(version) : /^2(\.0)?$/.test(version)) return newer ? 'newer' : 'older'
  report(notOpenApi(placeOf(written.range), `the file has version ${version.slice(0, 20)} of OpenAPI`))
  return undefined
}

/** A text, or a number as written: `version: 1.10` means this text. */
function writtenText(node: Node | undefined): string | undefined {
  if (node?.is !== 'scalar') return undefined
  if (typeof node.value === 'number') return textOfRange(node.range)
  return typeof node.value === 'string' && node.value.trim() !== '' ? node.value.trim() : undefined
}

function textAt(map: MapNode, key: string): LocatedText | undefined {
  const node = valueAt(map, key)
  const text = writtenText(node)
  return node && text !== undefined ? { text, range: node.range } : undefined
}

const verbs: readonly string[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/** The other keys of a path. `additionalOperations` has further verbs (OpenAPI 3.2). */
const otherVerbs = 'additionalOperations'
const pathKeys: readonly string[] = [...verbs, otherVerbs, '$ref', 'summary', 'description', 'servers', 'parameters']

class PathReader {
  readonly #file: OpenedFile
  readonly #levels: Map<Node, ExtensionLevel>
  readonly #context: ApiContext
  /** Paths and operations in other files. */
  readonly elsewhere = new Set<MapNode>()
  #isWhole = true

  constructor(file: OpenedFile, levels: Map<Node, ExtensionLevel>, context: ApiContext) {
    this.#file = file
    this.#levels = levels
    this.#context = context
  }

  /** Whether every `$ref` so far was followed to its end. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  operations(paths: Node | undefined): readonly ApiOperation[] {
    if (!paths) return []
    if (paths.is !== 'map') {
      this.#broken(paths.range, `paths is ${formWords(paths)}`, 'it is a mapping of paths')
      return []
    }
    const all = this.#followed(paths, () => {}, [])
    return (all?.entries ?? []).flatMap(({ key, range, value }) => {
      if (key.startsWith('x-')) return []
      if (!this.#isPath(key, range)) return []
      if (value.is !== 'map') {
        this.#broken(value.range, `the path ${key} is ${formWords(value)}`, 'it is a mapping of verbs')
        return []
      }
      return this.#operationsOf(key, range, value)
    })
  }

  #broken(range: SourceRange, words: string, hint: string): void {
    this.#context.report(brokenOpenApi(placeOf(range), words, hint))
  }

  #isPath(path: string, range: SourceRange): boolean {
    const [sign] = /[?#]/.exec(path) ?? []
    if (!path.startsWith('/')) this.#broken(range, `the path ${keyWords(path)} has no / in front`, 'write /PATH')
    else if (!/^(?:[^{}]|\{[^{}]+\})*$/.test(path)) {
      this.#broken(
        range,
        `the path ${path} has braces that do not close, or hold no name`,
        'a parameter is written {name}',
      )
    } else {
      if (sign !== undefined) this.#context.report(oddPath(placeOf(range), path, sign))
      return true
    }
    return false
  }

  #operationsOf(path: string, range: SourceRange, written: MapNode): readonly ApiOperation[] {
    const own = `${this.#file.source.file}#/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const map = this.#followed(written, (each) => this.#meet(each, 'path'), [own])
    if (!map) return []
    const { resolve, report } = this.#context
    const at: ApiPath = { path, range, map, extensions: readExtensions(map, 'path', resolve, report) }
    return map.entries.flatMap(({ key, range: place, value }) => {
      if (key === otherVerbs && value.is === 'map') {
        return value.entries.flatMap((each) => this.#operation(each.key.toLowerCase(), each.range, each.value, at))
      }
      if (verbs.includes(key)) return this.#operation(key, place, value, at)
      if (!pathKeys.includes(key) && !key.startsWith('x-')) {
        report(unknownPathKey(placeOf(place), keyWords(key), nearest(key, pathKeys), pathKeys))
      }
      return []
    })
  }

  #followed(map: MapNode, met: (map: MapNode) => void, way: readonly string[]): MapNode | undefined {
    const found = this.#context.files.followed(map, met, way)
    if (!found) this.#isWhole = false
    return found
  }

  #meet(map: MapNode, level: ExtensionLevel): void {
    this.#levels.set(map, level)
    if (map.range.source !== this.#file.source) this.elsewhere.add(map)
  }

  #operation(verb: string, range: SourceRange, written: Node, at: ApiPath): readonly ApiOperation[] {
    if (written.is !== 'map') {
      this.#broken(written.range, `${verb} is ${formWords(written)}`, 'an operation is a mapping')
      return []
    }
    const map = this.#context.files.followed(written, (each) => this.#meet(each, 'operation'))
    if (!map) return []
    const { resolve, report } = this.#context
    const tags = valueAt(map, 'tags')
    return [
      {
        verb,
        range,
        map,
        at,
        extensions: readExtensions(map, 'operation', resolve, report),
        operationId: textAt(map, 'operationId'),
        summary: textAt(map, 'summary') ?? textAt(at.map, 'summary'),
        tags: (tags?.is === 'list' ? tags.items : []).flatMap((item) => writtenText(item) ?? []),
      },
    ]
  }
}
