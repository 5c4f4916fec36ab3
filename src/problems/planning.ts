import { error, note, type Place, type Problem, warning } from './problem.js'
import { choice, counted, didYouMean, firstOf } from './suggest.js'

/**
 * Without a base, nothing may be deleted, except for objects that are named for removal; `deleting` says which. `recordsKept`:
 * `last` if the next run can read the records, `are a folder` if they are on this machine, which a CI job discards.
 */
export const noBaseToDelete = (recordsKept: 'last' | 'are a folder', deleting: 'nothing' | 'by name'): Problem =>
  warning(
    'no-base',
    undefined,
    `it is not known what was last applied here: ${deleting === 'nothing' ? 'nothing' : 'nothing else'} can be deleted, and ${unreported}`,
    recordsKept === 'last'
      ? 'the first apply creates the base: it records what it does'
      : `${records}; if records are not kept, as in CI, give the commit that was last applied with --base`,
  )

export const noBase = (): Problem =>
  note('no-base', undefined, `it is not known what was last applied here: ${unreported}`, records)

/** The commit of --base gives no base because of this error in its project file. */
export const noBaseAt = (reference: string, { message, place }: Problem): Problem =>
  nothingAt(`at ${reference}: ${message}`, place && placeAt(reference, place))

export const projectNotAt = (reference: string, file: string): Problem => nothingAt(`${file} is not in ${reference}`)

const nothingAt = (why: string, place?: Place): Problem =>
  warning(
    'no-base',
    place,
    `${why}: it is not known what was last applied here: nothing can be deleted, and ${unreported}`,
    otherBase,
  )

/** Because of these errors, a part of the manifests at that commit is unknown. */
export const baseIncomplete = (reference: string, first: Problem, others: readonly Problem[]): Problem => {
  const related = others.flatMap(({ message, place }) => (place ? [{ message, place: placeAt(reference, place) }] : []))
  return {
    ...warning(
      'base-incomplete',
      first.place && placeAt(reference, first.place),
      `at ${reference}: ${first.message}${others.length > 0 ? `, and ${counted(others.length, 'more error')}` : ''}: what cannot be read there is not deleted, and changes of it on the platform cannot be told from yours`,
      otherBase,
    ),
    ...(related.length > 0 && { related }),
  }
}

/** The position is in another commit, not in the working tree. */
const placeAt = (reference: string, { file, line, column }: Place): Place => ({
  file: `${reference}:${file}`,
  line,
  column,
})

const otherBase = 'name another commit that was applied, or leave --base out: then the records are the base'

const unreported = 'changes made on the platform cannot be told from yours'

const records = 'apply records what it does (spec.records), and later plans use that as the base'

/** The records have the id of an object, but the object is not listed under the name that was sent. */
export const storedOtherwise = (
  address: string,
  { id, name, declared }: { readonly id: string; readonly name: string; readonly declared?: string },
  severity: 'error' | 'warning',
  place: Place,
): Problem =>
  (severity === 'error' ? error : warning)(
    'stored-otherwise',
    place,
    `${address} exists as id ${id} under the name ${JSON.stringify(name)}: creating it would make a second one`,
    declared === undefined
      ? `write that name, or pin the object with metadata.id: ${JSON.stringify(id)} to give it the name of the manifest`
      : `${declared} declares that object: remove this manifest, or, if it is to be another object, say in ${declared} which name it had (metadata.formerly)`,
  )

export const notListed = (address: string, id: string, place: Place): Problem =>
  error(
    'not-listed',
    place,
    `${address} exists as id ${id}, and the platform does not list it: creating it would make a second one`,
    'run the command again later; if it stays, ask the platform’s support why that object is not listed',
  )

/** An interrupted run had announced the create of an object that is not listed. */
export const perhapsBeingCreated = (address: string, seconds: number, place: Place): Problem =>
  warning(
    'perhaps-being-created',
    place,
    `an interrupted run may still be creating ${address}: apply waits ${seconds} s for it before it creates it`,
  )

/** Objects with the same name, and the one that was last applied from here, if the records have it. */
interface Several {
  readonly ids: readonly string[]
  readonly applied?: string | undefined
}

const whichApplied = ({ applied }: Several): string =>
  applied === undefined ? '' : `; the one that was last applied from here is ${applied}`

