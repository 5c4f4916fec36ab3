import { generated, platformVerbs } from '../../catalog/openapi.js'
import { childField } from '../../catalog/queries.js'
import { sameJson } from '../../json/json.js'
import {
  ambiguousDetection,
  extensionsDisagree,
  namePartLacking,
  operationWithout,
  serversDisagree,
  verbLacking,
} from '../../problems/openapi.js'
import type { ReportProblem } from '../../problems/problem.js'
import { overlay } from '../compose/overlay.js'
import { type Entry, type Node, nodeFrom, plain } from '../node.js'
import { type LocatedText, placeOf, type SourceRange, textOfRange } from '../source.js'
import { hasPlaceholders } from '../values.js'
import type { Api, ApiOperation, ApiPath } from './api.js'
import { type Extensions, typeOf } from './extensions.js'
import { groupsOf, type OperationGroup } from './operation-groups.js'
import type { Servers } from './servers.js'
import type { OpenApiSpec } from './spec.js'
import {
  commonPath,
  filled,
  partsIn,
  segmentsOf,
  staticPositions,
  staticSegments,
  withoutParameters,
} from './template.js'
import { type ApiEndpoint, withoutSameNames, withoutSameRoutes } from './unique-endpoints.js'

/** What the generation of endpoints depends on. */
interface Making {
  /** Converts a text of the OpenAPI file, which cannot have placeholders, to the value of a field. */
  readonly literal: (text: string) => string
  readonly report: ReportProblem
}

/** The generated kind, and the names of its fields. */
const { kind, route, row } = generated
const nameOfMethod = childField(kind, row.methods)?.kind.naming ?? ''

/** The endpoints of the chosen operations. What must be unique but belongs to two of them is reported. */
export function endpointsOf(
  operations: readonly ApiOperation[],
  api: Api,
  spec: OpenApiSpec,
  making: Making,
): readonly ApiEndpoint[] {
  const { report } = making
  const known = operations.filter(({ verb, range }) => {
    if (platformVerbs.includes(verb)) return true
    report(verbLacking(placeOf(range), verb, platformVerbs))
    return false
  })
  const endpoints = groupsOf(known, api, spec, report).map((group) =>
    new Generation(group, api, spec, making).endpoint(),
  )
  return withoutSameRoutes(withoutSameNames(endpoints, report), report)
}

/** The generation of one endpoint. */
class Generation {
  readonly #group: OperationGroup
  readonly #api: Api
  readonly #spec: OpenApiSpec
  readonly #report: ReportProblem
  readonly #literal: Making['literal']
  /** The path with its parameters as written. */
  readonly #path: string
  /** The fields that extensions give. */
  readonly #given: readonly Entry[]
  #known: readonly Servers[] | undefined

  constructor(group: OperationGroup, api: Api, spec: OpenApiSpec, { literal, report }: Making) {
    this.#group = group
    this.#api = api
    this.#spec = spec
    this.#report = report
    this.#literal = literal
    this.#path = commonPath(group.paths.map(({ path }) => path))
    this.#given = this.#givenFields()
  }

  endpoint(): ApiEndpoint {
    const name = this.#name()
    const derived = [
      ...this.#pathField(route.path, this.#spec.path, '/'),
      ...this.#verbs(),
      ...this.#pathField(row.target, this.#spec.target, ''),
      ...this.#backends(),
      ...this.#methods(),
    ]
    return {
      name,
      formerly: this.#formerly(name.text),
      metadata: this.#given.find(isMetadata)?.value,
      entries: overlay(
        derived,
        this.#given.filter((entry) => !isMetadata(entry)),
        typeOf,
      ),
      range: this.#group.range,
    }
  }

  #givenFields(): readonly Entry[] {
    const { operations, paths } = this.#group
    const levels = [
      [this.#api.extensions],
      paths.map(({ extensions }) => extensions),
      operations.map(({ extensions }) => extensions),
    ]
    return levels
      .map((level) => (level.every(({ fields }) => fields.length === 0) ? [] : this.#together(level)))
      .reduce<readonly Entry[]>((lower, upper) => overlay(lower, upper, typeOf), [])
  }

  /** The fields of one level. If two of its paths or operations give a field different values, this is reported. */
  #together(level: readonly Extensions[]): readonly Entry[] {
    const fields = new Map<string, Entry>()
    for (const entry of level.flatMap((each) => each.fields)) {
      const known = fields.get(entry.key)
      if (!known) fields.set(entry.key, entry)
      else if (known !== entry && !sameJson(plain(known.value), plain(entry.value))) {
        const name = this.#group.named?.text ?? this.#path
        this.#report(extensionsDisagree(placeOf(entry.range), entry.key, name, placeOf(known.range)))
      }
    }
    return [...fields.values()]
  }

  #isGiven(field: string): boolean {
    return this.#given.some(({ key }) => key === field)
  }

