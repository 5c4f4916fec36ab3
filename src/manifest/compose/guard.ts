import { hazardNames } from '../../catalog/hazards.js'
import { pruneModes } from '../../catalog/project-schema.js'
import { afterItself, environmentsInCircle, unknownEnvironment } from '../../problems/compose.js'
import { wrongType } from '../../problems/manifests.js'
import type { Place, ReportProblem } from '../../problems/problem.js'
import { nearest } from '../../problems/suggest.js'
import { readFlag, readWord } from '../field-value.js'
import { entryAt, isNull, type Node, nodeAt, wordsFor } from '../node.js'
import { placeOf } from '../source.js'
import { reportUnknownKeys } from '../unknown-keys.js'
import type { WrittenEnvironment } from './environments.js'

/** One guard rail, and where it is written. */
interface Rail<Value> {
  readonly value: Value
  readonly place: Place
}

type Prune = (typeof pruneModes)[number]

/** The conditions for changes to the area of an environment (design §2.1); an absent one does not limit. */
export interface GuardRails {
  /** Only saved plans may be applied. */
  readonly planned?: Rail<true> | undefined
  /** Environments in which a run of the same manifests, apart from layers, must have ended clean before. */
  readonly after: readonly Rail<string>[]
  /** Git branches that must contain the applied commit. */
  readonly branches: readonly Rail<string>[]
  /** The hazards that may be allowed at all. */
  readonly hazards?: Rail<readonly string[]> | undefined
  /** The most objects that may be deleted or replaced. */
  readonly deletes?: Rail<number> | undefined
  readonly prune?: Rail<Prune> | undefined
  /** The user must type the name of the environment before anything is changed. */
  readonly confirm?: Rail<'name'> | undefined
}

/** Whether a plan may delete more with the first mode than with the second. */
export const isWiderPrune = (one: Prune, other: Prune): boolean => pruneModes.indexOf(one) > pruneModes.indexOf(other)

/** Combines two guards: of each rail the stricter one. */
export function strictest(one: GuardRails, other: GuardRails): GuardRails {
  return {
    planned: one.planned ?? other.planned,
    after: distinctRails([...one.after, ...other.after]),
    branches: distinctRails([...one.branches, ...other.branches]),
    hazards: both(one.hazards, other.hazards, (own, theirs) => {
      const value = own.value.filter((each) => theirs.value.includes(each))
      return { value, place: value.length < own.value.length ? theirs.place : own.place }
    }),
    deletes: both(one.deletes, other.deletes, (own, theirs) => (theirs.value < own.value ? theirs : own)),
    prune: both(one.prune, other.prune, (own, theirs) => (isWiderPrune(own.value, theirs.value) ? theirs : own)),
    confirm: one.confirm ?? other.confirm,
  }
}

const distinctRails = (rails: readonly Rail<string>[]): readonly Rail<string>[] =>
  rails.filter(({ value }, index) => rails.findIndex((each) => each.value === value) === index)

const both = <Value>(
  one: Rail<Value> | undefined,
  other: Rail<Value> | undefined,
  stricter: (one: Rail<Value>, other: Rail<Value>) => Rail<Value>,
): Rail<Value> | undefined => (one && other ? stricter(one, other) : (one ?? other))

/** The same rails with the git reference in their file names, for messages. */
export function placedAt(reference: string, rails: GuardRails): GuardRails {
  const at = <Value>(rail: Rail<Value>): Rail<Value> => ({
    ...rail,
    place: { ...rail.place, file: `${reference}:${rail.place.file}` },
  })
  const { planned, after, branches, hazards, deletes, prune, confirm } = rails
  return {
    planned: planned && at(planned),
    after: after.map(at),
    branches: branches.map(at),
    hazards: hazards && at(hazards),
    deletes: deletes && at(deletes),
    prune: prune && at(prune),
    confirm: confirm && at(confirm),
  }
}

