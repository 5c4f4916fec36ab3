import { error, type Place, type Problem, warning } from './problem.js'
import { choice, counted, firstOf } from './suggest.js'

/** Problems of environments, values, defaults and patches (design §2.1). */

export const unknownEnvironment = (
  place: Place | undefined,
  name: string,
  known: readonly string[],
  suggestion?: string,
): Problem =>
  error(
    'unknown-environment',
    place,
    `there is no environment "${name}"`,
    choice(suggestion, known) ?? 'the project file has no environments: spec.environments declares them',
  )

/** A problem that only some environments have. */
export const inEnvironments = (problem: Problem, names: readonly string[]): Problem => {
  const message = `${problem.message} (in ${names.join(', ')})`
  const short = `${problem.message} (in ${firstOf(names)})`
  return { ...problem, message, ...(short !== message && { short }) }
}

export const afterItself = (place: Place, name: string): Problem =>
  error(
    'unknown-environment',
    place,
    `the environment "${name}" cannot come after itself`,
    'name the one that is to be applied before it, or leave "after" out',
  )

/** `waiting`: each environment, with the one that must be applied before it. */
export const environmentsInCircle = (
  waiting: readonly { readonly name: string; readonly after: string; readonly place: Place }[],
): Problem => ({
  ...error(
    'environments-in-circle',
    waiting[0]?.place,
    `no environment of these can be applied first: ${waiting.map(({ name, after }) => `${name} after ${after}`).join(', ')}`,
    'leave "after" out of the one that is to be applied first',
  ),
  related: waiting.slice(1).map(({ name, after, place }) => ({ message: `${name} comes after ${after} here`, place })),
})

export const inNoEnvironment = (place: Place, address: string): Problem =>
  warning(
    'in-no-environment',
    place,
    `${address} is in none of the environments`,
    'name an environment that should have it, or remove it',
  )

/** An existing project file is not overwritten. */
export const environmentsNotDeclared = (file: string, names: readonly string[]): Problem =>
  error(
    'unknown-environment',
    undefined,
    `${file} exists, and declares no environment ${names.join(', ')}`,
    'write them under spec.environments first (docs/how-to/environments.md shows how); init then writes what is missing for them',
  )

export const environmentNotChosen = (known: readonly string[]): Problem =>
  error(
    'environment-not-chosen',
    undefined,
    'the project has several environments, and none is chosen',
    `choose one with -e or GATEWRIGHT_ENV: ${firstOf(known)}`,
  )

export const unknownValue = (place: Place, name: string, suggestion: string | undefined, known: readonly string[]) =>
  error(
    'value-unknown',
    place,
    `there is no value "${name}"`,
    choice(suggestion, known) ?? 'declare it in spec.values of the project file',
  )

/** Settings are read before the environment, so they cannot use its values. */
export const valueInSettings = (place: Place, name: string): Problem =>
  error(
    'value-unknown',
    place,
    `the value "${name}" can be used in manifests, values, defaults and patches, not in settings of the project`,
    'write it out here, in each environment, or use ${env:NAME}',
  )

export const missingValue = (place: Place, name: string, environment: string | undefined): Problem =>
  error(
    'value-missing',
    place,
    environment === undefined
      ? `the value "${name}" has no default, and no environment is chosen`
      : `environment ${environment} gives no value "${name}", which has no default`,
    environment === undefined
      ? 'give it a default in spec.values, or choose an environment that gives it: -e ENV'
      : `write it in spec.environments.${environment}.values, or give it a default in spec.values`,
  )

export const circularValue = (place: Place, chain: readonly string[]): Problem =>
  error(
    'value-circular',
    place,
    `the value "${chain[0]}" uses itself: ${chain.join(' → ')}`,
    'replace one of them by its text',
  )

export const valuesTooDeep = (place: Place, limit: number): Problem =>
  error(
    'too-deep',
    place,
    `more than ${limit} values use each other, one inside the other`,
    'replace one of them by its text',
  )

export const valueInText = (place: Place, name: string, what: string): Problem =>
  error(
    'value-in-text',
    place,
    `the value "${name}" is ${what}, which cannot be part of a text`,
    `write \${value:${name}} as the whole field or list entry`,
  )

export const unusedValue = (place: Place, name: string): Problem =>
  warning(
    'value-unused',
    place,
    `nothing uses the value "${name}"`,
    'remove it, or correct the name where it should be used',
  )

export const undeclaredValue = (
  place: Place | undefined,
  name: string,
  suggestion: string | undefined,
  known: readonly string[],
): Problem =>
  error(
    'value-unknown',
    place,
    `the value "${name}" is given, and spec.values does not declare it`,
    choice(suggestion, known) ?? 'declare it in spec.values of the project file',
  )

/** The argument has no "=". */
export const valueWithoutText = (name: string): Problem =>
  error(
    'value-missing',
    undefined,
    `--value ${name} gives no text`,
    `write --value ${name}=TEXT; ${name}= means an empty text`,
  )

/** These defaults of a parent would never apply to any object in it. */
export const defaultsOutside = (place: Place, layer: string, kind: string, inside: readonly string[]): Problem =>
  error(
    'unknown-kind',
    place,
    `${layer} are for objects in it, and no ${kind} can be in it`,
    choice(undefined, inside) ?? 'remove them: nothing can be in it',
  )

export const layerHoldsChildren = (place: Place, field: string, kind: string): Problem =>
  error(
    'layer-creates',
    place,
    `${field} holds objects, and neither defaults nor patches create objects`,
    `write fields for the kind ${kind}; objects of one environment are documents with metadata.environments`,
  )