  /** A field that nobody writes; its place is that of the text that it follows from. */
  #field(key: string, value: Node): Entry {
    return { key, range: value.range, value, layer: 'OpenAPI' }
  }

  #name(): LocatedText {
    const { named, range } = this.#group
    const template = this.#spec.name
    if (named && !(template && partsIn(template.text).includes('name'))) return named
    const { text, lacking } = this.#nameFrom({})
    if (lacking.length > 0) this.#report(namePartLacking(placeOf(range), lacking, text))
    return { text, range: template?.range ?? range }
  }

  #nameFrom(other: { readonly path?: string; readonly name?: string }): {
    readonly text: string
    readonly lacking: readonly string[]
  } {
    const { grouping, name } = this.#spec
    const path = withoutParameters(other.path ?? this.#path) || '/'
    const lacking = new Set<string>()
    const text = filled(name?.text ?? defaultNames[grouping], (part) => {
      // Only a name from an extension may have placeholders.
      const written = this.#namePart(part, path, other.name)
      const known = part === 'name' || written === undefined ? written : this.#literal(written)
      if (known === undefined) lacking.add(partWords[part] ?? part)
      return known ?? `${this.#verbWords()} ${this.#literal(path)}`
    })
    return { text: text.trim(), lacking: [...lacking] }
  }

  /** The text for a part of a name; undefined if the file does not give it (A296). */
  #namePart(part: string, path: string, name: string | undefined): string | undefined {
    const [first] = this.#group.operations
    switch (part) {
      case 'title':
        return this.#api.title?.text
      case 'version':
        return this.#api.version?.text
      case 'path':
        return path
      case 'operationId':
        return first?.operationId?.text
      case 'tag':
        return first?.tags[0]
      case 'verbs':
        return this.#verbWords()
      case 'summary':
        return first?.summary?.text
      case 'name':
        return name ?? this.#group.named?.text
    }
    return `{${part}}`
  }

  #verbWords(): string {
    return [...new Set(this.#group.operations.map(({ verb }) => verb))].join(' ')
  }

  /** A former path stands for the name that it gave; a former name is an earlier x-gatewright-name. */
  #formerly(name: string): readonly string[] {
    const { operations, paths, named } = this.#group
    const own = operations.flatMap(({ extensions }) => extensions.formerly)
    const written = own.length > 0 ? own : paths.flatMap(({ extensions }) => extensions.formerly)
    const takesName = this.#spec.name !== undefined && partsIn(this.#spec.name.text).includes('name')
    const names = written.map(({ text }) => {
      if (text.startsWith('/')) return this.#nameFrom({ path: text }).text
      return takesName ? this.#nameFrom({ name: text }).text : text
    })
    return [...new Set(names)].filter((each) => each !== name && each !== named?.text)
  }

  #pathField(key: string, template: LocatedText | undefined, root: string): readonly Entry[] {
    if (this.#isGiven(key)) return []
    const parts = (part: string) => {
      if (part === 'path') return this.#literal(this.#path)
      return part === 'server.path' ? this.#literal(this.#serverPath(key)) : undefined
    }
    const path = (template ? filled(template.text, parts) : this.#literal(this.#serverPath(key) + this.#path)) || root
    const [first] = this.#group.paths
    const own = first?.range ?? this.#group.range
    // If the template uses values of the project, problems are reported at the template.
    const written = template && hasPlaceholders(textOfRange(template.range)) ? template.range : own
    return [this.#field(key, nodeFrom(path, written))]
  }

  #verbs(): readonly Entry[] {
    const { operations } = this.#group
    const [first] = operations
    if (!first || this.#isGiven(route.verbs)) return []
    const ranges = new Map(operations.map(({ verb, range }) => [verb, range]))
    const items = platformVerbs.flatMap((verb) => {
      const range = ranges.get(verb)
      return range ? [nodeFrom(verb, range)] : []
    })
    return [this.#field(route.verbs, { is: 'list', items, range: first.range })]
  }

  #servers(): readonly Servers[] {
    this.#known ??= [...new Set(this.#group.operations.map((operation) => this.#api.serversOf(operation)))]
    return this.#known
  }

  /** The path that all servers give (A298). */
  #serverPath(field: string): string {
    const [own, ...others] = this.#servers()
    const [only, ...further] = own?.paths ?? []
    if (others.length === 0 && further.length === 0) return only?.text ?? ''
    const paths = this.#servers().flatMap((servers) =>
      servers.paths.length === 0 ? [noPath(this.#group)] : servers.paths,
    )
    const texts = [...new Set(paths.map(({ text }) => text))]
    const [first] = paths
    if (first && texts.length > 1) {
      this.#report(
        serversDisagree(
          placeOf(first.range),
          'paths',
          texts.map((text) => text || '/'),
          field,
        ),
      )
    }
    return first?.text ?? ''
  }

  #backends(): readonly Entry[] {
    const { backends } = this.#spec
    if (this.#isGiven(row.backends)) return []
    if (backends) return [{ ...backends, layer: 'OpenAPI' }]
    const [first, ...others] = this.#servers()
    const hosts = first?.hosts ?? []
    const [host] = hosts
    const texts = (servers: Servers | undefined) => (servers?.hosts ?? []).map(({ text }) => text)
    const different = others.find((each) => !sameJson([...texts(each)].sort(), [...texts(first)].sort()))
    if (different) {
      const range = different.hosts[0]?.range ?? host?.range ?? this.#group.range
      this.#report(
        serversDisagree(placeOf(range), 'hosts', [...new Set([...texts(first), ...texts(different)])], row.backends),
      )
    }
    if (!host) return []
    const items = hosts.map(({ text, range }) => nodeFrom(this.#literal(text), range))
    return [this.#field(row.backends, { is: 'list', items, range: host.range })]
  }

  #methods(): readonly Entry[] {
    const { paths, operations, range } = this.#group
    switch (this.#spec.methods) {
      case 'none':
        return []
      case 'operationId': {
        const names = operations.flatMap(({ operationId, range: at }) => {
          if (!operationId) this.#report(operationWithout(placeOf(at), 'operationId', 'methods'))
          return operationId ?? []
        })
        return [this.#methodList(names)]
      }
      case 'segments': {
        const names = paths.map((at) => ({ text: staticSegments(at.path).join(' '), range: this.#within(at) }))
        const positions = [...new Set(paths.flatMap(({ path }) => staticPositions(path)))].sort((a, b) => a - b)
        const key = positions.join(' ')
        // If there is only one path, no other path can hide a parameter.
        if (paths.length > 1) this.#reportAmbiguous(positions, key)
        const field = key === '' ? [] : [this.#field(row.detection, nodeFrom(key, paths[0]?.range ?? range))]
        const own = [...field, this.#methodList(names.filter(({ text }) => text !== ''))]
        return own.filter((entry) => !this.#isGiven(entry.key))
      }
    }
  }

  /** A place inside a path that no endpoint has: each object has a place of its own. */
  #within(path: ApiPath): SourceRange {
    return this.#group.operations.find(({ at }) => at === path)?.map.range ?? path.range
  }

  #methodList(names: readonly LocatedText[]): Entry {
    const distinct = new Map(names.map((name) => [name.text, name]))
    const items = [...distinct.values()].map(({ text, range }): Node => {
      return { is: 'map', range, entries: [this.#field(nameOfMethod, nodeFrom(this.#literal(text), range))] }
    })
    return this.#field(row.methods, { is: 'list', items, range: names[0]?.range ?? this.#group.range })
  }

  #reportAmbiguous(positions: readonly number[], key: string): void {
    if (this.#isGiven(row.methods) || this.#isGiven(row.detection)) return
    for (const { path, range } of this.#group.paths) {
      const segments = segmentsOf(path)
      const hides = positions.some((position) => segments[position - 1]?.includes('{'))
      if (hides) this.#report(ambiguousDetection(placeOf(range), path, key))
    }
  }
}

const isMetadata = ({ key }: Entry): boolean => key === 'metadata'

const noPath = ({ range }: OperationGroup): LocatedText => ({ text: '', range })

const defaultNames = { path: '{path}', operation: '{verbs} {path}', tag: '{tag}', api: '{title}' } as const

/** Where the parts of a name are written. */
const partWords: Readonly<Record<string, string>> = {
  title: 'info.title',
  version: 'info.version',
  name: 'x-gatewright-name',
}
