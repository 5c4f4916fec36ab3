import type { Json, JsonObject } from '../../json/json.js'
import { isList, textsIn } from '../../json/json.js'
import { by } from '../../json/order.js'
import { valuePlaceholder } from './stage-words.js'

/** The value at one path of an object in each stage. Undefined for a stage without such an object. */
export type Vector = readonly (Json | undefined)[]

/** The field, or the key of a map, that contains a vector: as the value, or as an entry of a list. */
export interface Use {
  readonly word: string
  readonly as: 'field' | 'item'
}

/** A value of the project, with its value in each stage. */
export interface StagedValue {
  readonly name: string
  readonly declaration: JsonObject
  /** Undefined in stages that do not have such an object. */
  readonly byStage: Vector
}

/**
 * The vectors of an area, and one project value for each vector that no other one can express. All vectors are noted first; after
 * `finish`, their expressions can be read.
 */
export class Vectors {
  readonly #noted = new Map<string, NotedVector>()
  readonly #cores = new Map<string, Core>()
  readonly #projections = new Map<string, ReadonlyMap<string, NotedVector>>()
  readonly #named = new Map<string, string>()
  readonly #values: StagedValue[] = []
  readonly #reserved: readonly string[]

  /** `reserved`: names that no value may have. */
  constructor(reserved: readonly string[]) {
    this.#reserved = reserved
  }

  note(vector: Vector, use: Use): void {
    const key = vectorKey(vector, use)
    const known = this.#noted.get(key) ?? { key, vector, use, places: new Map(), uses: 0, at: this.#noted.size }
    this.#noted.set(key, known)
    known.uses += 1
    addTo(known.places, wordOf(use), 1)
  }

  /** Decides which vectors become values, and names them. The most used one gets the plain name. */
  finish(): void {
    const apart = [...this.#noted.values()].filter(
      (each) => this.#whole(each.vector, each.use) === each && !this.#isExpressed(each),
    )
    for (const core of [...coresOf(apart)].sort((left, right) => gapsIn(left) - gapsIn(right))) {
      if (this.#whole(core.vector) === undefined) this.#cores.set(core.key, core)
      this.#projections.clear()
    }
    const rest = apart.filter(({ vector }) => this.#partsIn(vector) === undefined)
    const named = [...rest, ...this.#cores.values()].sort((left, right) => right.uses - left.uses || left.at - right.at)
    const taken = new Set(this.#reserved)
    for (const { key, vector, places } of named) {
      const name = freeName(mostUsed(places), taken)
      this.#named.set(key, name)
      this.#values.push({ name, declaration: declarationOf(vector), byStage: vector })
    }
  }

  /** The values, the most used ones first. */
  get values(): readonly StagedValue[] {
    return this.#values
  }

  /** The text in manifests for a noted vector. */
  expression(vector: Vector, use?: Use): Json | undefined {
    const whole = this.#whole(vector, use)
    if (whole === undefined) return this.#partly(vector)
    const name = this.#named.get(whole.key)
    return name === undefined ? this.#partly(whole.vector) : valuePlaceholder(name)
  }

  /** Whether each of these stages has all values in the text. A value that is only a part of the text must be a scalar. */
  isGivenIn(stages: readonly number[], written: Json): boolean {
    const texts = textsIn(written)
    return this.#values.every(({ name, byStage }) => {
      const placeholder = valuePlaceholder(name)
      const isTaken = texts.some((text) => text.includes(placeholder))
      const given = stages.map((stage) => byStage[stage])
      return !isTaken || given.every(written === placeholder ? (value) => value !== undefined : isPart)
    })
  }

  #partly(vector: Vector): Json | undefined {
    return this.#asItems(vector) ?? this.#asText(vector)
  }

  /** Whether other vectors express it, whatever their names are. */
  #isExpressed({ vector }: NotedVector): boolean {
    return this.#itemsOf(vector) !== undefined || this.#innerOf(vector) !== undefined
  }

