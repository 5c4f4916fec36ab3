import { type Json, textsIn } from '../../json/json.js'
import { once } from '../../json/once.js'
import {
  circularValue,
  missingValue,
  undeclaredValue,
  unknownValue,
  unusedValue,
  valuesTooDeep,
  valueWithoutText,
} from '../../problems/compose.js'
import { unknownValue as unknownWord, wrongType } from '../../problems/manifests.js'
import type { Place, Problem, ReportProblem } from '../../problems/problem.js'
import { limitedNearest, nearest } from '../../problems/suggest.js'
import { readString, refusesNumber } from '../field-value.js'
import {
  displayedText,
  type Entry,
  formWords,
  isNull,
  keyWords,
  type MapNode,
  type Node,
  nodeFrom,
  plain,
  type ScalarNode,
  valueAt,
} from '../node.js'
import { hide, placeOf, type SourceRange, textOfRange } from '../source.js'
import { reportUnknownKeys } from '../unknown-keys.js'
import {
  type DeclaredValues,
  hasPlaceholders,
  isOfEnvironment,
  resolveValues,
  type ValueSources,
  valueNames,
} from '../values.js'
import { readYaml } from '../yaml/read-yaml.js'

const types = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const
type TypeName = (typeof types)[number]

/** The declaration of one value in `spec.values`. */
export interface Declaration {
  readonly name: string
  readonly range: SourceRange
  readonly type: TypeName | undefined
  readonly items: TypeName | undefined
  readonly words: Node | undefined
  readonly fallback: Node | undefined
}

/** A value that an environment or the command line gives. */
export interface GivenValue {
  readonly node: Node
  /** The layer that gives it: `values of environment prod`. */
  readonly layer: string
  /** The place of its name, if a file gives it. */
  readonly range?: SourceRange
}

/** Texts that the command line gives to values, by name; no file of the project has them. */
type TypedValues = Readonly<Record<string, string>>

const byHand = '--value'

/** The typed values of a project, masked; undefined if there are none. */
export function typedValues(
  layers: { readonly given: ReadonlyMap<string, GivenValue> } | undefined,
  mask: (text: string) => string,
): TypedValues | undefined {
  const typed = [...(layers?.given ?? [])].flatMap(([name, { node, layer }]) =>
    layer === byHand ? [[name, mask(node.range.source.text)] as const] : [],
  )
  return typed.length === 0 ? undefined : Object.fromEntries(typed)
}

/** A value after it is resolved, and the problems in it or in the values that it uses. */
interface ResolvedValue {
  /** undefined: there is no value. */
  readonly node: Node | undefined
  readonly problems: readonly Problem[]
}

/** How many values may use each other one inside the other: each of them is a call. */
const deepest = 100

/** The declared values of a project and where they come from. A value that uses other values is resolved at its first use. */
export class Values {
  readonly #declared: ReadonlyMap<string, Declaration>
  readonly #given: ReadonlyMap<string, GivenValue>
  readonly #environment: string | undefined
  readonly #sources: ValueSources
  readonly #resolved = new Map<string, ResolvedValue>()
  /** Problems that are already reported: many objects may use one value. */
  readonly #reported = new Set<Problem>()
  /** The values that are being resolved, outermost first. */
  readonly #open: string[] = []
  readonly #used = new Set<string>()
  readonly #nearest = limitedNearest()
  readonly #names = once((): readonly string[] => [...this.#declared.keys()])
  /** The declared values that are probably given under mistyped names, by these names. */
  readonly #mistyped = once((): ReadonlyMap<string, string> => {
    const undeclared = [...this.#given.keys()].filter((name) => !this.#declared.has(name))
    const nearest = limitedNearest()
    return new Map(
      undeclared.flatMap((name) => {
        const meant = nearest(name, this.#names)
        return meant === undefined ? [] : [[name, meant] as const]
      }),
    )
  })
  readonly #meant = once((): ReadonlySet<string> => new Set(this.#mistyped().values()))

  constructor(
    declared: readonly Declaration[],
    given: ReadonlyMap<string, GivenValue>,
    environment: string | undefined,
    sources: ValueSources,
  ) {
    this.#declared = new Map(declared.map((each) => [each.name, each]))
    this.#given = given
    this.#environment = environment
    this.#sources = { ...sources, values: this }
    this.ofOthers = this.#forOthers()
  }

