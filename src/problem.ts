/**
 * Every message of the program that tells of a problem is made in this file: its code, its words, its place, and what to
 * do about it. A problem is a value; all problems of one input are collected and shown at once.
 */

import { closest, distance } from 'fastest-levenshtein'

export type Severity = 'error' | 'warning' | 'note'

/** A place in a manifest; line and column count from 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The lines around the place with a marker below it, ready to print; absent where there is no text to show. */
  readonly frame?: string
  /** Only `file` is shown: it is no file but the name of something that nobody wrote as lines, such as a run. */
  readonly lines?: 'none'
}

export interface Problem {
  /** Stable, kebab-case: what kind of problem this is. */
  readonly code: string
  readonly severity: Severity
  /** One sentence: what is wrong. */
  readonly message: string
  readonly place?: Place
  /** What to do about it. */
  readonly hint?: string
  /** Only the live area can tell whether it is one: a plan does, in words of its own. */
  readonly answeredBy?: 'plan'
  /** Other places that belong to it, such as the first of two declarations. */
  readonly related?: readonly { readonly message: string; readonly place: Place }[]
}

/** Thrown where no way on exists; carries what must be shown. Everything else that is thrown is a bug. */
export class ProblemError extends Error {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(problems.map((problem) => problem.message).join('\n'), options)
    this.name = 'ProblemError'
    this.problems = problems
  }
}

export const hasErrors = (problems: readonly Problem[]): boolean =>
  problems.some((problem) => problem.severity === 'error')

// ---- manifests ------------------------------------------------------------------------------------------------------

const mistake = (code: string, place: Place, message: string, hint?: string): Problem => ({
  code,
  severity: 'error',
  message,
  place,
  ...(hint === undefined ? {} : { hint }),
})

const doubt = (code: string, severity: Severity, place: Place, message: string, hint: string): Problem => ({
  code,
  severity,
  message,
  place,
  hint,
})

/** "did you mean …", or the list of what there is, or nothing where there is nothing to choose from. */
const choice = (suggestion: string | undefined, known: readonly string[]): string | undefined => {
  if (suggestion !== undefined) return `did you mean "${suggestion}"?`
  return known.length === 0 ? undefined : `known: ${known.join(', ')}`
}

export const brokenYaml = (place: Place, words: string): Problem =>
  mistake('yaml-syntax', place, `the YAML cannot be read: ${words}`, 'nothing of this document was checked further')

export const yamlWarning = (place: Place, words: string): Problem =>
  doubt('yaml-warning', 'warning', place, words, 'only tags of the YAML core schema have a meaning in manifests')

export const duplicateKey = (place: Place, key: string, first: Place): Problem => ({
  ...mistake('duplicate-key', place, `the key "${key}" is written twice in one mapping`, 'keep one of the two'),
  related: [{ message: 'first written here', place: first }],
})

/** Shows nothing of what is written: it may be a part of a secret without its quotes. */
export const keyWithoutValue = (place: Place): Problem =>
  mistake(
    'key-without-value',
    place,
    'a key of a mapping has no colon and no value',
    'write key: value; what has a comma or a brace in it stands in quotes',
  )

export const complexKey = (place: Place): Problem =>
  mistake(
    'complex-key',
    place,
    'a key of a mapping must be a plain word, not a list or a mapping',
    'write the key as a plain or quoted word',
  )

/** Shows nothing of what is written: it may be a secret without its quotes. */
export const brokenAlias = (place: Place, reason: 'unknown' | 'circular' | 'no-mapping'): Problem => {
  const words = {
    unknown: 'this alias has no anchor before it in its document',
    circular: 'this alias stands inside the very value that it repeats',
    'no-mapping': 'a merge key (<<) takes a mapping, or a list of mappings',
  }
  const ways = {
    unknown: 'write &NAME before the value that *NAME stands for, or put the value in quotes if it is no alias',
    circular: 'write the value out',
    'no-mapping': 'write <<: *NAME, where &NAME stands before a mapping',
  }
  return mistake('yaml-alias', place, words[reason], ways[reason])
}

export const tooLarge = (place: Place, limit: number): Problem =>
  mistake(
    'too-large',
    place,
    `with its aliases expanded this document has more than ${limit} values`,
    'split the document, or write fewer aliases of aliases',
  )

export const tooDeep = (place: Place, limit: number): Problem =>
  mistake(
    'too-deep',
    place,
    `more than ${limit} mappings and lists stand inside each other here`,
    'no field goes as deep: write it flatter',
  )

export const notOurApiVersion = (place: Place, written: string | undefined, ours: string): Problem =>
  mistake(
    'unknown-api-version',
    place,
    written === undefined ? 'the document has no apiVersion' : `the apiVersion is "${written}"`,
    `write apiVersion: ${ours}`,
  )

export const skippedDocument = (place: Place, reason: string): Problem =>
  doubt('skipped-document', 'note', place, `skipped: ${reason}`, 'name manifests in spec.manifests of gatewright.yaml')

export const unknownManifestKind = (
  place: Place,
  kind: string | undefined,
  suggestion: string | undefined,
  known: readonly string[],
): Problem =>
  mistake(
    'unknown-kind',
    place,
    kind === undefined ? 'the document has no kind' : `there is no kind "${kind}"`,
    choice(suggestion, known),
  )

export const unknownDocumentKey = (place: Place, key: string, suggestion: string | undefined): Problem =>
  mistake(
    'unknown-key',
    place,
    `a manifest has no key "${key}"`,
    choice(suggestion, ['apiVersion', 'kind', 'metadata', 'spec']),
  )

export const projectAmongManifests = (place: Place): Problem =>
  mistake(
    'project-among-manifests',
    place,
    'a document of kind Project stands among the manifests',
    'the project file is gatewright.yaml in the folder given by -C; leave this file out of spec.manifests',
  )

export const unknownMetadata = (
  place: Place,
  key: string,
  suggestion: string | undefined,
  known: readonly string[],
): Problem => mistake('unknown-metadata', place, `metadata has no key "${key}" here`, choice(suggestion, known))

export const missingName = (place: Place, kind: string, where: string): Problem =>
  mistake('missing-name', place, `this ${kind} has no ${where}`, `write ${where}: it says which object is meant`)

export const unidentifiedKey = (place: Place, kind: string, naming: string, reference: string): Problem =>
  mistake(
    'missing-name',
    place,
    `this ${kind} has neither ${naming} nor ${reference}`,
    `write both, or ${reference} alone where the parent has only one ${kind} of it`,
  )

export const nameDiffers = (place: Place, field: string, written: string, name: string): Problem =>
  mistake(
    'name-differs',
    place,
    `${field} is "${written}" here and "${name}" in what encloses it`,
    'leave it out here, or write the same value',
  )

