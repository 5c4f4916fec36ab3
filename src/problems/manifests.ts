import { error, note, type Place, type Problem, warning } from './problem.js'
import { choice, counted, firstOf, onlyBeginning } from './suggest.js'

export const duplicateKey = (place: Place, key: string, first: Place): Problem => ({
  ...error('duplicate-key', place, `the key "${key}" is written twice in one mapping`, 'keep one of the two'),
  related: [{ message: 'first written here', place: first }],
})

/** The keys of a whole document occur twice in it. */
export const twoDocuments = (place: Place, first: Place): Problem => ({
  ...error('duplicate-key', place, 'a second document begins here, inside the first one', 'write a line --- before it'),
  related: [{ message: 'the key is first written here', place: first }],
})

/** The message does not show the text: it may be a part of a secret without its quotes. */
export const keyWithoutValue = (place: Place): Problem =>
  error(
    'key-without-value',
    place,
    'a key of a mapping has no colon and no value',
    'write key: value; put text with a comma or a brace in quotes',
  )

export const complexKey = (place: Place): Problem =>
  error(
    'complex-key',
    place,
    'a key of a mapping must be a plain word, not a list or a mapping',
    'write the key as a plain or quoted word',
  )

/** The message does not show the text: it may be a secret without its quotes. */
export const brokenAlias = (place: Place, reason: 'unknown' | 'circular' | 'no-mapping'): Problem => {
  const words = {
    unknown: 'this alias has no anchor before it in its document',
    circular: 'this alias is inside the value that it repeats',
    'no-mapping': 'a merge key (<<) takes a mapping, or a list of mappings',
  }
  const ways = {
    unknown: 'write &NAME before the value that *NAME stands for, or put the value in quotes if it is not an alias',
    circular: 'write the value out',
    'no-mapping': 'write <<: *NAME, where &NAME stands before a mapping',
  }
  return error('yaml-alias', place, words[reason], ways[reason])
}

export const tooLarge = (place: Place, limit: number): Problem =>
  error(
    'too-large',
    place,
    `with its aliases expanded this document has more than ${limit} values`,
    'split the document, or write fewer aliases of aliases',
  )

export const tooDeep = (place: Place, limit: number): Problem =>
  error(
    'too-deep',
    place,
    `more than ${limit} mappings and lists stand inside each other here`,
    'no field goes as deep: write it flatter',
  )

/** `seems`: the probable type of the document, if it is not one of ours. */
export const notOurApiVersion = (
  place: Place,
  written: string | undefined,
  ours: string,
  seems: ForeignDocument,
): Problem => {
  const [what, hint] = foreignDocuments[seems]
  const isKnown = seems === 'answer' || seems === 'openapi'
  const isForeign = written !== undefined && !/^gatewright\b/i.test(written)
  return error(
    'unknown-api-version',
    place,
    written === undefined
      ? `the document has no apiVersion${isKnown ? `: ${what}` : ''}`
      : `the apiVersion is "${written}"`,
    isKnown ? hint : `write apiVersion: ${ours}${isForeign ? '; a file of another tool does not belong here' : ''}`,
  )
}

/** A document in a file that was not named; `seems` is its probable type. */
export const skippedDocument = (place: Place, seems: ForeignDocument): Problem => {
  const [reason, hint] = foreignDocuments[seems]
  return note('skipped-document', place, `skipped: ${reason}`, hint)
}

export const manifestList = (place: Place): Problem =>
  error(
    'wrong-type',
    place,
    'this is a list of manifests, and each manifest must be a document of its own',
    'in YAML write --- between them; in JSON give each a file',
  )

/** The probable type of a document that is no manifest. */
export type ForeignDocument = 'anything' | 'answer' | 'openapi' | 'another version'

const foreignDocuments: Readonly<Record<ForeignDocument, readonly [string, string]>> = {
  anything: ['no gatewright apiVersion', 'name manifests in spec.manifests of gatewright.yaml'],
  answer: [
    'it looks like an answer of the platform',
    'gatewright export --dir manifests writes the live area as manifests',
  ],
  openapi: ['it is an OpenAPI file', 'a document of kind OpenAPI makes endpoints of it: spec: {file: PATH}'],
  'another version': [
    'its apiVersion belongs to something else',
    'if it is a manifest of gatewright, write apiVersion: gatewright/v1',
  ],
}

export const unknownManifestKind = (
  place: Place,
  kind: string | undefined,
  suggestion: string | undefined,
  known: readonly string[],
): Problem =>
  error(
    'unknown-kind',
    place,
    kind === undefined ? 'the document has no kind' : `there is no kind "${kind}"`,
    choice(suggestion, known),
  )