  /** A list whose entries other values express. */
  #asItems(vector: Vector): Json | undefined {
    const items = this.#itemsOf(vector)?.map((item) => this.expression(item))
    return items?.every((item) => item !== undefined) ? items : undefined
  }

  #itemsOf(vector: Vector): readonly Vector[] | undefined {
    const items = itemsOf(vector)
    return items?.every((item) => this.#whole(item) !== undefined || this.#innerOf(item) !== undefined)
      ? items
      : undefined
  }

  /** A text that consists of other values and of texts that are the same in every stage. */
  #asText(vector: Vector): string | undefined {
    const parts = this.#innerOf(vector) ?? this.#partsIn(vector)
    const cores = parts?.cores.map((core) => this.expression(core))
    if (!parts || !cores?.every((core) => typeof core === 'string')) return undefined
    return parts.between.map((text, index) => `${text}${cores[index] ?? ''}`).join('')
  }

  #innerOf(vector: Vector): Parts | undefined {
    return innersOf(vector).find(({ cores }) =>
      cores.every((core) => this.#whole(core) !== undefined && !this.#cores.has(vectorKey(core))),
    )
  }

  #partsIn(vector: Vector): Parts | undefined {
    const parts = partsOf(vector)
    return parts?.cores.every((core) => this.#whole(core) !== undefined) ? parts : undefined
  }

  /**
   * The noted vector or core that equals a vector. For a vector with gaps: the one with the fewest gaps that has the same values
   * in the other stages.
   */
  #whole(vector: Vector, use?: Use): NotedVector | undefined {
    const key = vectorKey(vector, use)
    if (!vector.includes(undefined)) return this.#noted.get(key) ?? this.#cores.get(key)
    const gaps = gapsOf(vector)
    const known = this.#projections.get(gaps) ?? this.#projected(vector)
    this.#projections.set(gaps, known)
    return known.get(key)
  }

  #projected(gaps: Vector): ReadonlyMap<string, NotedVector> {
    const found = new Map<string, NotedVector>()
    const all = [...this.#noted.values(), ...this.#cores.values()].sort((left, right) => gapsIn(left) - gapsIn(right))
    for (const each of all) {
      if (gaps.some((gap, index) => gap !== undefined && each.vector[index] === undefined)) continue
      const left = each.vector.map((value, index) => (gaps[index] === undefined ? undefined : value))
      for (const word of each.places.keys()) {
        const key = vectorKey(left, { word, as: 'field' })
        if (!found.has(key)) found.set(key, each)
      }
    }
    return found
  }
}

/** Whether the value can be a part of a text or of a list. */
const isPart = (value: Json | undefined): boolean => value !== undefined && typeof value !== 'object'

const gapsIn = ({ vector }: NotedVector): number => vector.filter((value) => value === undefined).length

const gapsOf = (vector: Vector): string => vector.map((value) => (value === undefined ? '-' : '+')).join('')

interface NotedVector {
  readonly key: string
  readonly vector: Vector
  /** The first use. Undefined for a part of texts. */
  readonly use: Use | undefined
  /** The number of uses in each field, by the word for the field. */
  readonly places: Map<string, number>
  uses: number
  /** The position in the order of notes, which is the order in which people read. */
  readonly at: number
}

type Core = NotedVector

/** A text that differs between the stages, as its equal parts (`between`) and its different parts (`cores`). */
interface Parts {
  /** One more than there are cores. */
  readonly between: readonly string[]
  readonly cores: readonly Vector[]
}

/**
 * The key of a vector. Equal texts, such as hosts, are the same value in all fields. Equal numbers in two fields are a
 * coincidence.
 */
function vectorKey(vector: Vector, use?: Use): string {
  const isShared = vector.every((value) => value === undefined || typeof value === 'string' || isList(value))
  const values = vector.map((value) => (value === undefined ? [] : [value]))
  return JSON.stringify(isShared || !use ? values : [wordOf(use), values])
}

/** A core becomes a value if at least so many different texts contain it. */
const manyTexts = 3