export const wrongType = (place: Place, where: string, expected: string, found: string, hint?: string): Problem =>
  mistake('wrong-type', place, `${where} takes ${expected}, and ${found} is written`, hint ?? `write ${expected}`)

export const unknownValue = (
  place: Place,
  where: string,
  written: string,
  suggestion: string | undefined,
  known: readonly string[],
): Problem => mistake('unknown-value', place, `${where} does not take "${written}"`, choice(suggestion, known))

export const unknownField = (
  place: Place,
  owner: string,
  field: string,
  suggestion: string | undefined,
  known: readonly string[],
): Problem => mistake('unknown-field', place, `${owner} has no field "${field}"`, choice(suggestion, known))

export const extraField = (place: Place, owner: string, field: string): Problem =>
  doubt(
    'extra-field',
    'warning',
    place,
    `${owner} has no field "${field}" that document or notes know: it is passed through unchecked`,
    'metadata.extraFields allows it',
  )

export const ignoredField = (place: Place, kind: string, field: string, hint: string): Problem =>
  mistake('ignored-field', place, `${kind}.${field} is set by the platform and ignored in requests`, hint)

export const readOnlyField = (place: Place, kind: string, field: string, reason: string): Problem =>
  mistake('read-only-field', place, `${kind}.${field} cannot be written here: ${reason}`, 'remove it')

export const clearedRequired = (place: Place, kind: string, field: string): Problem =>
  mistake(
    'null-on-required',
    place,
    `${kind}.${field} is required and cannot be cleared`,
    'write a value, or leave the field out to leave it alone',
  )

export const emptyMandatoryList = (place: Place, kind: string, field: string): Problem =>
  mistake(
    'at-least-one',
    place,
    `a ${kind} must keep at least one entry in ${field}`,
    `write the entries that are wanted, or leave ${field} out to leave them alone`,
  )

/** `pins`: whether objects of the kind may be told apart by their ids. */
export const duplicateObject = (place: Place, what: string, first: Place, pins: 'possible' | 'none'): Problem => ({
  ...mistake(
    'duplicate-object',
    place,
    `${what} is declared twice: here and at ${first.file}:${first.line}:${first.column}`,
    pins === 'possible'
      ? 'keep one of the two, or pin each with metadata.id if two live objects share the name'
      : 'keep one of the two',
  ),
  related: [{ message: 'first declared here', place: first }],
})

export const duplicateReference = (place: Place, field: string, name: string): Problem =>
  mistake('duplicate-reference', place, `${field} names "${name}" twice`, 'keep one of the two')

export const limitAbovePlan = (
  place: Place,
  field: string,
  limits: { readonly own: number; readonly plan: number },
  planPlace: Place,
): Problem => ({
  ...mistake(
    'limit-above-plan',
    place,
    `${field} is ${limits.own}, above the ${limits.plan} of its plan`,
    'a key’s limits apply up to the maximum of its plan: lower this one or raise that of the plan',
  ),
  related: [{ message: 'the limit of the plan', place: planPlace }],
})

/** A number of a type that the platform takes, and that means nothing: a percentage above 100. */
export const outOfRange = (
  place: Place,
  field: string,
  value: number,
  [least, most]: readonly [number, number],
): Problem => ({
  code: 'out-of-range',
  severity: 'warning',
  message: `${field} is ${value}, and only ${least} to ${most} mean anything`,
  place,
  hint: 'correct it; the platform may take it all the same',
})

export const notInOrder = (place: Place, field: string, earlier: string): Problem => ({
  code: 'not-in-order',
  severity: 'warning',
  message: `${field} is before ${earlier}`,
  place,
  hint: 'correct one of the two; the platform may take them all the same',
})

/** A limit of a key's own, where its plan does not let keys have any. */
export const limitNotAllowed = (place: Place, field: string, override: string): Problem => ({
  code: 'limit-not-allowed',
  severity: 'warning',
  message: `${field} is a limit of the key's own, and ${override} of its plan is false`,
  place,
  hint: `leave it out, or let the plan allow it with ${override}: true`,
})

export const missingOnCreate = (place: Place, what: string, fields: readonly string[]): Problem => ({
  ...doubt(
    'missing-on-create',
    'warning',
    place,
    `${what} lacks ${fields.join(', ')}`,
    'required if the object has to be created; fine if it exists',
  ),
  answeredBy: 'plan',
})

export const undeclaredReference = (place: Place, address: string, suggestion: string | undefined): Problem => ({
  ...doubt(
    'undeclared-reference',
    'note',
    place,
    `no manifest declares ${address}: it must exist live`,
    suggestion === undefined ? 'plan looks for it' : `did you mean "${suggestion}"?`,
  ),
  answeredBy: 'plan',
})

export const uncoveredDomain = (place: Place, domain: string, declared: readonly string[]): Problem =>
  doubt(
    'uncovered-domain',
    'note',
    place,
    `"${domain}" fits no declared Domain`,
    `declared: ${firstOf(declared)}; the platform refuses addresses outside the area's active domains`,
  )

/** The first of many, and how many more there are. */
const firstOf = (names: readonly string[]): string =>
  names.length <= 10 ? names.join(', ') : `${names.slice(0, 10).join(', ')} and ${names.length - 10} more`

export const clearSecret = (place: Place, what: string, severity: 'warning' | 'error'): Problem =>
  doubt('clear-secret', severity, place, `${what} is a secret and stands here in clear`, 'write ${env:NAME} instead')

export const unsetVariable = (place: Place, name: string): Problem =>
  mistake(
    'unset-variable',
    place,
    `the environment variable ${name} is not set`,
    'set it, or write $${ for a literal ${',
  )

export const missingValueFile = (place: Place, path: string, reason: string): Problem =>
  mistake(
    'missing-value-file',
    place,
    `the file ${path} cannot be read: ${reason}`,
    'the path starts from this manifest',
  )

/** Shows nothing of what is written: a secret may have such signs in it. */
export const unknownPlaceholder = (place: Place, reason: 'unknown' | 'unclosed', known: readonly string[]): Problem =>
  mistake(
    'unknown-placeholder',
    place,
    reason === 'unknown' ? 'this is no placeholder that exists' : 'this placeholder has no } at its end',
    `known: ${known.join(', ')}; write $\${ for a literal \${`,
  )

export const badPointer = (place: Place, pointer: string, suggestion: string | undefined): Problem =>
  mistake(
    'bad-pointer',
    place,
    `"${pointer}" points to no field`,
    suggestion === undefined ? 'a JSON Pointer starts with /, such as /description' : `did you mean "${suggestion}"?`,
  )

export const badAddress = (place: Place, address: string, example: string): Problem =>
  mistake('bad-address', place, `"${address}" is no address of an object`, `write it like ${example}`)