/** `belongs`: the part of the document that has such a key. */
export const unknownDocumentKey = (
  place: Place,
  key: string,
  suggestion: string | undefined,
  belongs?: 'metadata' | 'spec',
): Problem =>
  error(
    'unknown-key',
    place,
    `a manifest has no key "${key}"`,
    belongs ? `write it in ${belongs}` : choice(suggestion, ['apiVersion', 'kind', 'metadata', 'spec']),
  )

export const specOfRemoved = (place: Place): Problem =>
  error(
    'unknown-key',
    place,
    'a document of kind Removed has no spec',
    'remove it: metadata.address is all that it has',
  )

export function projectAmongManifests(place: Place): Problem {
  const [, folder] = /^(.+)\/gatewright\.yaml$/.exec(place.file) ?? []
  const way =
    folder === undefined ? 'the project file is gatewright.yaml in the folder given by -C' : `-C ${folder} works on it`
  const message = 'a document of kind Project is among the manifests'
  if (/(?:^|\/)gatewright\.yml$/.test(place.file))
    return error(
      'project-among-manifests',
      place,
      message,
      'rename the file to gatewright.yaml: gatewright reads no other name',
    )
  return error('project-among-manifests', place, message, `${way}; leave this file out of spec.manifests`)
}

export const unknownMetadata = (
  place: Place,
  key: string,
  suggestion: string | undefined,
  known: readonly string[],
  belongs?: 'in spec' | 'beside metadata',
): Problem =>
  error(
    'unknown-metadata',
    place,
    `metadata has no key "${key}" here`,
    belongs ? `write it ${belongs}` : choice(suggestion, known),
  )

export const missingName = (place: Place, kind: string, where: string): Problem =>
  error('missing-name', place, `this ${kind} has no ${where}`, `write ${where}: it says which object is meant`)

export const unidentifiedKey = (place: Place, kind: string, naming: string, reference: string): Problem =>
  error(
    'missing-name',
    place,
    `this ${kind} has neither ${naming} nor ${reference}`,
    `write both, or ${reference} alone where the parent has only one ${kind} of it`,
  )

export const nameDiffers = (place: Place, field: string, written: string, name: string): Problem =>
  error(
    'name-differs',
    place,
    `${field} is "${written}" here and "${name}" in what encloses it`,
    'leave it out here, or write the same value',
  )

export const wrongType = (place: Place, where: string, expected: string, found: string, hint?: string): Problem =>
  error('wrong-type', place, `${where} takes ${expected}, and ${found} is written`, hint ?? `write ${expected}`)

export const unknownValue = (
  place: Place,
  where: string,
  written: string,
  suggestion: string | undefined,
  known: readonly string[],
): Problem =>
  error(
    'unknown-value',
    place,
    `${where} does not take "${written}"`,
    choice(suggestion ?? onlyBeginning(written, known), known),
  )

/** The field of something else; `belongs`: where, as the end of "write it in". */
export const misplacedField = (place: Place, owner: string, field: string, belongs: string): Problem =>
  error('unknown-field', place, `${owner} has no field "${field}"`, `write it in ${belongs}`)

export const unknownField = (
  place: Place,
  owner: string,
  field: string,
  suggestion: string | undefined,
  known: readonly string[],
): Problem =>
  error(
    'unknown-field',
    place,
    `${owner} has no field "${field}"`,
    choice(suggestion ?? onlyBeginning(field, known), known),
  )

/** For a document that is no object. */
export const notMetadata = (place: Place, key: string, suggestion: string | undefined): Problem =>
  error(
    'unknown-field',
    place,
    `metadata has no field "${key}"`,
    choice(suggestion) ?? 'it has only the name here; everything else belongs in spec',
  )

export const extraField = (place: Place, owner: string, field: string): Problem =>
  warning(
    'extra-field',
    place,
    `${owner} has no field "${field}" that document or notes know: it is passed through unchecked`,
    'metadata.extraFields allows it',
  )

export const ignoredField = (place: Place, kind: string, field: string, hint: string): Problem =>
  error('ignored-field', place, `${kind}.${field} is set by the platform and ignored in requests`, hint)

export const readOnlyField = (place: Place, kind: string, field: string, reason: string): Problem =>
  error('read-only-field', place, `${kind}.${field} cannot be written here: ${reason}`, 'remove it')

export const clearedRequired = (place: Place, kind: string, field: string): Problem =>
  error(
    'null-on-required',
    place,
    `${kind}.${field} is required and cannot be cleared`,
    'write a value, or leave the field out to leave it alone',
  )