/** Reads `guard` of an environment. Placeholders have no meaning here: a guard is written in full. */
export function readGuard(
  node: Node | undefined,
  { name, others }: { readonly name: string; readonly others: readonly string[] },
  report: ReportProblem,
): GuardRails | undefined {
  if (!node || isNull(node)) return undefined
  const at = `guard of environment ${name}`
  if (node.is !== 'map') {
    report(wrongType(placeOf(node.range), at, 'a mapping', wordsFor(node)))
    return undefined
  }
  reportUnknownKeys(node, at, guardKeys, report)
  const read = <Value>(key: string, value: (node: Node, where: string) => Value | undefined) => {
    const found = entryAt(node, key)
    const known = found && value(found.value, `guard.${key}`)
    return found && known !== undefined ? { value: known, place: placeOf(found.range) } : undefined
  }
  const wrong = (each: Node, where: string, expected: string): undefined => {
    report(wrongType(placeOf(each.range), where, expected, wordsFor(each)))
  }
  const wordOf =
    <const Word extends string>(words: readonly Word[]) =>
    (each: Node, where: string): Word | undefined =>
      readWord(each, where, words, report)
  const textOf = (each: Node, where: string): string | undefined =>
    each.is === 'scalar' && typeof each.value === 'string' && each.value !== ''
      ? each.value
      : wrong(each, where, 'a text')
  const environmentOf = (each: Node, where: string): string | undefined => {
    const other = textOf(each, where)
    if (other === undefined || others.includes(other)) return other
    const place = placeOf(each.range)
    report(other === name ? afterItself(place, name) : unknownEnvironment(place, other, others, nearest(other, others)))
    return undefined
  }
  const isPlanned = read('planned', (each, where) => readFlag(each, where, report))
  const after = read('after', environmentOf)
  const branch = read('branch', textOf)
  const hazardOf = wordOf(hazardNames)
  return {
    planned: isPlanned?.value === true ? { value: true, place: isPlanned.place } : undefined,
    after: after ? [after] : [],
    branches: branch ? [branch] : [],
    hazards: read('hazards', (each, where) =>
      each.is === 'list'
        ? each.items.flatMap((item) => hazardOf(item, where) ?? [])
        : wrong(each, where, 'a list of hazards'),
    ),
    deletes: read('deletes', (each, where) =>
      each.is === 'scalar' && Number.isSafeInteger(each.value) && Number(each.value) >= 0
        ? Number(each.value)
        : wrong(each, where, 'a whole number from 0 on'),
    ),
    prune: read('prune', wordOf(pruneModes)),
    confirm: read('confirm', wordOf(['name'])),
  }
}

/**
 * Reports environments that wait for each other, if the chosen one is one of them or comes after them. The words and the place
 * are those of the environment that is written first, whichever one is chosen.
 */
export function reportCircle(
  written: readonly WrittenEnvironment[],
  chosen: WrittenEnvironment,
  report: ReportProblem,
): void {
  const waiting: WaitingEnvironment[] = []
  let current: WrittenEnvironment | undefined = chosen
  while (current && !waiting.some(({ name }) => name === current?.name)) {
    const after = waitsFor(current)
    if (!after) return
    waiting.push(after)
    current = written.find(({ name }) => name === after.after)
  }
  const circle = waiting.slice(waiting.findIndex(({ name }) => name === current?.name))
  const first = written.find((each) => circle.some(({ name }) => name === each.name))
  const start = circle.findIndex(({ name }) => name === first?.name)
  if (current && circle.length > 1) report(environmentsInCircle([...circle.slice(start), ...circle.slice(0, start)]))
}

/** An environment, the one that it comes after, and where that is written. */
interface WaitingEnvironment {
  readonly name: string
  readonly after: string
  readonly place: Place
}

function waitsFor({ name, spec }: WrittenEnvironment): WaitingEnvironment | undefined {
  const after = nodeAt(spec, '/guard/after')
  if (after?.is !== 'scalar' || typeof after.value !== 'string') return undefined
  return { name, after: after.value, place: placeOf(after.range) }
}

const guardKeys = ['planned', 'after', 'branch', 'hazards', 'deletes', 'prune', 'confirm']