export const declaredAndRemoved = (place: Place, address: string, removal: Place): Problem => ({
  ...mistake('declared-and-removed', place, `${address} is declared here, and removed by another document`, 'keep one'),
  related: [{ message: 'removed here', place: removal }],
})

export const ambiguousParent = (place: Place, address: string, ids: readonly string[]): Problem =>
  mistake(
    'ambiguous-name',
    place,
    `${address} is declared more than once, pinned to the ids ${ids.join(', ')}`,
    'say which one is meant: {name: …, id: …}',
  )

/** Each of them says that it once had a name that another of them has. */
export const namesInCircle = (place: Place, address: string, other: string, otherPlace: Place): Problem => ({
  ...mistake(
    'names-in-circle',
    place,
    address === other
      ? `${address} says that it was formerly called what it is called now`
      : `${address} and ${other} say that they had each other's names: whether they have exchanged them yet cannot be told`,
    address === other
      ? 'take the name out of metadata.formerly'
      : 'pin each with metadata.id (gatewright get shows the ids); if the names are right already, remove metadata.formerly',
  ),
  ...(address !== other && { related: [{ message: `${other} is declared here`, place: otherPlace }] }),
})

/** `T~17` is how addresses show a pinned object; a name is written without its pin. */
export const nameIsAddress = (place: Place, written: string, name: string, id: string): Problem =>
  mistake(
    'name-is-address',
    place,
    `"${written}" is the end of an address, not a name: ${name} is pinned to the id ${id}`,
    `write the name alone, or {name: ${JSON.stringify(name)}, id: ${JSON.stringify(id)}}`,
  )

export const missingManifest = (path: string, reason: string): Problem => ({
  code: 'missing-file',
  severity: 'error',
  message: `${path}: ${reason}`,
  hint: 'a path that gives no manifests is an error, so that nothing is deleted by mistake',
})

export const emptyManifests = (where: string): Problem => ({
  code: 'empty-manifests',
  severity: 'error',
  message: `${where} has no manifests`,
  hint: 'an empty set is never understood as "delete everything": write a manifest, or run gatewright init',
})

// ---- project and command line ---------------------------------------------------------------------------------------

export const missingProject = (path: string, reason: string): Problem => ({
  code: 'missing-project',
  severity: 'error',
  message: `${path}: ${reason}`,
  hint: 'gatewright init writes a project file',
})

/** There is something of that name, and it cannot be read. */
export const unreadableProject = (path: string, reason: string): Problem => ({
  code: 'missing-project',
  severity: 'error',
  message: `${path}: ${reason}`,
  hint: 'a project file is an ordinary file in UTF-8',
})

export const notAProject = (place: Place, written: string): Problem =>
  mistake('unknown-kind', place, `the project file has ${written}`, 'it is one document with kind: Project')

export const missingProjectField = (place: Place, field: string): Problem =>
  mistake('missing-field', place, `the project file lacks ${field}`, `write ${field}`)

export const invalidProjectValue = (place: Place, where: string, words: string): Problem =>
  mistake('invalid-value', place, `${where} ${words}`)

/** The command line as a whole cannot be understood; `message` and `hint` are the parser's own words. */
export const badUsage = (message: string, hint: string | undefined): Problem => ({
  code: 'usage',
  severity: 'error',
  message,
  hint: hint ?? 'gatewright --help lists the commands and their options',
})

export const invalidOption = (option: string, value: string, expected: string): Problem => ({
  code: 'invalid-option',
  severity: 'error',
  message: `${option} has the value "${value}"`,
  hint: `it takes ${expected}`,
})

export const notAvailable = (what: string, hint: string): Problem => ({
  code: 'not-available',
  severity: 'error',
  message: `${what} is not available in this version`,
  hint,
})

export const unknownKind = (name: string, hint: string): Problem => ({
  code: 'unknown-kind',
  severity: 'error',
  message: `there is no kind "${name}"`,
  hint,
})

export const unknownKindField = (kind: string, field: string, hint: string): Problem => ({
  code: 'unknown-field',
  severity: 'error',
  message: `${kind} has no field "${field}"`,
  hint,
})

/** `missing` are the settings that are needed, each with how to give it. */
export const missingSettings = (missing: readonly { readonly what: string; readonly how: string }[]): Problem => ({
  code: 'missing-settings',
  severity: 'error',
  message: `the platform cannot be reached without ${missing.map((each) => each.what).join(', ')}`,
  hint: missing.map((each) => `${each.what}: ${each.how}`).join('\n'),
})

/** A ready token does not say which area it is for. */
export const areaNotNamed = (): Problem => ({
  code: 'area-not-named',
  severity: 'error',
  message: 'nothing is changed with a ready token alone: locks and records are kept for an area',
  hint: 'name the area that the token is for: GATEWRIGHT_AREA, --area, or spec.platform.area in the project file',
})

export const platformNotStarted = (reason: string, hint: string): Problem => ({
  code: 'platform-not-started',
  severity: 'error',
  message: `the embedded platform cannot start: ${reason}`,
  hint,
})

/** A bug of ours: whatever was thrown is no ProblemError. */
export const internalError = (reason: string): Problem => ({
  code: 'internal-error',
  severity: 'error',
  message: `internal error: ${reason}`,
  hint: 'this is a bug in gatewright; please report it with what --debug prints',
})

// ---- writing manifests ----------------------------------------------------------------------------------------------

const unwritten = (code: string, message: string, hint: string, place?: Place): Problem => ({
  code,
  severity: 'warning',
  message,
  hint,
  ...(place && { place }),
})

export const notWritableValue = (address: string, field: string): Problem =>
  unwritten(
    'value-not-writable',
    `${address}: the live value of ${field} is none that a manifest may have; the field is left out`,
    'give it a value of the catalogue on the platform (gatewright explain KIND.FIELD), and export again',
  )

export const unnamedObject = (address: string, id: string): Problem =>
  unwritten(
    'object-without-name',
    `${address} (id ${id}) has no name; manifests know objects by their names, so it is left out`,
    'give it a name on the platform, and export again',
  )

export const danglingReference = (address: string, field: string, ids: readonly string[]): Problem =>
  unwritten(
    'dangling-reference',
    `${address}: ${field} refers to what the area does not show (${ids.join(', ')}); the field is left out`,
    'look at the object on the platform; the reference may be to something that was deleted',
  )

export const templatesLeftOut = (kind: string, count: number): Problem => ({
  code: 'kind-left-out',
  severity: 'note',
  message: `${count} live object${count === 1 ? '' : 's'} of kind ${kind} left out: the interface has no way to write them`,
})

export const secretDiffers = (place: Place, field: string): Problem =>
  unwritten(
    'secret-differs',
    `${field}: the live value is another than that of the placeholder, which is kept`,
    'set the variable to the live value, or apply the manifest',
    place,
  )