/** Two or more live objects have the name in the manifest. */
export const ambiguousName = (kind: string, name: string, several: Several, place: Place): Problem =>
  error(
    'ambiguous-name',
    place,
    `${several.ids.length} live objects of kind ${kind} are named "${name}": ids ${several.ids.join(', ')}${whichApplied(several)}`,
    `pin the one that is meant with metadata.id (in a reference: {name, id}), or rename the others`,
  )

/** Two or more live keys match a key in the manifests. */
export const ambiguousKey = (address: string, several: Several, place: Place): Problem =>
  error(
    'ambiguous-name',
    place,
    `${several.ids.length} live objects fit ${address}: ids ${several.ids.join(', ')}${whichApplied(several)}`,
    'write the apikey of the one that is meant, or pin it with metadata.id',
  )

/** One live key, whose value the platform hides, matches two keys in the manifests. */
export const eitherKey = (address: string, other: string, id: string, place: Place): Problem =>
  error(
    'ambiguous-name',
    place,
    `the live object ${id} may be ${address} or ${other}: the platform hides its value`,
    'pin the one that it is with metadata.id: the other one is made then',
  )

/** The platform does not return what identifies a key without a written value. Creating it could make a second one. */
export const perhapsThisKey = (address: string, field: string, ids: readonly string[], place: Place): Problem =>
  error(
    'ambiguous-name',
    place,
    `the platform does not return the ${field} of ${ids.join(', ')}, which may be ${address}: creating it could make a second one`,
    'write the apikey of the one that is meant, or pin it with metadata.id',
  )

export const ambiguousReference = (
  kind: string,
  name: string,
  from: string,
  ids: readonly string[],
  place: Place,
): Problem =>
  error(
    'ambiguous-reference',
    place,
    `${from} refers to ${kind} "${name}", a name that several objects have${ids.length > 0 ? `: ids ${ids.join(', ')}` : ''}`,
    'write the reference as {name, id}',
  )

export const pinnedNotFound = (kind: string, name: string, id: string, place: Place): Problem =>
  error(
    'pinned-not-found',
    place,
    `no live ${kind} has the id ${id} that "${name}" is pinned to`,
    'correct metadata.id, or remove it to look the object up by its name',
  )

export const parentNotFound = (
  address: string,
  kind: string,
  name: string,
  suggestion: string | undefined,
  place: Place,
): Problem =>
  error(
    'parent-not-found',
    place,
    `${address} belongs to ${kind} "${name}", which no manifest declares and the live area does not hold`,
    choice(suggestion) ?? `declare the ${kind}, or correct the name`,
  )

/**
 * The target of a reference. `isReadOnly`: manifests cannot create such objects. `id` pins one of several objects; `parent` is
 * the address of the object that must contain it.
 */
interface Referred {
  readonly kind: string
  readonly isReadOnly: boolean
  readonly name: string
  readonly id?: string | undefined
  readonly parent?: string | undefined
}

/** `known`: whether the name exists, with another id, and otherwise the name that is probably meant. */
export const referenceToNothing = (
  { kind, isReadOnly, name, id, parent }: Referred,
  from: string,
  known: 'exists' | { readonly suggestion: string | undefined },
  place: Place,
): Problem => {
  const pin = `${id === undefined ? '' : ` with the id ${id}`}${parent === undefined ? '' : ` of ${parent}`}`
  return error(
    'reference-to-nothing',
    place,
    `${from} refers to ${kind} "${name}"${pin}, which no manifest declares and the live area does not hold`,
    known === 'exists'
      ? `the ${kind} of that name has another id: leave the id out, or correct it`
      : (choice(known.suggestion) ??
          `${isReadOnly ? `create the ${kind} in the portal` : `declare the ${kind}`}, or correct the name`),
  )
}

interface WrittenReference {
  readonly from: string
  readonly place: Place
}

/** `references`: all references to the object, or to something in it. It is an error whatever the area has. */
export const referencesToNamedRemoval = (
  address: string,
  [first, ...others]: readonly WrittenReference[],
  { frame: _frame, ...removal }: Place,
): Problem => ({
  ...error(
    'reference-to-removed',
    first?.place,
    `${first?.from} refers to ${address}, which a document of kind Removed deletes`,
    `remove the reference${others.length === 0 ? '' : 's'}, or the document of kind Removed`,
  ),
  related: [{ message: 'removed here', place: removal }, ...others.map(otherReference)],
})