  /** The chosen environment. */
  get environment(): string | undefined {
    return this.#environment
  }

  /** For objects of other environments: a value that this environment does not give is not missing there. */
  readonly ofOthers: DeclaredValues

  /** Whether a value of that name is declared; from now on it counts as used. */
  isMeant(name: string): boolean {
    this.#used.add(name)
    return this.#declared.has(name)
  }

  /** The value with its own placeholders resolved; undefined if there is none, and the reason is reported. */
  valueOf(name: string, range: SourceRange, report: ReportProblem): Node | undefined {
    return this.#lookUp(name, range, report, () => true)
  }

  /** `isReported`: whether a problem of the value is a mistake of the object that uses it. */
  #lookUp(
    name: string,
    range: SourceRange,
    report: ReportProblem,
    isReported: (problem: Problem) => boolean,
  ): Node | undefined {
    this.#used.add(name)
    const declared = this.#declared.get(name)
    if (!declared) {
      report(unknownValue(placeOf(range), keyWords(name), this.#nearest(name, this.#names), this.#names()))
      return undefined
    }
    if (this.#open.includes(name)) {
      report(circularValue(placeOf(range), [...this.#open.slice(this.#open.indexOf(name)), name]))
      return undefined
    }
    if (this.#open.length >= deepest) {
      report(valuesTooDeep(placeOf(range), deepest))
      return undefined
    }
    if (this.#isMissing(declared)) {
      // It is reported at the use, which may be in an object that is left out.
      const problem = missingValue(placeOf(range), name, this.#environment)
      if (isReported(problem) && !this.#isGivenMistyped(name)) report(problem)
      return undefined
    }
    const { node, problems } = this.#resolvedOnce(declared)
    this.#reportAll(problems.filter(isReported), report)
    return node
  }

  #isMissing({ name, fallback }: Declaration): boolean {
    return !this.#given.has(name) && !fallback
  }

  /** Whether the value was probably given under a mistyped name, which is already reported. */
  #isGivenMistyped(name: string): boolean {
    return this.#meant().has(name)
  }

  /** While a value is being resolved, its problems go to the value that uses it. Otherwise each problem is reported once. */
  #reportAll(problems: readonly Problem[], report: ReportProblem): void {
    if (this.#open.length > 0) {
      problems.forEach(report)
      return
    }
    for (const problem of problems) {
      if (this.#reported.has(problem)) continue
      // The object that reports it may be left out, and its reports with it: another object must report it again.
      if (!isOfEnvironment(problem)) this.#reported.add(problem)
      report(problem)
    }
  }

  /** Warnings about values that nothing uses, and problems with the names in them. */
  unused(): readonly Problem[] {
    const left = [...this.#declared.values()].filter(({ name }) => !this.#used.has(name))
    const looked = new Set<string>()
    return [
      ...left.map(({ name, range }) => unusedValue(placeOf(range), name)),
      ...left.flatMap(({ name }) => this.#wrongNames(name, [], looked)),
    ]
  }

  /** Names in an unused value, and in the unused values that it uses, that are undeclared or form a circle. */
  #wrongNames(name: string, around: readonly string[], looked: Set<string>): readonly Problem[] {
    const written = this.#given.get(name)?.node ?? this.#declared.get(name)?.fallback
    if (!written || this.#used.has(name) || looked.has(name) || around.length >= deepest) return []
    looked.add(name)
    const place = placeOf(written.range)
    const open = [...around, name]
    return valueNames(written.range).flatMap((inner) => {
      if (!this.#declared.has(inner))
        return [unknownValue(place, keyWords(inner), this.#nearest(inner, this.#names), this.#names())]
      if (open.includes(inner)) return [circularValue(place, [...open.slice(open.indexOf(inner)), inner])]
      return this.#wrongNames(inner, open, looked)
    })
  }

  /** Checks values without placeholders even if nothing uses them here. A given value that is not declared is an error. */
  checkWritten(report: ReportProblem): void {
    for (const [name, { node, range }] of this.#given) {
      if (!range || this.#declared.has(name)) continue
      // Its purpose is unknown, so it may be a secret.
      hide(node.range)
      report(undeclaredValue(placeOf(range), keyWords(name), this.#mistyped().get(name), this.#names()))
    }
    for (const declared of this.#declared.values()) {
      const { name, fallback } = declared
      const given = this.#given.get(name)?.node
      if (given && fallback && !hasPlaceholders(textOfRange(fallback.range))) fits(declared, fallback, report)
      const written = given ?? fallback
      if (written && !hasPlaceholders(textOfRange(written.range)))
        this.#reportAll(this.#resolvedOnce(declared).problems, report)
    }
  }

  #forOthers(): DeclaredValues {
    const isMissing = (name: string) => {
      const declared = this.#declared.get(name)
      return declared !== undefined && this.#isMissing(declared)
    }
    const others: DeclaredValues = {
      environment: this.#environment,
      isMeant: (name) => this.isMeant(name),
      valueOf: (name, range, report) => {
        if (!isMissing(name)) return this.#lookUp(name, range, report, (problem) => !isOfEnvironment(problem))
        this.#used.add(name)
        return undefined
      },
      get ofOthers() {
        return others
      },
    }
    return others
  }

  #resolvedOnce(declared: Declaration): ResolvedValue {
    const known = this.#resolved.get(declared.name)
    if (known) return known
    const problems: Problem[] = []
    const node = this.#resolve(declared, (problem) => problems.push(problem))
    const resolved = { node, problems }
    this.#resolved.set(declared.name, resolved)
    return resolved
  }

  #resolve(declared: Declaration, report: ReportProblem): Node | undefined {
    const { name } = declared
    const written = this.#given.get(name)?.node ?? declared.fallback
    if (!written) return undefined
    this.#open.push(name)
    const node = resolveValues(written, this.#sources, report)
    this.#open.pop()
    // An unset secret keeps its placeholder. Any other unresolved placeholder was reported, and gives no value.
    if (isUnresolved(node)) return node.secret ? node : undefined
    return fits(declared, node, report) ? node : undefined
  }
}

/** Whether a value matches its declaration; reports why not. */
function fits({ name, type, items, words }: Declaration, node: Node, report: ReportProblem): boolean {
  const wrong = (expected: string, at: Node): false => {
    report(wrongType(placeOf(at.range), `the value "${name}"`, expected, formWords(at)))
    return false
  }
  if (refusesNumber(node, `the value "${name}"`, { report })) return false
  if (type !== undefined && !isOfType(node, type)) return wrong(typeWords[type], node)
  if (items !== undefined && node.is === 'list') {
    const other = node.items.find((item) => !isOfType(item, items))
    if (other) return wrong(`a list of which each entry is ${typeWords[items]}`, other)
  }
  const allowed = words?.is === 'list' ? words.items.map(plain) : undefined
  // The placeholder of a variable gives a text, even if it stands for a number.
  const isText = node.is === 'scalar' && node.from === 'placeholder' && typeof node.value === 'string'
  const isAllowed = (each: Json) => node.is === 'scalar' && (isText ? String(each) : each) === node.value
  if (!allowed || node.is !== 'scalar' || isKept(node) || allowed.some(isAllowed)) return true
  const known = allowed.map(String)
  if (known.includes(String(node.value))) return wrong(`one of ${known.join(', ')}`, node)
  report(
    unknownWord(
      placeOf(node.range),
      `the value "${name}"`,
      displayedText(node),
      nearest(String(node.value), known),
      known,
    ),
  )
  return false
}

/**
 * The problems of a value that is given from outside the project; `place`: where it is given. A value with a placeholder is
 * checked after the placeholder is resolved.
 */
export function givenProblems(
  name: string,
  value: Json,
  place: Place,
  declared: readonly Declaration[],
): readonly Problem[] {
  const known = declared.map((each) => each.name)
  const found = declared.find((each) => each.name === name)
  if (!found) return [undeclaredValue(place, keyWords(name), nearest(name, known), known)]
  if (textsIn(value).some((text) => text.includes('${'))) return []
  const problems: Problem[] = []
  const text = JSON.stringify(value)
  const range = { source: { file: place.file, text }, start: 0, end: text.length }
  fits(found, nodeFrom(value, range), (problem) => problems.push({ ...problem, place }))
  return problems
}

/** The given value that wins, with its layer; undefined if nothing gives it. */
export function valueOrigin(
  { declared, given }: { readonly declared: readonly Declaration[]; readonly given: ReadonlyMap<string, GivenValue> },
  name: string,
): GivenValue | undefined {
  const fallback = declared.find((each) => each.name === name)?.fallback
  return given.get(name) ?? (fallback && { node: fallback, layer: 'default of spec.values' })
}

/** Whether the value keeps its placeholder, as in rendered documents: its meaning is not known. */
const isKept = ({ value }: ScalarNode): boolean => typeof value === 'string' && value.includes('${')

const isUnresolved = (node: Node): boolean => node.is === 'scalar' && node.from === 'unresolved'

const typeWords: Readonly<Record<TypeName, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
}

/** The placeholder of a variable gives a text. The text counts as a number, or as true or false, if it has that form. */
function isOfType(node: Node, type: TypeName): boolean {
  if (type === 'array') return node.is === 'list'
  if (type === 'object') return node.is === 'map'
  if (node.is !== 'scalar') return false
  if (isKept(node)) return true
  const text = node.from === 'placeholder' ? String(node.value) : undefined
  switch (type) {
    case 'string':
      return typeof node.value === 'string'
    case 'boolean':
      return typeof node.value === 'boolean' || text === 'true' || text === 'false'
    case 'integer':
      return Number.isSafeInteger(node.value) || (text !== undefined && /^-?\d{1,15}$/.test(text))
    case 'number':
      return typeof node.value === 'number' || (text !== undefined && /^-?\d+(\.\d+)?$/.test(text))
  }
}

const isTypeName = (value: unknown): value is TypeName => types.some((type) => type === value)

const isFraction = (node: Node): boolean =>
  node.is === 'scalar' && typeof node.value === 'number' && !Number.isInteger(node.value)

/** The type of a default. `choices`: the values of its enum, which may have fractions even if the default is a whole number. */
const inferredType = (node: Node, choices: readonly Node[] = []): TypeName | undefined => {
  if (isNull(node)) return undefined
  if (node.is === 'list') return 'array'
  if (node.is === 'map') return 'object'
  if (typeof node.value === 'number') return [node, ...choices].some(isFraction) ? 'number' : 'integer'
  const type = typeof node.value
  return isTypeName(type) && !String(node.value).includes('${') ? type : undefined
}

/** Reads `spec.values`: a mapping is a declaration with type and default; any other value is the default. */
export function readDeclarations(node: Node | undefined, report: ReportProblem): readonly Declaration[] {
  const entries = mappingEntries(node, 'values', report)
  return entries.map(({ key, range, value }) =>
    value.is === 'map' ? declarationOf(key, range, value, report) : shorthandOf(key, range, value),
  )
}

function mappingEntries(node: Node | undefined, at: string, report: ReportProblem): readonly Entry[] {
  if (!node || isNull(node)) return []
  if (node.is === 'map') return node.entries
  report(wrongType(placeOf(node.range), at, 'a mapping', formWords(node)))
  return []
}

/** A name without anything behind it declares a value with neither default nor type. */
function shorthandOf(name: string, range: SourceRange, node: Node): Declaration {
  const fallback = isNull(node) ? undefined : node
  return { name, range, fallback, type: fallback && inferredType(fallback), items: undefined, words: undefined }
}

const declarationKeys = ['type', 'default', 'enum', 'items', 'description']

function declarationOf(name: string, range: SourceRange, map: MapNode, report: ReportProblem): Declaration {
  reportUnknownKeys(map, `the value "${name}"`, declarationKeys, report)
  const fallback = valueAt(map, 'default')
  const items = valueAt(map, 'items')
  const words = valueAt(map, 'enum')
  const wrong = (node: Node, key: string, expected: string) =>
    report(
      wrongType(
        placeOf(node.range),
        `${key} of the value "${name}"`,
        expected,
        node.is === 'list' && node.items.length === 0 ? 'an empty one' : formWords(node),
      ),
    )
  const about = valueAt(map, 'description')
  if (about) readString(about, `description of the value "${name}"`, { report })
  const isChoice = words?.is === 'list' && words.items.length > 0
  if (words && !isChoice) wrong(words, 'enum', 'a list of at least one value')
  if (items?.is === 'map') reportUnknownKeys(items, `items of the value "${name}"`, ['type'], report)
  else if (items) wrong(items, 'items', 'a mapping with a type')
  const choices = isChoice ? words.items : []
  const type = readType(valueAt(map, 'type'), name, report) ?? (fallback && inferredType(fallback, choices))
  if (items && type !== undefined && type !== 'array') {
    const where = `the type of the value "${name}", which has items,`
    report(wrongType(placeOf(items.range), where, 'array', type, 'write type: array, or leave items out'))
  }
  const isRight = isChoice && areChoices(words.items, name, type, report)
  return {
    ...{ name, range, type, fallback, words: isRight ? words : undefined },
    items: items?.is === 'map' ? readType(valueAt(items, 'type'), name, report) : undefined,
  }
}

/** Whether a value of that type can have these enum values; reports the first that it cannot have. */
function areChoices(words: readonly Node[], name: string, type: TypeName | undefined, report: ReportProblem): boolean {
  const [first] = words
  const where = `enum of the value "${name}"`
  if (first && (type === 'array' || type === 'object')) {
    const expected = 'string, integer, number or boolean'
    const what = `the type of the value "${name}", which has enum,`
    report(wrongType(placeOf(first.range), what, expected, type, 'leave enum out, or write another type'))
    return false
  }
  const odd = words.find((each) => each.is !== 'scalar' || (type !== undefined && !isOfType(each, type)))
  if (!odd) return true
  const expected = type === undefined ? 'a text, a number, or true or false' : typeWords[type]
  const text =
    odd.is === 'scalar' && type === 'string' && !isNull(odd) ? `put it in quotes: "${displayedText(odd)}"` : undefined
  report(wrongType(placeOf(odd.range), where, expected, formWords(odd), text))
  return false
}

function readType(node: Node | undefined, name: string, report: ReportProblem): TypeName | undefined {
  if (!node) return undefined
  if (node.is === 'scalar' && isTypeName(node.value)) return node.value
  report(
    unknownWord(
      placeOf(node.range),
      `the type of "${name}"`,
      displayedText(node),
      nearest(displayedText(node), types),
      types,
    ),
  )
  return undefined
}

/** The values that an environment gives, declared or not. */
export function readGiven(
  node: Node | undefined,
  layer: string,
  report: ReportProblem,
): ReadonlyMap<string, GivenValue> {
  return new Map(
    mappingEntries(node, layer, report).map(({ key, range, value }) => [key, { node: value, layer, range }]),
  )
}

/** The values of the command line, each `NAME=TEXT`, converted to their declared types. */
export function readTyped(
  texts: readonly string[],
  declared: readonly Declaration[],
  report: ReportProblem,
): ReadonlyMap<string, GivenValue> {
  return new Map(
    texts.map((written): [string, GivenValue] => {
      const at = written.indexOf('=')
      const name = written.slice(0, at === -1 ? undefined : at)
      const text = at === -1 ? '' : written.slice(at + 1)
      const found = declared.find((each) => each.name === name)
      if (at === -1) report(valueWithoutText(name))
      else if (!found) {
        const known = declared.map((each) => each.name)
        report(undeclaredValue(undefined, name, nearest(name, known), known))
      }
      return [name, { node: at === -1 ? withoutText : typedNode(text, found?.type), layer: byHand }]
    }),
  )
}

/** It is reported already. */
const withoutText: Node = {
  is: 'scalar',
  value: null,
  from: 'unresolved',
  range: { source: { file: byHand, text: '', lines: 'none' }, start: 0, end: 0 },
}

function typedNode(text: string, type: TypeName | undefined): Node {
  const source = { file: byHand, text, lines: 'none' as const }
  const range = { source, start: 0, end: text.length }
  if (type === 'string') return nodeFrom(text, range)
  const [node] = readYaml(source).documents
  return node ?? nodeFrom(text, range)
}