export const placeholderReplaced = (place: Place, field: string, written: string): Problem =>
  unwritten(
    'placeholder-replaced',
    `${field}: ${written} has another value than the live one, and was replaced by it`,
    'put the placeholder back if the live value is that of one environment only',
    place,
  )

export const vanishedObject = (address: string, place: Place, way: string): Problem =>
  unwritten('vanished', `${address} does not exist on the platform (any more); its manifest is kept`, way, place)

export const prunedManifest = (address: string, place: Place): Problem => ({
  code: 'pruned',
  severity: 'note',
  message: `${address} does not exist on the platform (any more); its manifest was removed`,
  place,
})

export const notCodified = (address: string, what: string, reason: string, place: Place | undefined): Problem =>
  unwritten('not-written', `${address}: ${what} was not brought into the manifest: ${reason}`, 'edit it by hand', place)

export const codifiedFile = (path: string, action: string): Problem => ({
  code: 'manifest-written',
  severity: 'note',
  message: `${action} ${path}`,
})

export const exportOutsideManifests = (dir: string, file: string, manifests: readonly string[]): Problem =>
  unwritten(
    'export-outside-manifests',
    `${dir} is not among the manifests of ${file} (${manifests.join(', ')}): plan and apply will not see it`,
    `add ${dir} to spec.manifests, or use -f ${dir}`,
  )

export const exportIntoLink = (folder: string): Problem => ({
  code: 'export-into-link',
  severity: 'error',
  message: `${folder} is a link to a folder: manifests are not looked for behind such links`,
  hint: 'make it a folder, or export to the folder that it leads to',
})

export const exportDirIsFile = (dir: string): Problem => ({
  code: 'invalid-option',
  severity: 'error',
  message: `--dir has the value "${dir}", which is a file`,
  hint: 'it takes a folder; one that is not there is made',
})

export const pruneOfEverything = (declared: number): Problem => ({
  code: 'prune-of-everything',
  severity: 'error',
  message: `--prune would remove all manifests: none of the ${declared} objects that they declare is on the platform`,
  hint: 'is it the right area? If it is, remove the manifests by hand',
})

export const exportWithoutProject = (dir: string): Problem => ({
  code: 'no-project-file',
  severity: 'note',
  message: `there is no project file: plan with -f ${dir}`,
  hint: `gatewright init writes one; its spec.manifests should be [${dir}]`,
})

// ---- the platform's answers -----------------------------------------------------------------------------------------

/** `holds` is what a base URL must not have, `right` what is left without it; neither shows a login. */
export const badUrl = (
  written: string,
  { holds, right }: { readonly holds: readonly string[]; readonly right: string | undefined },
  place?: Place,
): Problem => ({
  code: 'bad-url',
  severity: 'error',
  message:
    right === undefined
      ? `"${written.replace(/.*@/s, '***@')}" is no URL of a platform`
      : `the URL of the platform holds ${holds.join(' and ')}`,
  ...(place && { place }),
  hint:
    right === undefined
      ? 'GATEWRIGHT_URL, --url or platform.url gives the base URL: https://host[:port], without /v3'
      : `write ${right} (GATEWRIGHT_URL, --url or platform.url)`,
})

export const hostUnreachable = (host: string, reason: string): Problem => ({
  code: 'unreachable',
  severity: 'error',
  message: `cannot reach ${host}: ${reason}`,
  hint: 'check GATEWRIGHT_URL (or --url, or platform.url), the network and its proxies',
})

export const noAnswer = (request: string, reason: string): Problem => ({
  code: 'no-answer',
  severity: 'error',
  message: `no answer to ${request}: ${reason}`,
  hint: 'whether the platform received the request is not known; run the command again',
})

/** `reason` says what is wrong with it: "the answer is longer than …". */
export const unusableAnswer = (request: string, reason: string): Problem => ({
  code: 'unusable-answer',
  severity: 'error',
  message: `the answer to ${request} cannot be used: ${reason}`,
  hint: 'check that nothing between this program and the platform answers in its place',
})

export const requestInterrupted = (request: string): Problem => ({
  code: 'interrupted',
  severity: 'error',
  message: `interrupted before ${request} was answered`,
})

export const credentialsRefused = (host: string, words: string, variables: string): Problem => ({
  code: 'credentials-refused',
  severity: 'error',
  message: `${host} refused the credentials: ${words}`,
  hint: `check ${variables}`,
})

export const requestRefused = (request: string, status: number, words: string): Problem => ({
  code: 'request-refused',
  severity: 'error',
  message: `${request} was answered ${status}: ${words}`,
})

export const requestRedirected = (request: string, status: number, location: string): Problem => ({
  code: 'request-redirected',
  severity: 'error',
  message: `${request} was answered ${status}: the platform sends on to ${location}`,
  hint: 'set the URL (GATEWRIGHT_URL, --url or platform.url) to where the interface really is: credentials are not sent elsewhere',
})

export const unusableId = (parameter: string, id: string): Problem => ({
  code: 'unusable-id',
  severity: 'error',
  message: `the ${parameter} ${JSON.stringify(id)} cannot stand in a path: the request would go to another address`,
  hint: 'nothing was sent; the object can only be changed outside this program',
})

export const answerNotJson = (request: string, contentType: string, start: string): Problem => ({
  code: 'answer-not-json',
  severity: 'error',
  message: `${request} was answered with ${contentType} instead of JSON: ${start}`,
  hint: 'check that the URL is the base URL of a Service Management API v3, and that no proxy answers in its place',
})

/** `lack` is the member that the answered object should have. */
export const answerNotList = (request: string, start: string, lack?: string): Problem => ({
  code: 'answer-not-list',
  severity: 'error',
  message:
    lack === undefined
      ? `${request} was answered with ${start} instead of a list of objects`
      : `${request} was answered with a list in which "${lack}" is missing or of another type: ${start}`,
  hint: 'what there is cannot be known from that: check that nothing stands between this program and the platform',
})

export const quotaUsedUp = (words: string): Problem => ({
  code: 'quota-used-up',
  severity: 'error',
  message: `the quota of calls is used up: ${words}`,
  hint: 'wait until it is renewed (X-Plan-Quota-Reset, where the platform sends it), or use a key with a larger allowance',
})

export const quotaTooSmall = (needed: number, left: number): Problem => ({
  code: 'quota-too-small',
  severity: 'warning',
  message: `an apply would send about ${needed} requests, and ${left} calls of the day are left to this key`,
  hint: 'it would stop in order when they are used up, and another apply would go on from there; --select does a part of it',
})

