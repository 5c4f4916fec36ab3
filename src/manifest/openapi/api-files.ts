import { unescapedUrl } from '../../catalog/base-url.js'
import { fieldsExtension } from '../../catalog/openapi.js'
import { manifestLimits } from '../../files/files.js'
import { fileOutside } from '../../problems/manifests.js'
import {
  circularPathReference,
  danglingPathReference,
  notOpenApi,
  openApiFromNetwork,
  openApiUnreadable,
} from '../../problems/openapi.js'
import { hasErrors, type Problem, type ReportProblem } from '../../problems/problem.js'
import { hideInUnreadable, hideLogins } from '../hide-secrets.js'
import type { YamlReader } from '../known-reading.js'
import { displayedText, type Entry, entryAt, type MapNode, type Node, nodeAt, scalarText, valueAt } from '../node.js'
import { fileInRepository, type ValueSources } from '../placeholder-sources.js'
import { placeOf, type Source } from '../source.js'

/** A file that was read. */
export interface OpenedFile {
  readonly source: Source
  /** The path without links: each file has only one. */
  readonly real: string
  readonly root: Node
}

/** The files that OpenAPI documents are read from. Each is read once, however many documents name it. */
export class ApiFiles {
  readonly #from: Pick<ValueSources, 'files' | 'dir'>
  readonly #yaml: YamlReader
  readonly #report: ReportProblem
  readonly #known = new Map<string, OpenedFile | undefined>()
  readonly #bySource = new Map<Source, OpenedFile>()
  readonly #sources: Source[] = []
  /** The steps of each circle of `$ref` that is reported. */
  readonly #circles = new Set<string>()

  constructor(from: Pick<ValueSources, 'files' | 'dir'>, yaml: YamlReader, report: ReportProblem) {
    this.#from = from
    this.#yaml = yaml
    this.#report = report
  }

  /** Every text that was read, including broken ones. */
  get sources(): readonly Source[] {
    return this.#sources
  }

  /** Whether a file was read; `real`: its path without links. */
  has(real: string): boolean {
    return this.#known.has(real)
  }

  /** The file at a path relative to the file that names it; undefined if it cannot be read, and the reason is reported. */
  open(path: string, { range }: Pick<Node, 'range'>, what: 'file' | '$ref'): OpenedFile | undefined {
    const place = placeOf(range)
    if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) return this.#refused(openApiFromNetwork(place, what))
    const found = fileInRepository(path, range, this.#from)
    if (!found) return this.#refused(fileOutside(place, path, 'OpenAPI file'))
    const { real, displayed } = found
    if (this.#known.has(real)) return this.#known.get(real)
    const read = this.#from.files.readText(real, manifestLimits)
    if (!('text' in read)) return this.#refused(openApiUnreadable(place, path, read.failure))
    const source = { file: displayed, text: read.text }
    this.#sources.push(source)
    hideLogins(source)
    const { documents, problems } = this.#yaml(source)
    if (problems.length > 0) hideInUnreadable(source)
    for (const problem of problems) this.#report(problem)
    const [root, second] = documents
    if (second)
      this.#report(notOpenApi(placeOf(second.range), 'an OpenAPI file is one document, and this is a second one'))
    const isBroken = hasErrors(problems)
    if (!root && !isBroken) this.#report(notOpenApi(placeOf({ source, start: 0, end: 0 }), 'the file is empty'))
    const opened = root && !second && !isBroken ? { source, real, root } : undefined
    this.#known.set(real, opened)
    if (opened) this.#bySource.set(source, opened)
    return opened
  }

  #refused(problem: Problem): undefined {
    this.#report(problem)
  }

  /**
   * A mapping merged with the target of its `$ref`; keys next to the `$ref` win. The extension with fields is kept once for each
   * mapping on the way, the nearest first, because its reader merges them. `met`: called with every mapping on the way.
   */
  followed(map: MapNode, met: (map: MapNode) => void, way: readonly string[] = []): MapNode | undefined {
    met(map)
    const reference = entryAt(map, '$ref')
    if (!reference) return map
    const target = this.#target(reference)
    if (!target) return undefined
    const { file, pointer } = target
    const step = `${file.source.file}#${pointer}`
    if (way.includes(step)) return this.#circular(reference, way.slice(way.indexOf(step)))
    const found = nodeAt(file.root, pointer)
    if (found?.is !== 'map') {
      return this.#refused(danglingPathReference(placeOf(reference.value.range), displayedText(reference.value)))
    }
    const inner = this.followed(found, met, [...way, step])
    if (!inner) return undefined
    const own = map.entries.filter(({ key }) => key !== '$ref')
    if (own.length === 0) return inner
    const others = inner.entries.filter(({ key }) => key === fieldsExtension || !valueAt(map, key))
    const merged = { ...inner, entries: [...own, ...others] }
    met(merged)
    return merged
  }

  /** Every path that leads into a circle finds it again. */
  #circular(reference: Entry, steps: readonly string[]): undefined {
    const circle = JSON.stringify([...steps].sort())
    if (this.#circles.has(circle)) return
    this.#circles.add(circle)
    this.#report(circularPathReference(placeOf(reference.value.range), [...steps, ...steps.slice(0, 1)]))
  }

  #target({ value }: Entry): { readonly file: OpenedFile; readonly pointer: string } | undefined {
    const written = scalarText(value) ?? ''
    const [, path = '', pointer = ''] = /^([^#]*)(?:#(.*))?$/s.exec(written) ?? []
    if (written === '' || (pointer !== '' && !pointer.startsWith('/'))) {
      return this.#refused(danglingPathReference(placeOf(value.range), displayedText(value)))
    }
    // A $ref is a URI reference: a % escape stands for a character.
    const file = path === '' ? this.#bySource.get(value.range.source) : this.open(unescapedUrl(path), value, '$ref')
    return file && { file, pointer: unescapedUrl(pointer) }
  }
}