export const layerNamesObject = (place: Place, field: string): Problem =>
  error(
    'layer-names',
    place,
    `${field} is the name of the object, and neither defaults nor patches can name it`,
    'names are written in the manifest; ${value:NAME} may stand in them',
  )

export const patchWithoutTarget = (
  place: Place,
  owner: string,
  target: string,
  suggestion: string | undefined,
): Problem =>
  error(
    'patch-no-target',
    place,
    `no object of ${owner} matches ${target}`,
    choice(suggestion) ?? 'correct the target, or write expect: "0+" if there may be none',
  )

export const patchExpectation = (
  place: Place,
  target: string,
  matched: readonly string[],
  { atLeast, atMost }: { readonly atLeast: number; readonly atMost: number },
): Problem =>
  error(
    'patch-target-count',
    place,
    `${target} matches ${counted(matched.length, 'object')}, and the patch expects ${atMost === atLeast ? atLeast : `at least ${atLeast}`}`,
    `matched: ${firstOf(matched)}`,
  )

export const patchWithoutEffect = (place: Place, target: string): Problem =>
  warning('patch-no-effect', place, `the patch of ${target} changes nothing`, 'remove it, or correct what it writes')

/** The message does not show the field's value. The source lines at its position do, unless they contain a secret. */
export const patchFailed = (
  place: Place,
  path: string,
  fault: 'no such path' | 'test failed' | 'no such operation',
  written: Place | undefined,
): Problem => {
  const words = {
    'test failed': `${path} has another value than the patch expects`,
    'no such path': `the object has nothing at ${path}`,
    'no such operation': `the operation at ${path} is not an operation of RFC 6902, or lacks a member`,
  }
  return {
    ...error(
      'patch-failed',
      place,
      words[fault],
      'a patch sees the fields that manifests and defaults write, as they are written there',
    ),
    ...(written && { related: [{ message: 'the field is written here', place: written }] }),
  }
}

/** `changes`: the other members of the patch. */
export const patchOmits = (place: Place, changes: readonly string[]): Problem =>
  warning(
    'patch-no-effect',
    place,
    `${changes.join(' and ')} changes nothing: omit: true of the same patch leaves the objects out`,
    'keep one of the two',
  )

export const badPatch = (place: Place, words: string, hint: string): Problem => error('bad-patch', place, words, hint)

export const notAnEnvironment = (place: Place, written: string): Problem =>
  error(
    'unknown-kind',
    place,
    `a file of spec.environments has ${written}`,
    'its documents are of kind: Environment, each with metadata.name and spec',
  )

/** `!NAME` stands for other environments. */
export const excludingName = (place: Place, name: string): Problem =>
  error(
    'wrong-type',
    place,
    `the name of an environment cannot begin with "!", and "${name}" is written`,
    'choose another name: in metadata.environments, "!NAME" means all environments but NAME',
  )

/** Two documents declare the same environment. */
export const environmentTwice = (place: Place, name: string, first: Place): Problem => ({
  ...error('duplicate-key', place, `the environment "${name}" has two documents`, 'keep one of the two'),
  related: [{ message: 'the first one', place: first }],
})

export const environmentAmongManifests = (place: Place): Problem =>
  error(
    'environment-among-manifests',
    place,
    'a document of kind Environment is among the manifests',
    'name its file in spec.environments of the project file',
  )

/** A change for one environment must not change the others. */
export const writesForAll = (environments: readonly string[], into: 'environment' | 'manifest'): Problem =>
  error(
    'writes-for-all',
    undefined,
    `this would also change what ${environments.join(', ')} should have, so nothing was written`,
    into === 'manifest'
      ? 'write fewer objects at once (--select), or leave out --into manifest'
      : 'write fewer objects at once (--select), or use --into manifest if it should apply to all environments',
  )

export const notDeclared = (address: string, suggestion: string | undefined): Problem =>
  error(
    'not-declared',
    undefined,
    `no manifest declares ${address}`,
    choice(suggestion) ?? 'gatewright plan -o json lists the addresses of its changes',
  )

/** The object exists only in other environments. */
export const leftOutHere = (address: string): Problem =>
  error(
    'not-declared',
    undefined,
    `${address} is left out in this environment`,
    'metadata.environments, or a patch with omit: true, leaves it out: choose another environment with -e',
  )

export const isSamePlace = (one: Place, other: Place | undefined): boolean =>
  one.file === other?.file && one.line === other.line && one.column === other.column

/** The problem with the place of the value that its placeholder stands for. */
export const withValueAt = (problem: Problem, place: Place): Problem => ({
  ...problem,
  related: [...(problem.related ?? []), { message: 'the value is written here', place }],
})

/** `places`: the positions of the value in the two environments. */
export const claimedDifferently = (
  what: string,
  [first = '', second = '']: readonly string[],
  [one, other]: readonly Place[],
): Problem => ({
  ...error(
    'environments-disagree',
    other,
    `environments ${first} and ${second} are one area, and have different values of ${what}`,
    'write the same for both, or the object in one of them only: metadata.environments',
  ),
  ...(one &&
    !isSamePlace(one, other) && { related: [{ message: `the value of ${first} is written here`, place: one }] }),
})

export const listedDifferently = (
  place: Place,
  list: string,
  environment: string,
  other: string,
  extra: readonly string[],
): Problem =>
  warning(
    'environments-disagree',
    place,
    `environments ${environment} and ${other} are one area, and the list ${list} of ${environment} lacks what ${other} declares: ${firstOf(extra)}`,
    'a written list is complete: write the objects as separate documents, which do not affect the others',
  )