function coresOf(noted: readonly NotedVector[]): readonly Core[] {
  const withCores = noted.map((each) => ({
    each,
    keys: (partsOf(each.vector)?.cores ?? []).map((core) => vectorKey(core)),
  }))
  const counts = new Map<string, number>()
  for (const { keys } of withCores) for (const key of new Set(keys)) addTo(counts, key, 1)
  const isShared = (key: string) => (counts.get(key) ?? 0) >= manyTexts
  const cores = new Map<string, Core>()
  for (const { each, keys } of withCores) {
    // If one core of a text is not shared, the whole text becomes a value.
    if (!keys.every(isShared)) continue
    for (const core of partsOf(each.vector)?.cores ?? []) {
      const key = vectorKey(core)
      const known = cores.get(key) ?? { key, vector: core, use: undefined, places: new Map(), uses: 0, at: each.at }
      cores.set(key, known)
      known.uses += each.uses
      for (const [word, count] of each.places) addTo(known.places, `${word}Stage`, count)
    }
  }
  return [...cores.values()]
}

const isBoundary = (text: string, at: number): boolean => {
  const beside = [text[at - 1] ?? ' ', text[at] ?? ' ']
  return beside.some((each) => !/[\p{L}\p{N}]/u.test(each))
}

/** The texts of a vector, with the lengths of their common beginning and end. Undefined if not all values are texts. */
function endsOf(vector: Vector): { texts: readonly string[]; before: number; after: number } | undefined {
  const texts = vector.filter((value) => value !== undefined)
  if (!texts.every((text) => typeof text === 'string')) return undefined
  // A text with the placeholder of a variable is not divided, because a secret is one value.
  if (texts.some((text) => /(?<!\$)\$\{/.test(text))) return undefined
  const [first = '', ...others] = texts
  const shortest = Math.min(...texts.map((text) => text.length))
  let before = 0
  while (before < shortest && others.every((text) => text[before] === first[before])) before += 1
  let after = 0
  while (after < shortest - before && others.every((text) => text.at(-1 - after) === first.at(-1 - after))) after += 1
  return { texts, before, after }
}

const cut = (vector: Vector, before: number, after: number): Vector =>
  vector.map((text) => (typeof text === 'string' ? text.slice(before, text.length - after) : undefined))

/**
 * All ways to divide a text at word boundaries into a common beginning, a different part and a common end. Those with the longest
 * common parts come first.
 */
function innersOf(vector: Vector): readonly Parts[] {
  const ends = endsOf(vector)
  const [text = ''] = ends?.texts ?? []
  if (!ends) return []
  const starts = boundsUpTo(ends.before, (at) => isBoundary(text, at) && text[at - 1] !== '$')
  const stops = boundsUpTo(ends.after, (at) => isBoundary(text, text.length - at))
  return starts
    .flatMap((before) => stops.map((after) => ({ before, after })))
    .filter(({ before, after }) => before + after > 0)
    .sort((left, right) => left.before + left.after - right.before - right.after || left.before - right.before)
    .map(({ before, after }) => ({
      between: [text.slice(0, before), text.slice(text.length - after)],
      cores: [cut(vector, before, after)],
    }))
}

/**
 * The maximum number of word boundaries on each side. Names and hosts have few, and a long text need not be searched completely.
 */
const mostBounds = 12

const boundsUpTo = (most: number, isBound: (at: number) => boolean): readonly number[] =>
  Array.from({ length: most + 1 }, (_, at) => at)
    .filter(isBound)
    .slice(0, mostBounds)

/**
 * The different parts: word by word if all texts have the same number of words, else everything from the first to the last
 * difference.
 */
const partsOf = (vector: Vector): Parts | undefined => wordParts(vector) ?? coreOf(vector)

/** The texts, divided at the words that differ. Undefined if they have different structures or nothing in common. */
function wordParts(vector: Vector): Parts | undefined {
  if (!endsOf(vector)) return undefined
  const split = vector.map((text) => (typeof text === 'string' ? text.split(/([\p{L}\p{N}]+)/u) : undefined))
  const all = split.filter((words) => words !== undefined)
  const [first = []] = all
  const differs = (index: number) => all.some((words) => words[index] !== first[index])
  const differing = first.flatMap((_, index) => (differs(index) ? [index] : []))
  const isAlike = all.every(({ length }) => length === first.length)
  const isWords = differing.every((index) => index % 2 === 1 && !first[index - 1]?.endsWith('$'))
  if (!isAlike || !isWords || differing.length === 0 || first.filter((word) => word !== '').length < 2) return undefined
  const between = [...differing, first.length].map((end, place) =>
    first.slice(place === 0 ? 0 : (differing[place - 1] ?? 0) + 1, end).join(''),
  )
  return { between, cores: differing.map((index) => split.map((words) => words?.[index])) }
}

/**
 * The texts, divided around one different part that consists of whole words. Undefined if nothing surrounds it, or if it is empty
 * in a stage.
 */
function coreOf(vector: Vector): Parts | undefined {
  const ends = endsOf(vector)
  if (!ends) return undefined
  const { texts } = ends
  const isBoundAt = (before: number) =>
    texts.every((text) => isBoundary(text, before)) && texts[0]?.[before - 1] !== '$'
  let { before, after } = ends
  while (before > 0 && !isBoundAt(before)) before -= 1
  while (after > 0 && !texts.every((text) => isBoundary(text, text.length - after))) after -= 1
  const core = cut(vector, before, after)
  if (before + after === 0 || core.some((text) => typeof text === 'string' && !/^[\p{L}\p{N}].*$/u.test(text))) {
    return undefined
  }
  const [text = ''] = texts
  return { between: [text.slice(0, before), text.slice(text.length - after)], cores: [core] }
}

/** The entries of lists of texts, sorted, one vector for each. Undefined if the lists have different lengths. */
function itemsOf(vector: Vector): readonly Vector[] | undefined {
  const lists = vector.map((value) => (isList(value) ? [...value] : undefined))
  const held = lists.filter((list) => list !== undefined)
  const [first] = held
  if (held.length !== vector.filter((value) => value !== undefined).length || !first || first.length === 0)
    return undefined
  const isTexts = held.every((list) => list.length === first.length && list.every((item) => typeof item === 'string'))
  if (!isTexts) return undefined
  const sorted = lists.map((list) => list?.sort(by(String)))
  return first.map((_, index) => sorted.map((list) => list?.[index]))
}

/**
 * The word for a use: "publicDomains" for a field, "publicDomain" for an entry of it; "x-forwarded-host" becomes
 * "xForwardedHost".
 */
function wordOf({ word, as }: Use): string {
  const plain = word
    .replaceAll(/[^\p{L}\p{N}]+(.)?/gu, (_, next: string | undefined) => (next ?? '').toUpperCase())
    .replace(/^\p{Lu}(?!\p{Lu})/u, (letter) => letter.toLowerCase())
  const name = plain === '' ? 'value' : plain
  return as === 'item' ? name.replace(/(?<=[^s])s$/, '') : name
}

const addTo = (counts: Map<string, number>, word: string, count: number) =>
  counts.set(word, (counts.get(word) ?? 0) + count)

const mostUsed = (places: ReadonlyMap<string, number>): string =>
  [...places].reduce((best, each) => (each[1] > best[1] ? each : best), ['value', 0] as const)[0]

function freeName(word: string, taken: Set<string>): string {
  let name = word
  for (let number = 2; taken.has(name); number += 1) name = `${word}${number}`
  taken.add(name)
  return name
}

function declarationOf(vector: Vector): JsonObject {
  const types = new Set(vector.flatMap((value) => (value === undefined ? [] : [typeOf(value)])))
  const [type] = types
  return types.size === 1 && type !== undefined ? { type } : {}
}

function typeOf(value: Json): string | undefined {
  if (value === null) return undefined
  if (isList(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}