/** `references`: all references to the object or to something in it. `rename`: the create that may be its new name. */
export const referencesToRemoved = (
  address: string,
  references: readonly WrittenReference[],
  rename: { readonly from: string; readonly to: string } | undefined,
): Problem => {
  const [first, ...others] = references
  const more = others.length === 0 ? '' : `; ${counted(others.length, 'more reference')} to it would be left`
  return {
    ...error(
      'reference-to-removed',
      first?.place,
      `${first?.from} refers to ${address}, which this plan would delete${more}`,
      rename === undefined
        ? `remove the reference${more === '' ? '' : 's'}, or keep the object`
        : `${rename.to} looks like it under a new name: if it is a rename, write metadata.formerly: [${JSON.stringify(rename.from)}] there, and the new name in the reference${more === '' ? '' : 's'}`,
    ),
    ...(others.length > 0 && { related: others.map(otherReference) }),
  }
}

const otherReference = ({ from, place: { frame: _frame, ...place } }: WrittenReference) => ({
  message: `${from} refers to it`,
  place,
})

/** `names`: `moved` if one of them had the present name of the other. */
export const twoForOneObject = (
  first: { readonly address: string; readonly place: Place },
  second: { readonly address: string; readonly place: Place },
  names: 'moved' | 'apart',
): Problem => ({
  ...error(
    'two-for-one-object',
    second.place,
    `${second.address} and ${first.address} stand for the same live object`,
    names === 'moved'
      ? 'remove one of the two, or correct metadata.formerly; where names move on from one object to the next, apply the last move first'
      : 'remove one of the two, or correct metadata.id or metadata.formerly',
  ),
  related: [{ message: `${first.address} is declared here`, place: first.place }],
})

/** A user who writes a pattern must not believe that matching objects are deleted. */
export const removalFindsNothing = (address: string, place: Place): Problem =>
  address.includes('*')
    ? warning(
        'nothing-to-remove',
        place,
        `no live object has the address ${address}: an address is not a pattern`,
        'write a Removed document for each object',
      )
    : note(
        'nothing-to-remove',
        place,
        `${address} is already gone`,
        'the Removed document has done its work and can be deleted',
      )

export const removalAmbiguous = (address: string, ids: readonly string[], place: Place): Problem =>
  error(
    'ambiguous-name',
    place,
    `${ids.length} live objects have the address ${address}: ids ${ids.join(', ')}`,
    `end the address in ~<id> of the one that is meant`,
  )

export const declaredInsideRemoved = (address: string, place: Place): Problem =>
  error(
    'declared-and-removed',
    place,
    `${address} is to be removed, and a manifest declares it or something inside it`,
    'keep one of the two',
  )

/**
 * The object was applied and is no longer declared. It is not deleted while another environment declares it, or another project
 * or environment also has it in its records.
 */
export const appliedElsewhere = (address: string, environment: string | undefined): Problem =>
  warning(
    'applied-elsewhere',
    undefined,
    environment === undefined
      ? `${address} stays: another project or environment has applied it as well, or something in it`
      : `${address} stays: environment ${environment} declares it in this area, or something in it`,
    'nothing to do if it is theirs; if they are no more, a document of kind Removed with its address deletes it',
  )

/** What another environment of the area declares is not completely known, so the plan may delete some of it. */
export const environmentUnread = (environment: string, why: string): Problem =>
  warning(
    'environment-unread',
    undefined,
    `environment ${environment} is in this area too, and its manifests cannot be read completely: ${why}`,
    'look whether it declares one of the objects that are deleted; gatewright validate shows all of its errors',
  )

/** A rollback does not delete an object that its run created because it contains objects that this run did not create. */
export const holdsOthers = (address: string, inner: string): Problem =>
  warning(
    'holds-unrecorded',
    undefined,
    `${address} stays: it holds ${inner}, which the undone run has not made`,
    'if a later run has made it, undo that run first; otherwise delete it by hand',
  )

/** The object was applied and is no longer declared. It is not deleted because it contains objects that no record has. */
export const holdsUnrecorded = (address: string, inner: string): Problem =>
  warning(
    'holds-unrecorded',
    undefined,
    `${address} stays: it holds ${inner}, which no recorded run has made or taken over`,
    'a document of kind Removed with its address deletes it with what it holds',
  )

/**
 * An interrupted run was about to create these objects. They exist, and no manifest has them any more. If there are many, one
 * problem names all, because a person must decide about each.
 */