export const emptyMandatoryList = (place: Place, kind: string, field: string): Problem =>
  error(
    'at-least-one',
    place,
    `a ${kind} must keep at least one entry in ${field}`,
    `write the entries that are desired, or leave ${field} out to leave them alone`,
  )

/** How objects of a kind can be distinguished. */
const distinguished = {
  'by id': ', or pin each with metadata.id if two live objects share the name',
  'by name': ': an alias (*NAME) repeats the whole object; <<: *NAME and a name of its own make another one',
  'by document': ': spec.only and spec.except choose the operations that each document takes',
  'by key': ', or write the key of each, without which one is the only one of its package there',
  'by nothing': '',
} as const

/** `by`: how two objects with that name can be distinguished. */
export const duplicateObject = (place: Place, what: string, first: Place, by: keyof typeof distinguished): Problem => ({
  ...error(
    'duplicate-object',
    place,
    `${what} is declared twice: here and at ${first.file}:${first.line}:${first.column}`,
    `keep one of the two${distinguished[by]}`,
  ),
  related: [{ message: 'first declared here', place: first }],
})

export const namesLookAlike = (place: Place, address: string, first: Place): Problem => ({
  ...warning(
    'name-looks-alike',
    place,
    `the name of ${address} differs from that at ${first.file}:${first.line}:${first.column} in its Unicode form alone`,
    'write both alike if one object is meant: names in two forms are two objects',
  ),
  related: [{ message: 'the other name', place: first }],
})

export const sameRoute = (
  place: Place,
  address: string,
  route: string,
  first: { readonly address: string; readonly place: Place },
): Problem => ({
  ...warning(
    'same-route',
    place,
    `${address} takes the calls that ${first.address} takes: ${route}`,
    'platforms refuse the second one: give it another path, or other verbs or domains',
  ),
  related: [{ message: 'the other endpoint', place: first.place }],
})

export const duplicateReference = (place: Place, field: string, name: string): Problem =>
  error('duplicate-reference', place, `${field} names "${name}" twice`, 'keep one of the two')

/** `field` of the object says that the object is in no such list. */
export const clearedAndListed = (place: Place, address: string, field: string, clearedPlace: Place): Problem => ({
  ...error('cleared-and-listed', place, `this list names ${address}, whose ${field} is null`, 'keep one of the two'),
  related: [{ message: 'cleared here', place: clearedPlace }],
})

export const limitAbovePlan = (
  place: Place,
  field: string,
  /** Undefined if one of the two is a secret. */
  limits: { readonly own: number; readonly plan: number } | undefined,
  planPlace: Place,
): Problem => ({
  ...error(
    'limit-above-plan',
    place,
    limits
      ? `${field} is ${limits.own}, above the ${limits.plan} of its plan`
      : `${field} is above the limit of its plan`,
    'a key’s limits apply up to the maximum of its plan: lower it, or raise the limit of the plan',
  ),
  related: [{ message: 'the limit of the plan', place: planPlace }],
})

/** The number has the right type, and the platform accepts it, but it makes no sense: a percentage above 100. */
export const outOfRange = (
  place: Place,
  field: string,
  /** Undefined if it is a secret. */
  value: number | undefined,
  [least, most]: readonly [number, number],
): Problem =>
  warning(
    'out-of-range',
    place,
    `${field} is ${value ?? 'another number'}, and only ${least} to ${most} mean anything`,
    'correct it; the platform may take it all the same',
  )

export const notInOrder = (place: Place, field: string, earlier: string): Problem =>
  warning(
    'not-in-order',
    place,
    `${field} is before ${earlier}`,
    'correct one of the two; the platform may take them all the same',
  )

/** `found` is undefined if it may not be shown, `host` if it contains no host name. */
export const notHost = (place: Place, field: string, found: string | undefined, host: string | undefined): Problem =>
  warning(
    'not-a-host',
    place,
    `${field} takes a host name, and ${found === undefined ? 'another address' : `"${found}"`} is written`,
    host === undefined ? 'write the name alone, such as api.example.com' : `write the name alone: ${host}`,
  )

/** A key has its own limit, although its plan does not permit that. */
export const limitNotAllowed = (place: Place, field: string, override: string): Problem =>
  warning(
    'limit-not-allowed',
    place,
    `${field} is a limit of the key's own, and ${override} of its plan is false`,
    `leave it out, or let the plan allow it with ${override}: true`,
  )

export const missingOnCreate = (place: Place, what: string, fields: readonly string[]): Problem => ({
  ...warning(
    'missing-on-create',
    place,
    `${what} lacks ${fields.join(', ')}`,
    'required if the object has to be created; fine if it exists',
  ),
  answeredBy: 'plan',
})

