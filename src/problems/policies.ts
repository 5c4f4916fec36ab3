import { error, type Place, type Problem, warning } from './problem.js'
import { choice, counted } from './suggest.js'

/** Problems of policies, and their findings (design §9). */

export const notAPolicy = (place: Place, written: string): Problem =>
  error(
    'unknown-kind',
    place,
    `a file of policies has ${written}`,
    'its documents are of kind: Policy; manifests stand in files of their own',
  )

export const policyAmongManifests = (place: Place): Problem =>
  error(
    'policy-among-manifests',
    place,
    'a document of kind Policy is among the manifests, where it has no effect',
    'move it into the folder policies, or name its file in spec.policies of the project file',
  )

export const twoPolicies = (place: Place, name: string, first: Place): Problem => ({
  ...error('policy-twice', place, `there is another policy "${name}"`, 'give one of them another name'),
  related: [{ message: 'the first one', place: first }],
})

export const missingPart = (place: Place, owner: string, part: string): Problem =>
  error('policy-incomplete', place, `${owner} has no ${part}`, `write ${part}`)

export const badDay = (place: Place, written: string): Problem =>
  error('policy-bad-day', place, `until takes a day, and "${written}" is not one`, 'write it like 2027-03-31')

/** The expression is invalid, or it is wrong for every object. */
export const badExpression = (place: Place, what: string, why: string, hint: string | undefined): Problem =>
  error('policy-expression', place, `${what}: ${why}`, hint)

/** `known`: the members that the object has. */
export const unknownInExpression = (
  place: Place,
  what: string,
  name: string,
  suggestion: string | undefined,
  known: readonly string[],
): Problem =>
  error(
    'policy-expression',
    place,
    `${what}: there is no "${name}"`,
    known.length > mostListed
      ? (choice(suggestion) ?? 'gatewright explain KIND lists the fields')
      : choice(suggestion, known),
  )

/** Without match.kinds an expression may use the fields of all kinds. Nobody reads a list of more names than this. */
const mostListed = 40

/** The origin of a finding. */
interface Ruled {
  readonly policy: string
  readonly rule: number
  /** The position of the rule. */
  readonly rulePlace: Place
  /** The position of the object or field; that of the rule if there is none. */
  readonly place: Place
  /** Undefined: the finding is for the plan as a whole. */
  readonly address: string | undefined
}

const about = ({ address }: Ruled): string => (address === undefined ? '' : `${address}: `)

const related = ({ rulePlace, place }: Ruled, message: string): Pick<Problem, 'related'> =>
  rulePlace === place ? {} : { related: [{ message, place: rulePlace }] }

/** `waiver`: the text for an expired waiver. */
export const policyViolated = (
  ruled: Ruled,
  words: string,
  level: 'error' | 'warning',
  waiver: string | undefined,
): Problem => {
  const make = level === 'error' ? error : warning
  const hint =
    waiver ??
    (ruled.address === undefined
      ? undefined
      : `change it, or add a waiver to the policy: {address: ${ruled.address}, reason, owner, until}`)
  return {
    ...make('policy-violated', ruled.place, `${about(ruled)}${words} (policy ${ruled.policy})`, hint),
    ...related(ruled, `rule ${ruled.rule}`),
  }
}

/**
 * The expression gives no result, so nobody knows whether the change is permitted. `rulePlace` is the position of the expression.
 */
export const policyFailed = (ruled: Ruled, why: string, level: 'error' | 'warning'): Problem => {
  const make = level === 'error' ? error : warning
  return {
    ...make(
      'policy-failed',
      ruled.rulePlace,
      `${about(ruled)}rule ${ruled.rule} of policy ${ruled.policy} gives no answer: ${why}`,
      'ask first whether the field is there: has(after.FIELD), or after.?FIELD.orValue(…)',
    ),
    ...(ruled.rulePlace === ruled.place ? {} : { related: [{ message: 'the object', place: ruled.place }] }),
  }
}

export const waiverEnds = (place: Place, policy: string, address: string, until: string, days: number): Problem =>
  warning(
    'policy-waiver-ends',
    place,
    `the waiver of ${address} ends ${days === 0 ? 'today' : `on ${until}, in ${counted(days, 'day')}`} (policy ${policy})`,
    'bring the object in line with the policy, or agree on a later day',
  )

export const waiverOver = (place: Place, policy: string, address: string, until: string): Problem =>
  warning(
    'policy-waiver-over',
    place,
    `the waiver of ${address} ended on ${until} and waives nothing any more (policy ${policy})`,
    'remove it, or agree on a later day',
  )

export const otherPolicies = (): Problem =>
  error(
    'saved-plan-other-policies',
    undefined,
    'the saved plan was made under other policies than those that hold here',
    'plan again, and look at what the policies say of it now',
  )

export const policyTestFailed = (place: Place, test: string, policy: string, why: string): Problem =>
  error('policy-test-failed', place, `${test} of policy ${policy} does not hold: ${why}`, 'mend the rule, or the test')

export const ruleUntested = (place: Place, policy: string, rule: number): Problem =>
  warning(
    'policy-rule-untested',
    place,
    `no test breaks rule ${rule} of policy ${policy}`,
    'add a test of a change that it must find, with expect: error or warning',
  )