export const stillThrottled = (request: string, times: number): Problem => ({
  code: 'throttled',
  severity: 'error',
  message: `${request} was turned away ${times} times because of too many calls a second`,
  hint: 'others may be using the same key: lower requestsPerSecond in the project file, or try again later',
})

export const notThisInterface = (url: string): Problem => ({
  code: 'not-this-interface',
  severity: 'error',
  message: `${url} offers none of the collections that were asked for`,
  hint: 'check that GATEWRIGHT_URL (or --url, or platform.url) is the base URL, without /v3/rest',
})

/** What cannot be listed may be there all the same. */
export const noSuchList = (kind: string): Problem => ({
  code: 'collection-incomplete',
  severity: 'error',
  message: `the platform does not list the objects of kind ${kind} there: which exist cannot be told`,
  hint: 'what they belong to may have been deleted meanwhile; run the command again',
})

export const collectionIncomplete = (collection: string, answered: number, total: number): Problem => ({
  code: 'collection-incomplete',
  severity: 'error',
  message: `the platform counts ${total} objects in ${collection}, but its pages held ${answered}`,
  hint: 'an incomplete reading could create objects twice, so nothing was done; run the command again',
})

export const collectionEndless = (collection: string, pages: number): Problem => ({
  code: 'collection-endless',
  severity: 'error',
  message: `${collection} did not end after ${pages} pages, each with something new`,
  hint: 'check that nothing between this program and the platform answers in its place',
})

/** The list of a collection had an object, and what belongs to it is not there any more. */
export const goneWhileRead = (kind: string, id: string, field: string): Problem => ({
  code: 'collection-incomplete',
  severity: 'error',
  message: `the ${field} of the ${kind} with id ${id} are not there, though the platform has those of others: it may have been deleted meanwhile`,
  hint: 'nothing was done; run the command again',
})

// ---- records --------------------------------------------------------------------------------------------------------

/** `written` is undefined where it may hold a login. */
export const badRecordsPlace = (written: string | undefined): Problem => ({
  code: 'bad-records',
  severity: 'error',
  message: `records ${written === undefined ? 'holds an address that cannot be read' : `cannot be kept in "${written}"`}`,
  hint: 'write records: file:FOLDER or records: postgres://user@host:5432/database in the project file',
})

/** `reason` is the system's own code, such as EACCES. */
export const recordsNotWritten = (where: string, reason: string, words: string): Problem => ({
  code: 'records-not-written',
  severity: 'error',
  message: `the records in ${where} cannot be written: ${words}`,
  hint: writingHints[reason] ?? 'nothing is sent to the platform that cannot be written down first',
})

const writingHints: Readonly<Record<string, string>> = {
  ENOSPC: 'free some space; what was written before is whole',
  EDQUOT: 'free some space; what was written before is whole',
  EACCES: 'make the folder writable, or name another one in spec.records of the project file',
  EPERM: 'make the folder writable, or name another one in spec.records of the project file',
  EROFS: 'name another folder in spec.records of the project file',
  ENOTDIR: 'name another folder in spec.records of the project file',
  EEXIST: 'name another folder in spec.records of the project file',
}

export const recordsNotRead = (where: string, words: string): Problem => ({
  code: 'records-not-read',
  severity: 'error',
  message: `the records in ${where} cannot be read: ${words}`,
  hint: 'a run that cannot see what was applied before does not begin',
})

export const recordsDamaged = (file: string, line: number): Problem => ({
  code: 'records-damaged',
  severity: 'error',
  message: `${file} is damaged at line ${line}`,
  hint: 'restore the file, or move it away: that loses history and prune, never an object',
})

/** `where` is a database without its login; `row` says which row of which table. */
export const recordsRowDamaged = (where: string, row: string): Problem => ({
  code: 'records-damaged',
  severity: 'error',
  message: `the records in ${where} are damaged: ${row}`,
  hint: 'repair the row, or delete it: that loses history and prune, never an object',
})

export const recordsTooNew = (where: string, version: number, known: number): Problem => ({
  code: 'records-too-new',
  severity: 'error',
  message: `the records in ${where} have version ${version}, and this program knows versions up to ${known}`,
  hint: 'use the newer gatewright that wrote them',
})

export const databasePackageMissing = (): Problem => ({
  code: 'database-package-missing',
  severity: 'error',
  message: 'records in PostgreSQL need the package pg, which is not installed',
  hint: 'install it beside gatewright: npm install pg@8',
})

/** `where` is without login; `words` are the driver's, without the password. */
export const databaseFailed = (where: string, words: string): Problem => ({
  code: 'database-failed',
  severity: 'error',
  message: `the records in ${where} cannot be used: ${words}`,
  hint: 'check spec.records of the project file, the database and its login (PGPASSWORD, or in the URL)',
})

/** `since` is an ISO date. */
export const lockHeld = (holder: {
  readonly who: string
  readonly host: string
  readonly pid: number
  readonly since: string
  readonly run: string | undefined
}): Problem => ({
  code: 'lock-held',
  severity: 'error',
  message: `${holder.who} is applying to this area since ${holder.since} (${[
    ...(holder.run === undefined ? [] : [`run ${holder.run}`]),
    `process ${holder.pid} on ${holder.host}`,
  ].join(', ')})`,
  hint: 'wait until that run has ended; if its process is gone the lock frees itself, from another machine within a minute',
})

export const lockLost = (area: string): Problem => ({
  code: 'lock-lost',
  severity: 'error',
  message: `the lock of area ${area} was lost while the run was under way`,
  hint: 'another run may have begun: nothing further is sent; look at gatewright history and apply again',
})

export const runUnknown = (run: string, known: readonly string[]): Problem => ({
  code: 'unknown-run',
  severity: 'error',
  message: run === 'latest' ? 'no run is recorded' : `no run begins with "${run}"`,
  hint:
    known.length === 0 ? 'nothing was applied yet, or not with these records' : `the last runs: ${known.join(', ')}`,
})

export const runAmbiguous = (run: string, found: readonly string[]): Problem => ({
  code: 'ambiguous-run',
  severity: 'error',
  message: `${found.length} runs begin with "${run}": ${found.slice(0, 5).join(', ')}${found.length > 5 ? ', …' : ''}`,
  hint: 'give more of its name',
})

export const snapshotUnreadable = (file: string, reason: string, hint: string): Problem => ({
  code: 'snapshot-unreadable',
  severity: 'error',
  message: `the snapshot ${file} cannot be read: ${reason}`,
  hint,
})

export const snapshotUnknownCollection = (file: string, name: string, known: readonly string[]): Problem => ({
  code: 'snapshot-unknown-collection',
  severity: 'error',
  message: `the snapshot ${file} has a list "${name}" that is no collection of the interface`,
  hint: choice(nearest(name, known), known) ?? 'take it out',
})

