import { nameMatcher } from '../files/glob.js'
import { hasLabels } from '../manifest/labels.js'
import type { SourceRanges } from '../manifest/ranges.js'
import { placeOf, type SourceRange } from '../manifest/source.js'
import { isAmong } from '../manifest/values.js'
import { rangeInside } from '../manifest/yaml/inside.js'
import { policyFailed, policyViolated, waiverEnds, waiverOver } from '../problems/policies.js'
import type { Place, Problem, ReportProblem } from '../problems/problem.js'
import type { Language, PolicyVariables, Question } from './language.js'
import type { Policy, PolicyLevel, Rule, Waiver } from './policy.js'
import { changedSubjects, type PolicyView, type Subject, unchangedSubjects } from './subjects.js'

/** A policy with rules that can be evaluated. */
export interface ReadyPolicy extends Policy {
  readonly questions: readonly RuleQuestion[]
}

interface RuleQuestion {
  readonly rule: Rule
  readonly isFine: Question
  readonly words: Question | undefined
}

/** The policy with its rules ready to be evaluated; wrong rules are reported and left out. */
export function readyPolicy(policy: Policy, language: Language, report: ReportProblem): ReadyPolicy {
  const { kinds } = policy.match
  const questions = policy.rules.flatMap((rule): RuleQuestion[] => {
    const { number, of, assert, message } = rule
    const what = (part: string) => `${part} of rule ${number} of policy ${policy.name}`
    const isFine = language.compile(assert, { what: what('assert'), of, kinds, gives: 'bool' }, report)
    const words = message && language.compile(message, { what: what('message'), of, kinds, gives: 'string' }, report)
    return isFine ? [{ rule, isFine, words }] : []
  })
  return { ...policy, questions }
}

/** The time and the environment of an evaluation. */
interface PolicyMoment {
  /** The current and former names of the environment; empty if the project has no environments. */
  readonly environments: readonly string[]
  readonly nowMs: number
}

/** The result of a rule for an object, or for the plan. */
export interface PolicyFinding {
  readonly policy: Policy
  readonly rule: Rule
  readonly object: Subject | undefined
  /** `failed`: an expression gave no answer, which never counts as true. */
  readonly outcome: 'violated' | 'failed'
  /**
   * The level of the rule. For an object that does not change it is at most a warning, because apply does not touch the object
   * (A306).
   */
  readonly level: PolicyLevel
  /** For a violation, the rule's message; otherwise why there is no answer. */
  readonly words: string
  /** Where the object, or its field, is written; otherwise the place of the rule. */
  readonly range: SourceRange
  /** The expression, or the part of it that failed. */
  readonly ruleRange: SourceRange
  /** The waiver that allows it for now. */
  readonly waiver: Waiver | undefined
  /** A waiver whose last day is over. */
  readonly over: Waiver | undefined
}

/** The findings of policies about a plan. */
export function evaluate(
  policies: readonly ReadyPolicy[],
  view: PolicyView,
  moment: PolicyMoment,
): readonly PolicyFinding[] {
  const here = policies.filter((policy) => holdsIn(policy, moment.environments))
  if (here.length === 0) return []
  const changed = changedSubjects(view)
  const unchanged = here.some(({ match }) => match.unchanged) ? unchangedSubjects(view) : []
  const { unchanged: count } = view.plan
  return here.flatMap((policy) => evaluateOne(policy, { changed, unchanged, count }, moment).findings)
}

/** Whether a policy applies in an environment. */
export function holdsIn({ match }: Policy, environments: readonly string[]): boolean {
  const names = match.environments.map(({ name }) => name)
  return names.length === 0 || environments.some((environment) => isAmong(names, environment))
}

/** What a policy is evaluated for. */
interface Subjects {
  readonly changed: readonly Subject[]
  readonly unchanged: readonly Subject[]
  /** The number of objects that do not change. */
  readonly count: number
}

/** The same for one policy, whatever environment it applies in; `evaluated`: for how many objects it was evaluated. */
export function evaluateOne(
  policy: ReadyPolicy,
  subjects: Subjects,
  moment: PolicyMoment,
): { readonly findings: readonly PolicyFinding[]; readonly evaluated: number } {
  const { match, questions } = policy
  const shared = { environment: moment.environments[0] ?? '', now: new Date(moment.nowMs) }
  const plan = planVariable(subjects)
  const evaluated = [...subjects.changed, ...(match.unchanged ? subjects.unchanged : [])].filter((each) =>
    fits(policy, each),
  )
  const find = (
    question: RuleQuestion,
    object: Subject | undefined,
    variables: PolicyVariables,
  ): readonly PolicyFinding[] => {
    const found = ruleAnswer(question, variables)
    return found ? [findingFrom(policy, question, object, found, moment)] : []
  }
  const ofChanges = questions.filter(({ rule }) => rule.of === 'change')
  const ofPlan = questions.filter(({ rule }) => rule.of === 'plan')
  const findings = [
    ...evaluated.flatMap((object) => {
      const variables = withMembers(object.variables, { ...shared, plan })
      return ofChanges.flatMap((question) => find(question, object, variables))
    }),
    ...ofPlan.flatMap((question) => find(question, undefined, { ...shared, plan })),
  ]
  return { findings, evaluated: evaluated.length }
}