export function perhapsOurs(addresses: readonly string[]): readonly Problem[] {
  const reported = 'an interrupted run was about to create'
  const until = 'once an apply has ended, nothing says this any more'
  if (addresses.length > 10) {
    const message = `${addresses.length} objects stay: ${reported} them, and it is unknown whether it did: ${addresses.join(', ')}`
    return [
      warning(
        'perhaps-ours',
        undefined,
        message,
        `documents of kind Removed with their addresses delete them; ${until}`,
      ),
    ]
  }
  return addresses.map((address) => {
    const message = `${address} stays: ${reported} it, and it is unknown whether it did`
    return warning(
      'perhaps-ours',
      undefined,
      message,
      `a document of kind Removed with its address deletes it; ${until}`,
    )
  })
}

/**
 * The object was applied, and another object says that it once had this name. A plan cannot decide which of the two is meant, so
 * the object stays.
 */
export const formerNameIsLive = (address: string, renamed: string, place: Place): Problem =>
  warning(
    'former-name-is-live',
    place,
    `${address} stays: ${renamed} says that it once had this name, and is another live object`,
    'take the name out of metadata.formerly if the old object is to go; delete the new one if it was a rename',
  )

/** The object was applied and is no longer declared. It stays, because its parent must have at least one. */
export const lastOneStays = (address: string, parent: string, kind: string): Problem =>
  note(
    'last-one-stays',
    undefined,
    `${address} stays as it is: a ${parent} keeps at least one ${kind}`,
    'nothing to do, unless it should be another one: then declare that',
  )

/**
 * A written list does not have an object that the platform has added. The object stays, because something else needs it; `reason`
 * says what.
 */
export const usedOneStays = ({ address, reason }: { readonly address: string; readonly reason: string }): Problem =>
  note(
    'used-one-stays',
    undefined,
    `${address} stays as it is: the platform added it by itself, and ${reason}`,
    'nothing to do, unless it should go: then let what uses it name another one',
  )

export const requiredFieldsMissing = (
  address: string,
  operation: 'create' | 'update',
  fields: readonly string[],
  place: Place,
): Problem =>
  error(
    'required-field-missing',
    place,
    `${address} must be ${operation}d and lacks ${fields.join(', ')}`,
    `the interface requires these fields on ${operation}: write them`,
  )

/**
 * The object must be created again or sent as a whole, so its secrets must be sent too. The platform does not return them, and
 * the manifests do not contain them.
 */
export const secretsHidden = (
  address: string,
  fields: readonly string[],
  why: 'created again' | 'sent whole',
  place: Place,
): Problem =>
  error(
    'secret-hidden',
    place,
    `${address} must be ${why}, and the platform hides ${fields.join(', ')}: its value cannot be kept`,
    'write its current or its new value',
  )

/** The changes contain a host name that no domain of the area covers; `domains` are the existing ones. */
export const refusedDomain = (
  name: string,
  uses: readonly { readonly address: string; readonly place: Place }[],
  domains: readonly string[],
): Problem => {
  const [first, ...others] = uses
  const more = others.length === 0 ? '' : ` and ${counted(others.length, 'more object')}`
  return {
    ...warning(
      'uncovered-domain',
      first?.place,
      `no Domain, declared or live, covers "${name}": the platform will refuse ${first?.address}${more}`,
      didYouMean(name, domains) ??
        `declare the Domain, or correct the name${domains.length === 0 ? '' : `; there are ${firstOf(domains)}`}`,
    ),
    ...(others.length > 0 && {
      related: others.map(({ address, place: { frame: _frame, ...place } }) => ({ message: address, place })),
    }),
  }
}

/** A host name of an object, with its position if a manifest contains it. */
export interface HostUse {
  readonly address: string
  readonly host: string
  readonly place?: () => Place
}

export const domainStillUsed = (
  address: string,
  [first, ...others]: readonly HostUse[],
  place: Place | undefined,
): Problem =>
  warning(
    'domain-still-used',
    place ?? first?.place?.(),
    `${address} would be deleted, and no other Domain covers "${first?.host}" of ${first?.address}${others.length === 0 ? '' : ` and ${counted(others.length, 'more host name')}`}`,
    'keep the Domain, or change the host names first: the platform refuses those that no active Domain covers',
  )

/** Platforms refuse a second endpoint for the same route. No manifest declares the first one. */
export const routeTaken = (place: Place, address: string, route: string, holder: string): Problem =>
  warning(
    'route-taken',
    place,
    `${address} takes the calls that ${holder} takes, which is not declared here: ${route}`,
    'platforms refuse the second one: give it another path, or other verbs or domains, or declare or delete the other',
  )