/** A snapshot file leaves secrets out: what manifests write there was not compared. */
export const snapshotSecretsUnknown = (file: string, count: number): Problem => ({
  code: 'snapshot-secrets-unknown',
  severity: 'warning',
  message: `${count} secret field${count === 1 ? '' : 's'} could not be compared: the snapshot ${file} has none`,
  hint: 'a plan against the live area compares them',
})

/** Nothing live has the name or address that was asked for; `names` are those that there are. */
/** `none` says why there are no names at all. */
export const liveNotFound = (kind: string, name: string, names: readonly string[], none: string): Problem => ({
  code: 'not-found',
  severity: 'error',
  message: `no live ${kind} is named "${name}"`,
  hint: didYouMean(name, names) ?? (names.length === 0 ? none : `gatewright get ${kind} lists them`),
})

/** Objects are shown, and what would have cost a call for each of them is not. */
export const linksNotRead = (kind: string, field: string, links: string): Problem => ({
  code: 'not-read',
  severity: 'note',
  message: `${field} are not shown: this platform answers them by one call for each ${kind}`,
  hint: `gatewright get ${links} reads those of all, get ${kind} NAME those of one`,
})

export const diffSideUnknown = (word: string): Problem => ({
  code: 'diff-side-unknown',
  severity: 'error',
  message: `there is no file or folder "${word}" to compare`,
  hint: 'a side is a snapshot file, a folder of manifests, live, or URL[#AREA]',
})

export const notWritable = (file: string, reason: string): Problem => ({
  code: 'not-writable',
  severity: 'error',
  message: `${file} cannot be written: ${reason}`,
  hint: 'name a file in a folder that may be written',
})

/** What a command had to say did not arrive as a whole. */
export const outputLost = (reason: string): Problem => ({
  code: 'output-lost',
  severity: 'error',
  message: `the output cannot be written: ${reason}`,
  hint: 'do not use what was written; gatewright show latest tells what an apply or a rollback has done',
})

// ---- planning -------------------------------------------------------------------------------------------------------

/** Two or more live objects bear the name that a manifest means. */
/** The records know the id of an object that is not listed under the name that was sent for it. */
export const storedOtherwise = (
  address: string,
  { id, name, declared }: { readonly id: string; readonly name: string; readonly declared?: string },
  severity: 'error' | 'warning',
  place: Place,
): Problem => ({
  code: 'stored-otherwise',
  severity,
  message: `${address} exists as id ${id} under the name ${JSON.stringify(name)}: to create it would make a second one`,
  place,
  hint:
    declared === undefined
      ? `write that name, or pin the object with metadata.id: ${JSON.stringify(id)} to give it the name of the manifest`
      : `${declared} declares that object: remove this manifest, or, if it is to be another object, say in ${declared} which name it had (metadata.formerly)`,
})

export const notListed = (address: string, id: string, place: Place): Problem => ({
  code: 'not-listed',
  severity: 'error',
  message: `${address} exists as id ${id}, and the platform does not list it: to create it would make a second one`,
  place,
  hint: 'run the command again later; if it stays, ask the platform’s support why that object is not listed',
})

/** A run that was cut off had announced the creation of an object that is not listed. */
export const perhapsBeingCreated = (address: string, seconds: number, place: Place): Problem => ({
  code: 'perhaps-being-created',
  severity: 'warning',
  message: `a run that was cut off may still be creating ${address}: apply waits ${seconds} s for it before it creates it`,
  place,
})

export const ambiguousName = (kind: string, name: string, ids: readonly string[], place: Place): Problem => ({
  code: 'ambiguous-name',
  severity: 'error',
  message: `${ids.length} live objects of kind ${kind} are named "${name}": ids ${ids.join(', ')}`,
  place,
  hint: `pin the one that is meant with metadata.id (in a reference: {name, id}), or rename the others`,
})

/** Two or more live keys fit a key of the manifests. */
export const ambiguousKey = (address: string, ids: readonly string[], place: Place): Problem => ({
  code: 'ambiguous-name',
  severity: 'error',
  message: `${ids.length} live objects fit ${address}: ids ${ids.join(', ')}`,
  place,
  hint: 'write the apikey of the one that is meant, or pin it with metadata.id',
})

export const ambiguousReference = (
  kind: string,
  name: string,
  from: string,
  ids: readonly string[],
  place: Place,
): Problem => ({
  code: 'ambiguous-reference',
  severity: 'error',
  message: `${from} refers to ${kind} "${name}", a name that several objects bear${ids.length > 0 ? `: ids ${ids.join(', ')}` : ''}`,
  place,
  hint: 'write the reference as {name, id}',
})

export const pinnedNotFound = (kind: string, name: string, id: string, place: Place): Problem => ({
  code: 'pinned-not-found',
  severity: 'error',
  message: `no live ${kind} has the id ${id} that "${name}" is pinned to`,
  place,
  hint: 'correct metadata.id, or remove it to look the object up by its name',
})

export const parentNotFound = (
  address: string,
  kind: string,
  name: string,
  names: readonly string[],
  place: Place,
): Problem => ({
  code: 'parent-not-found',
  severity: 'error',
  message: `${address} belongs to ${kind} "${name}", which no manifest declares and the live area does not hold`,
  place,
  hint: didYouMean(name, names) ?? `declare the ${kind}, or correct the name`,
})

/** What a reference names; `id` pins one of several objects, `parent` is the address of what it must be in. */
interface Referred {
  readonly kind: string
  readonly name: string
  readonly id?: string | undefined
  readonly parent?: string | undefined
}

/** `names` are those that there are. */
export const referenceToNothing = (
  { kind, name, id, parent }: Referred,
  from: string,
  names: readonly string[],
  place: Place,
): Problem => {
  const pin = `${id === undefined ? '' : ` with the id ${id}`}${parent === undefined ? '' : ` of ${parent}`}`
  return {
    code: 'reference-to-nothing',
    severity: 'error',
    message: `${from} refers to ${kind} "${name}"${pin}, which no manifest declares and the live area does not hold`,
    place,
    hint: names.includes(name)
      ? `the ${kind} of that name has another id: leave the id out, or correct it`
      : (didYouMean(name, names) ?? `declare the ${kind}, or correct the name`),
  }
}

export const referenceToRemoved = (address: string, from: string, place: Place): Problem => ({
  code: 'reference-to-removed',
  severity: 'error',
  message: `${from} refers to ${address}, which this plan would delete`,
  place,
  hint: 'remove the reference, or keep the object',
})

export const twoForOneObject = (first: string, firstPlace: Place, second: string, place: Place): Problem => ({
  code: 'two-for-one-object',
  severity: 'error',
  message: `${second} and ${first} stand for the same live object`,
  place,
  hint: 'remove one of the two, or correct metadata.id or metadata.formerly',
  related: [{ message: `${first} is declared here`, place: firstPlace }],
})

