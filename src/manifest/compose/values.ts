import { once } from '../../json/once.js'
import {
  circularValue,
  missingValue,
  undeclaredValue,
  unknownValue,
  unusedValue,
  valuesTooDeep,
} from '../../problems/compose.js'
import type { Problem, ReportProblem } from '../../problems/problem.js'
import { limitedNearest } from '../../problems/suggest.js'
import { keyWords, type Node } from '../node.js'
import type { DeclaredValues, ValueSources } from '../placeholder-sources.js'
import { hide, placeOf, type SourceRange, textOfRange } from '../source.js'
import { hasPlaceholders, isOfEnvironment, resolveValues, valueNames } from '../values.js'
import type { GivenValue } from './given-values.js'
import { type Declaration, fits } from './value-declarations.js'

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

const isUnresolved = (node: Node): boolean => node.is === 'scalar' && node.from === 'unresolved'