/** The members of both, without evaluating any of them. */
const withMembers = (one: PolicyVariables, other: PolicyVariables): PolicyVariables =>
  Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(one), ...Object.getOwnPropertyDescriptors(other) })

function planVariable({ changed, count }: Subjects): PolicyVariables {
  const counted = (action: Subject['action']) => BigInt(changed.filter((each) => each.action === action).length)
  return {
    get changes() {
      return changed.map(({ variables }) => variables)
    },
    get summary() {
      return {
        ...{ create: counted('create'), update: counted('update'), replace: counted('replace') },
        ...{ delete: counted('delete'), unchanged: BigInt(count) },
      }
    },
  }
}

function fits({ match }: Policy, { kind, action, labels }: Subject): boolean {
  if (match.kinds.length > 0 && !match.kinds.includes(kind)) return false
  if (match.actions.length > 0 && action !== 'unchanged' && !match.actions.includes(action)) return false
  return hasLabels(labels, match.labels)
}

interface RuleResult {
  readonly outcome: PolicyFinding['outcome']
  readonly words: string
  readonly ruleRange: SourceRange
}

/** The finding of a rule; undefined if there is none. */
function ruleAnswer({ rule, isFine, words }: RuleQuestion, variables: PolicyVariables): RuleResult | undefined {
  const { assert, message } = rule
  const answer = isFine(variables)
  if (answer.is === 'failed') {
    return { outcome: 'failed', words: answer.why, ruleRange: rangeInside(assert.node, answer.start, answer.end) }
  }
  if (answer.value === true) return undefined
  const ruleRange = assert.node.range
  if (!message || !words) return { outcome: 'violated', words: `not true: ${onOneLine(assert.text)}`, ruleRange }
  const reported = words(variables)
  if (reported.is === 'value') return { outcome: 'violated', words: String(reported.value), ruleRange }
  return { outcome: 'failed', words: reported.why, ruleRange: rangeInside(message.node, reported.start, reported.end) }
}

const onOneLine = (text: string): string => {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}

function findingFrom(
  policy: ReadyPolicy,
  { rule }: RuleQuestion,
  object: Subject | undefined,
  { outcome, words, ruleRange }: RuleResult,
  moment: PolicyMoment,
): PolicyFinding {
  const isQuiet = object?.action === 'unchanged'
  const level = outcome === 'failed' ? 'error' : rule.level
  const waivers = object ? policy.waivers.filter(({ address }) => nameMatcher(address)(object.address)) : []
  // A rule without an answer cannot be waived: nobody has agreed to that.
  const active = outcome === 'violated' ? waivers.find((each) => daysLeft(each, moment) >= 0) : undefined
  return {
    ...{ policy, rule, object, outcome, words, ruleRange },
    level: isQuiet ? 'warning' : level,
    range: (object && placedAt(object, rule)) ?? ruleRange,
    waiver: active,
    over: active ? undefined : waivers.find((each) => daysLeft(each, moment) < 0),
  }
}

const placedAt = ({ range, ranges }: Subject, { at }: Rule): SourceRange | undefined =>
  (at && ranges && writtenAt(ranges, at.pointer)) ?? range

const writtenAt = (ranges: SourceRanges, pointer: string): SourceRange | undefined =>
  ranges.layerAt(pointer)?.range ?? ranges.at(pointer)

const dayMs = 86_400_000

/** Whole days until the last day of a waiver; 0 on that day, negative after it. */
function daysLeft({ until }: Waiver, { nowMs }: Pick<PolicyMoment, 'nowMs'>): number {
  return Math.floor(Date.parse(`${until}T00:00:00Z`) / dayMs) - Math.floor(nowMs / dayMs)
}

/** The problem that reports a finding; undefined if the finding is waived. */
export function findingProblem(finding: PolicyFinding): Problem | undefined {
  const { policy, rule, object, outcome, level, words, range, ruleRange, waiver, over } = finding
  if (waiver) return undefined
  const place = placeOf(range)
  const rulePlace: Place = range === ruleRange ? place : placeOf(ruleRange)
  const ruled = { policy: policy.name, rule: rule.number, rulePlace, place, address: object?.address }
  if (outcome === 'failed') return policyFailed(ruled, words, level)
  const waived = over && `its waiver by ${over.owner} ended on ${over.until} (${over.reason})`
  return policyViolated(ruled, words, level, waived)
}

/** How many days before a waiver ends a warning is given. */
const noticeDays = 14

/** Warnings about waivers that end soon. */
export function waiverWarnings(policies: readonly Policy[], moment: Pick<PolicyMoment, 'nowMs'>): readonly Problem[] {
  return policies.flatMap(({ name, waivers }) =>
    waivers.flatMap((waiver) => {
      const days = daysLeft(waiver, moment)
      if (days > noticeDays) return []
      const { range, address, until } = waiver
      const place = placeOf(range)
      return [days < 0 ? waiverOver(place, name, address, until) : waiverEnds(place, name, address, until, days)]
    }),
  )
}