export const removalFindsNothing = (address: string, place: Place): Problem => ({
  code: 'nothing-to-remove',
  severity: 'note',
  message: `${address} is already gone`,
  place,
  hint: 'the Removed document has done its work and can be deleted',
})

export const removalAmbiguous = (address: string, ids: readonly string[], place: Place): Problem => ({
  code: 'ambiguous-name',
  severity: 'error',
  message: `${ids.length} live objects have the address ${address}: ids ${ids.join(', ')}`,
  place,
  hint: `end the address in ~<id> of the one that is meant`,
})

export const declaredInsideRemoved = (address: string, place: Place): Problem => ({
  code: 'declared-and-removed',
  severity: 'error',
  message: `${address} is to be removed, and a manifest declares it or something inside it`,
  place,
  hint: 'keep one of the two',
})

/** An object that was applied and is no longer declared is not deleted where that would take along what no record knows. */
export const holdsUnrecorded = (address: string, inner: string): Problem => ({
  code: 'holds-unrecorded',
  severity: 'warning',
  message: `${address} is no longer declared and stays: it holds ${inner}, which no recorded run has made or taken over`,
  hint: 'a document of kind Removed with its address deletes it with what it holds',
})

/** What was applied stays under a name that another object says it once had: which of the two is meant is not for a plan. */
export const formerNameIsLive = (address: string, renamed: string, place: Place): Problem => ({
  code: 'former-name-is-live',
  severity: 'warning',
  message: `${address} stays: ${renamed} says that it once had this name, and is another live object`,
  place,
  hint: 'take the name out of metadata.formerly if the old object is to go; delete the new one if it was a rename',
})

/** What was applied and is no longer declared stays, because its parent cannot be without. */
export const lastOneStays = (address: string, parent: string, kind: string): Problem => ({
  code: 'last-one-stays',
  severity: 'note',
  message: `${address} is no longer declared and stays as it is: a ${parent} keeps at least one ${kind}`,
  hint: 'nothing to do, unless it should be another one: then declare that',
})

export const requiredFieldsMissing = (address: string, fields: readonly string[], place: Place): Problem => ({
  code: 'required-field-missing',
  severity: 'error',
  message: `${address} must be created and lacks ${fields.join(', ')}`,
  place,
  hint: 'the interface requires these fields on create: write them',
})

// ---- refusals: what apply does not do unless it is told to ----------------------------------------------------------

const refusal = (code: string, message: string, hint: string, place?: Place): Problem => ({
  code,
  severity: 'error',
  message,
  hint,
  ...(place && { place }),
})

export const tooManyDeletes = (count: number, limit: number): Problem =>
  refusal(
    'limit-deletes',
    `the plan deletes or replaces ${count} objects, and limits.deletes is ${limit}`,
    'look at the deletes; if they are meant, raise limits.deletes in the project file',
  )

export const tooMuchChanged = (percent: number, limit: number): Problem =>
  refusal(
    'limit-changed-percent',
    `the plan updates, replaces or deletes ${percent} % of the live objects it looks at, and limits.changedPercent is ${limit}`,
    'look at the changes; if they are meant, raise limits.changedPercent in the project file',
  )

export const protectedObject = (address: string, action: string, place: Place | undefined): Problem =>
  refusal(
    'protected',
    `${address} is protected, and the plan would ${action} it`,
    action === 'delete'
      ? 'declare it without metadata.protect and apply that first, if it may go'
      : 'remove metadata.protect if the object may go',
    place,
  )

export const replaceNotAllowed = (address: string, reason: string | undefined): Problem =>
  refusal(
    'replace-not-allowed',
    `${address} would be deleted and created anew${reason ? `: ${reason}` : ''}`,
    'allow it with --allow-replace',
  )

export const blockedChange = (address: string, wants: string, reason: string | undefined): Problem =>
  refusal(
    'blocked',
    `${address} cannot be ${wants}d${reason ? `: ${reason}` : ''}`,
    'apply the rest with --skip-blocked, or take the change out of the manifests',
  )

export const hazardNotAllowed = (hazard: string, addresses: readonly string[]): Problem =>
  refusal(
    'hazard',
    `${hazard}: ${addresses.slice(0, 5).join(', ')}${addresses.length > 5 ? ` and ${addresses.length - 5} more` : ''}`,
    `if that is meant, allow it with --allow ${hazard}`,
  )

export const nameLooksAlike = (created: string, id: string, place: Place): Problem =>
  doubt(
    'name-looks-alike',
    'warning',
    place,
    `${created} would be created beside the object ${id}, whose name differs from it in its Unicode form alone`,
    'write the name as it is there (gatewright get shows it), unless two objects with names that look the same are meant',
  )

export const suspectedRename = (created: string, sibling: string, former: string, place: Place): Problem =>
  refusal(
    'suspected-rename',
    `${created} would be created beside ${sibling}, which has the same fields: this looks like a rename, and a new id loses keys`,
    `if it is a rename, write metadata.formerly: [${JSON.stringify(former)}]; if not, allow it with --allow ID_CHANGE`,
    place,
  )

export const undecidedConflict = (address: string, paths: readonly string[], place: Place): Problem =>
  refusal(
    'conflict',
    `${address} was changed in the manifests and on the platform since it was last applied: ${paths.join(', ')}`,
    'decide with --take manifest or --take live, or bring the live value into the manifest',
    place,
  )

/** A field that is no longer written is not unset, since somebody changed it meanwhile. */
export const temporaryPath = (address: string, path: string, place: Place): Problem => ({
  code: 'temporary-path',
  severity: 'warning',
  message: `${address} stands at ${path} for now: a run that did not come to its end has left it there`,
  place,
  hint: 'apply brings it to the path that its manifest says',
})

export const handedBack = (address: string, path: string, place: Place): Problem => ({
  code: 'handed-back',
  severity: 'warning',
  message: `${address} no longer writes ${path}, which somebody has changed since it was applied: it is left as it is`,
  place,
  hint: 'nothing to do, unless the value is not what it should be: then write it',
})

/** Nothing tells whether the secret is still the one that was applied: it is left as it is. */
export const secretsUnverifiable = (address: string, paths: readonly string[], place: Place): Problem => ({
  code: 'cannot-verify',
  severity: 'note',
  message: `${address}: the platform does not give back ${paths.join(', ')}, and no fingerprint of it was kept`,
  place,
  hint: 'set GATEWRIGHT_FINGERPRINT_KEY, so that a changed secret is noticed without being stored',
})