/** `counts`: the number of objects without each secret, such as "Member.passwdNew". */
export const secretsMissing = (counts: ReadonlyMap<string, number>): Problem => ({
  ...warning(
    'missing-on-create',
    undefined,
    `secrets are not written: ${countsInWords(counts)}`,
    'required if these objects have to be created; fine if they exist',
  ),
  answeredBy: 'plan',
})

/** Such as `3 PackageKey.secret, 2 Member.passwdNew`, sorted by name. */
export const countsInWords = (counts: ReadonlyMap<string, number>): string =>
  [...counts.keys()]
    .sort()
    .map((name) => `${counts.get(name) ?? 0} ${name}`)
    .join(', ')

export const undeclaredReference = (place: Place, address: string, suggestion: string | undefined): Problem => ({
  ...note(
    'undeclared-reference',
    place,
    `no manifest declares ${address}: it must exist on the platform`,
    choice(suggestion) ?? 'plan looks for it',
  ),
  answeredBy: 'plan',
})

/** The same for an object that exists only in other environments. */
export const leftOutReference = (place: Place, address: string): Problem => ({
  ...note(
    'undeclared-reference',
    place,
    `${address} is left out in this environment: it must exist on the platform`,
    'if it does not exist there, leave out this reference as well; metadata.environments or a patch with omit: true leaves the object out',
  ),
  answeredBy: 'plan',
})

/** `name` is the present name of the object, `renamed` the position of its declaration. */
export const formerNameUsed = (place: Place, address: string, name: string, renamed: Place): Problem => ({
  ...error(
    'former-name-used',
    place,
    `${address} is an earlier name: the object is now called "${name}"`,
    `write ${JSON.stringify(name)}`,
  ),
  related: [{ message: 'it is renamed here', place: renamed }],
})

export const uncoveredDomain = (place: Place, domain: string, declared: readonly string[]): Problem => ({
  ...note(
    'uncovered-domain',
    place,
    `"${domain}" fits no declared Domain`,
    `declared: ${firstOf(declared)}; the platform refuses addresses outside the area's active domains`,
  ),
  answeredBy: 'plan',
})

export const clearSecret = (place: Place, what: string, severity: 'warning' | 'error'): Problem =>
  (severity === 'error' ? error : warning)(
    'clear-secret',
    place,
    `${what} is a secret and is written here in clear text`,
    'write ${env:NAME} instead',
  )

export const unsetVariable = (place: Place, name: string): Problem =>
  error('unset-variable', place, `the environment variable ${name} is not set`, 'set it, or write $${ for a literal ${')

/** Offline this is no error: only apply needs the secret. */
export const secretUnavailable = (place: Place, what: string): Problem =>
  note('secret-unavailable', place, `${what} is not set here: its value is not known`, 'apply needs it')

/** Values that only commands with access to the area or to the records need. */
export const unsetHere = ({ place, message }: Problem): Problem =>
  note('secret-unavailable', place, `${message} here`, 'whatever goes to the area, or to its records, needs it')

/** For readers of a plan: otherwise it would look like a plan that knows these values. */
export const secretsUnavailable = (count: number): Problem =>
  note(
    'secret-unavailable',
    undefined,
    `${counted(count, 'placeholder stands for a secret', 'placeholders stand for secrets')} not set here: changes of ${count === 1 ? 'its value' : 'their values'} are not seen`,
    'gatewright validate lists them; set them where apply runs',
  )

export const reservedVariable = (place: Place, name: string): Problem =>
  error(
    'reserved-variable',
    place,
    `${name} may not be used here`,
    'the credentials of gatewright and of PostgreSQL are for the program alone; give the value in a variable of its own',
  )

export const variableNotAllowed = (place: Place, name: string, allowed: readonly string[]): Problem =>
  error(
    'variable-not-allowed',
    place,
    `${name} is not among the variables that manifests may use`,
    `spec.secrets.env of the project file allows: ${allowed.join(', ')}`,
  )

export const secretName = (place: Place): Problem =>
  error(
    'secret-name',
    place,
    'a name, a reference or metadata may hold no secret: it is shown everywhere',
    'if the variable is not a secret, list it in spec.secrets.public of the project file',
  )

export const fileOutside = (place: Place, path: string, what: 'value' | 'OpenAPI file'): Problem => {
  const others = what === 'value' ? '; files of other folders, such as mounted secrets, need --allow-file DIR' : ''
  const hint = `write the path of a file in it, from this file on${others}`
  return error('file-outside', place, `the file ${path} is not in this repository`, hint)
}