/** The platform has no way to read links: what they are now cannot be known, so they are not written either. */
export const linksNotTold = (address: string, paths: readonly string[], place: Place): Problem => ({
  code: 'cannot-verify',
  severity: 'warning',
  message: `${address}: this platform does not tell ${paths.join(', ')}: left as it is, so that nothing that others assigned is taken away`,
  place,
  hint: 'set it on the platform, and leave it out of the manifest',
})

/** A part of a run that a rollback cannot bring back. */
export const cannotUndo = (address: string, why: string): Problem => ({
  code: 'cannot-undo',
  severity: 'warning',
  message: `${address} cannot be undone in full: ${why}`,
  hint: 'apply the manifests of that time, with their secrets, for what a rollback leaves',
})

/** A rollback does not undo what somebody has changed since. */
export const leftAsItIs = (address: string, why: string): Problem => ({
  code: 'left-as-it-is',
  severity: 'warning',
  message: `${address} is left as it is: ${why}`,
  hint: 'put it right by hand, or with an apply',
})

export const nothingToResume = (run: string | undefined): Problem => ({
  code: 'nothing-to-resume',
  severity: 'error',
  message: run === undefined ? 'no run is recorded that could be resumed' : `the last run, ${run}, is a rollback`,
  hint: run === undefined ? 'apply without --resume' : 'roll back again: it goes on with what is left',
})

/** `others`: addresses that a plan would change now, and that the run had not planned. */
export const resumesOtherManifests = (run: string, others: readonly string[]): Problem => ({
  code: 'other-manifests',
  severity: 'error',
  message: `the manifests are not those that the run ${run} was made from${
    others.length === 0 ? '' : `: a plan would now change ${others.join(', ')} as well`
  }`,
  hint: 'apply without --resume, which plans anew',
})

export const acceptedDriftBroken = (file: string, words: string): Problem => ({
  code: 'accepted-drift-broken',
  severity: 'error',
  message: `${file}: ${words}`,
  hint: 'gatewright drift --accept --reason … --owner … --expires 2027-01-31 writes what is accepted',
})

export const acceptNeeds = (missing: readonly string[]): Problem => ({
  code: 'accept-needs',
  severity: 'error',
  message: `drift is accepted by somebody, for a reason, and for a time: ${missing.join(', ')} is missing`,
  hint: "gatewright drift --accept --reason '…' --owner team --expires 2027-01-31",
})

/** Without a key nothing tells one secret from another. */
export const secretNotAccepted = (address: string, path: string): Problem => ({
  code: 'cannot-accept',
  severity: 'error',
  message: `${address}: ${path} is a secret, and without a key no fingerprint of it can be kept`,
  hint: 'set GATEWRIGHT_FINGERPRINT_KEY, or leave it out with --select',
})

/** The live area cannot be rebuilt on the embedded platform. */
export const proofImpossible = (words: string): Problem => ({
  code: 'proof-impossible',
  severity: 'error',
  message: `the embedded platform does not take the live area, so that nothing can be rehearsed on it: ${words}`,
  hint: 'plan without --prove',
})

export const confirmationNeeded = (): Problem =>
  refusal('no-confirmation', 'there is no terminal to ask on', 'say yes in advance with --yes')

export const stalePlan = (address: string, words: readonly string[], editor: string | undefined): Problem => ({
  code: 'stale-plan',
  severity: 'error',
  message: `${address}: ${words.join('; ')}${editor === undefined ? '' : ` (last edited ${editor})`}`,
  hint: 'nothing was done: plan again, and look at what it says now',
})

export const staleManifests = (): Problem => ({
  code: 'stale-plan',
  severity: 'error',
  message: 'the manifests are not those that the plan was made from',
  hint: 'nothing was done: plan again, or use --replan to accept a plan of the same effect',
})

export const savedPlanBroken = (file: string, words: string): Problem => ({
  code: 'saved-plan-broken',
  severity: 'error',
  message: `${file} is no saved plan: ${words}`,
  hint: 'write it with gatewright plan --out FILE',
})

export const savedPlanForAnotherTarget = (what: string, planned: string, here: string): Problem => ({
  code: 'other-target',
  severity: 'error',
  message: `the plan was made for the ${what} "${planned}", and this is "${here}"`,
  hint: 'plan again for this target',
})

/** A reference that git does not know, or no work tree at all. */
export const gitReferenceUnknown = (reference: string): Problem => ({
  code: 'unknown-git-reference',
  severity: 'error',
  message: `git knows no commit "${reference}" here`,
  hint: '--base takes a branch, a tag or a commit of the repository that the manifests are in; a shallow clone may lack it',
})

/** A selection that nothing matches is most likely misspelt. */
export const nothingSelected = (words: readonly string[]): Problem => ({
  code: 'nothing-selected',
  severity: 'warning',
  message: `nothing is selected by ${words.map((word) => `"${word}"`).join(', ')}`,
  hint: 'addresses are kind/name pairs, such as Service/Orders*; labels are key or key=value',
})

export const needsUnselected = (address: string, needed: readonly string[]): Problem => ({
  code: 'needs-unselected',
  severity: 'error',
  message: `${address} needs ${needed.join(', ')}, which is not selected`,
  hint: 'select it as well',
})

/** What became of a change that was not done, in the platform's words; `answered` is 'no' if nobody knows what came of it. */
export const changeNotDone = (
  address: string,
  action: string,
  { outcome, answered }: { readonly outcome: string; readonly answered?: 'no' },
  message: string,
  complaints: readonly { readonly property: string | undefined; readonly message: string }[],
  place: Place | undefined,
): Problem => {
  const words = complaints.map((each) =>
    each.property === undefined ? each.message : `${each.property}: ${each.message}`,
  )
  const rest = words.filter((each) => !message.includes(each))
  const hint = answered === 'no' ? unknownHint : outcomeHints[outcome]
  return {
    code: `change-${outcome.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    severity: 'error',
    message: `${action} of ${address}: ${[message, ...rest].join('; ')}`,
    ...(place && { place }),
    ...(hint !== undefined && { hint }),
  }
}

const unknownHint = 'wait a minute, then apply again: apply looks whether it was done before it does it'

const outcomeHints: Readonly<Record<string, string | undefined>> = {
  waiting: 'a domain waits for approval: apply again when it is approved, or use --wait-domains',
  notKept: 'the next plan shows it again; take the field out of the manifest if this platform does not keep it',
  blocked: undefined,
  failed: 'correct the cause and apply again: what is done is not done twice',
}

const didYouMean = (name: string, names: readonly string[]): string | undefined => {
  const near = nearest(name, names)
  return near === undefined ? undefined : `did you mean "${near}"?`
}

/** The name nearest to a misspelt one, or undefined where none is near. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const found = closest(name, [...names])
  return distance(name.toLowerCase(), found.toLowerCase()) <= Math.max(2, Math.floor(name.length / 3))
    ? found
    : undefined
}