export const missingValueFile = (place: Place, path: string, reason: string, found: 'file' | 'no file'): Problem =>
  error(
    'missing-value-file',
    place,
    `the file ${path} cannot be read: ${reason}`,
    found === 'file' ? 'give a text file of up to 1 MB that may be read' : 'the path starts from this manifest',
  )

/** The message does not show the text: a secret may contain such characters. */
const placeholderMistakes = {
  unknown: 'this is not a known placeholder',
  empty: 'nothing follows the colon of this placeholder',
} as const

export const unknownPlaceholder = (
  place: Place,
  mistake: keyof typeof placeholderMistakes,
  known: readonly string[],
  meant?: string,
): Problem =>
  error(
    'unknown-placeholder',
    place,
    placeholderMistakes[mistake],
    meant === undefined
      ? `known: ${known.join(', ')}; write $\${ for a literal \${`
      : `did you mean ${meant}? Write $\${ for a literal \${`,
  )

export const unclosedPlaceholder = (place: Place): Problem =>
  error(
    'unknown-placeholder',
    place,
    'this placeholder has no } at its end',
    'write } behind the name, or $${ for a literal ${',
  )

export const placeholderInKey = (place: Place): Problem =>
  warning(
    'placeholder-in-key',
    place,
    'this key has the form of a placeholder, and is taken as it is written: only texts behind keys take values',
    'write the key out; a patch of each environment can give it a map of its own',
  )

export const badVariableName = (place: Place): Problem =>
  error(
    'unknown-placeholder',
    place,
    'the text after "env:" is not the name of a variable',
    'write ${env:NAME}; a text for where it is not set is no part of it: values have defaults (spec.values)',
  )

export const badPointer = (place: Place, pointer: string, suggestion: string | undefined): Problem =>
  error(
    'bad-pointer',
    place,
    `"${pointer}" points to no field`,
    choice(suggestion) ?? 'gatewright explain KIND lists the fields: write it as /field or /field/member',
  )

/** `kind`: the kind of the objects inside the object. */
export const pointerToChildren = (place: Place, pointer: string, kind: string): Problem =>
  error(
    'bad-pointer',
    place,
    `"${pointer}" leads to no field, but to what lies in the object`,
    `write it in the metadata of each ${kind}, as /field`,
  )

export const badAddress = (place: Place, address: string, example: string): Problem =>
  error(
    'bad-address',
    place,
    `"${address}" is not the address of an object`,
    `write it like ${example}; "/" in a name is written %2F`,
  )

export const declaredAndRemoved = (place: Place, address: string, removal: Place): Problem => ({
  ...error('declared-and-removed', place, `${address} is declared here, and removed by another document`, 'keep one'),
  related: [{ message: 'removed here', place: removal }],
})

export const ambiguousParent = (place: Place, address: string, ids: readonly string[]): Problem =>
  error(
    'ambiguous-name',
    place,
    `${address} is declared more than once, pinned to the ids ${ids.join(', ')}`,
    'say which one is meant: {name: …, id: …}',
  )

/** Each of them says that it once had a name that another of them has now. */
export const namesInCircle = (place: Place, address: string, other: string, otherPlace: Place): Problem => ({
  ...error(
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

/** `T~17` is the form of a pinned object in addresses; a name is written without the id. */
export const nameIsAddress = (place: Place, written: string, name: string, id: string): Problem =>
  error(
    'name-is-address',
    place,
    `"${written}" is the end of an address, not a name: ${name} is pinned to the id ${id}`,
    `write the name alone, or {name: ${JSON.stringify(name)}, id: ${JSON.stringify(id)}}`,
  )

/** `place`: the position of the path, if it is in a file. */
export const missingManifest = (path: string, reason: string, place?: Place): Problem =>
  error(
    'missing-file',
    place,
    `${path}: ${reason}`,
    'correct the path, or allow reading it; a path that gives no file is an error, so that nothing is deleted or left out by mistake',
  )

/** The file exists, but it is no text. */
export const unreadableText = (path: string, reason: string, line: number, instead?: string): Problem =>
  error(
    'not-text',
    { file: path, line, column: 1 },
    `${path} cannot be read: ${reason}`,
    instead === undefined ? 'save it as UTF-8' : `save it as UTF-8, or ${instead}`,
  )

export const emptyManifests = (where: string): Problem =>
  error(
    'empty-manifests',
    undefined,
    `${where} has no manifests`,
    'an empty set is never understood as "delete everything": write a manifest, or run gatewright init',
  )
