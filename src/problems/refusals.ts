import type { ProblemCode } from './codes.js'
import { error, note, type Place, type Problem, warning } from './problem.js'
import { choice, counted, firstOf } from './suggest.js'

export const tooManyDeletes = (count: number, limit: number): Problem =>
  error(
    'limit-deletes',
    undefined,
    `the plan deletes or replaces ${counted(count, 'object')}, and limits.deletes is ${limit}`,
    'check the deletes; if they are intended, raise limits.deletes in the project file',
  )

export const tooMuchChanged = (percent: number, limit: number): Problem =>
  error(
    'limit-changed-percent',
    undefined,
    `the plan updates, replaces or deletes ${percent} % of the objects that were read or applied here, and limits.changedPercent is ${limit}`,
    'check the changes; if they are intended, raise limits.changedPercent in the project file',
  )

export const protectedObject = (address: string, action: string, place: Place | undefined): Problem =>
  error(
    'protected',
    place,
    `${address} is protected, and the plan would ${action} it`,
    action === 'delete'
      ? 'if it may be deleted, first apply it without metadata.protect'
      : 'remove metadata.protect if the object may be replaced',
  )

export const replaceNotAllowed = (address: string, reason: string | undefined, place: Place): Problem =>
  error(
    'replace-not-allowed',
    place,
    `${address} would be deleted and created again${reason ? `: ${reason}` : ''}`,
    'allow it with --allow-replace',
  )

export const blockedChange = (
  address: string,
  wants: string,
  reason: string | undefined,
  place: Place | undefined,
): Problem =>
  error(
    'blocked',
    place,
    `${address} cannot be ${wants}d${reason ? `: ${reason}` : ''}`,
    'apply the rest with --skip-blocked, or remove the change from the manifests',
  )

/** `words`: a description of the hazard. */
export const hazardNotAllowed = (hazard: string, words: string, addresses: readonly string[]): Problem =>
  error(
    'hazard',
    undefined,
    `${hazard}, ${words}: ${addresses.slice(0, 5).join(', ')}${addresses.length > 5 ? ` and ${addresses.length - 5} more` : ''}`,
    `if that is intended, allow it with --allow ${hazard}`,
  )

export const nameLooksAlike = (created: string, id: string, place: Place): Problem =>
  warning(
    'name-looks-alike',
    place,
    `${created} would be created beside the object ${id}, whose name differs only in its Unicode form`,
    'write the name as it is there (gatewright get shows it), unless you want two objects whose names look the same',
  )

/** What a create has in common with the object that it may be: the numbers of equal and different fields and children. */
interface InCommon {
  readonly fields: { readonly same: number; readonly different: number }
  readonly children: { readonly same: number; readonly different: number }
}

/**
 * A create is similar to an existing object. `vanished`: the manifests had that object before. `unmanaged`: they never had it,
 * perhaps because somebody has renamed it on the platform. `forbiddenIn`: the environment whose guard rails do not permit a new
 * id.
 */
export const suspectedRename = (
  created: string,
  { address, name, leftover, similarity, written, immutable }: SimilarObject,
  place: Place,
  forbiddenIn: string | undefined,
): Problem => {
  const former =
    written === 'generated'
      ? `x-gatewright-formerly: ${JSON.stringify(name)}`
      : `metadata.formerly: [${JSON.stringify(name)}]`
  const same = renameText({ name, leftover, immutable }, former)
  return error(
    'suspected-rename',
    place,
    `${created} looks like ${address} under a new name (the same: ${inCommon(similarity)}): a create would give it a new id, and a new id loses keys`,
    `${same}; if not, ${newIdAllowed('it', forbiddenIn)}`,
  )
}

/** What to write if it is a rename. */
function renameText(
  { name, leftover, immutable }: Pick<SimilarObject, 'name' | 'leftover' | 'immutable'>,
  former: string,
): string {
  const there = `if it is the same object, write the name ${JSON.stringify(name)}`
  if (immutable !== undefined)
    return `${there}, as ${immutable} cannot be changed, or ${former} to replace it (--allow-replace)`
  return leftover === 'vanished' ? `if it is a rename, write ${former}` : `${there}, or ${former} to rename it`
}

/** `forbiddenIn`: the environment whose guard rails do not permit it. */
const newIdAllowed = (what: 'it' | 'them', forbiddenIn: string | undefined): string =>
  forbiddenIn === undefined
    ? `allow ${what} with --allow ID_CHANGE`
    : `guard.hazards of environment ${forbiddenIn} must list ID_CHANGE before --allow ID_CHANGE can allow ${what}`

interface SimilarObject {
  readonly address: string
  readonly name: string
  readonly leftover: 'vanished' | 'unmanaged'
  readonly similarity: InCommon
  /** Whether a person or a generator wrote the new name. */
  readonly written: 'by hand' | 'generated'
  /** The field of its name, if it is immutable: such an object is not renamed but replaced. */
  readonly immutable?: string | undefined
}

/** The number of possible renames that get a problem of their own. */
export const mostRenamesReported = 10

/** The other possible renames, in one problem. `immutable`: the field of the name of one of them, if it is immutable. */
export const moreSuspectedRenames = (
  created: readonly string[],
  place: Place,
  forbiddenIn: string | undefined,
  immutable: string | undefined,
): Problem =>
  error(
    'suspected-rename',
    place,
    `${counted(created.length, 'more create looks', 'more creates look')} like an object under a new name as well: ${firstOf(created)}`,
    `write metadata.formerly in each that is a rename${keptName(immutable)}; if none is, ${newIdAllowed('them', forbiddenIn)}`,
  )

/** If the name is immutable, a rename would create the object again, so the manifest should keep the earlier name. */
const keptName = (field: string | undefined): string =>
  field === undefined ? '' : `, or the name that it has, where ${field} cannot be changed`

/** Such as "11 of 12 fields, 5 of 5 children". */
function inCommon({ fields, children }: InCommon): string {
  const of = (what: string, { same, different }: InCommon['fields']) =>
    same + different === 0 ? [] : [`${same} of ${same + different} ${what}`]
  return [...of('fields', fields), ...of('children', children)].join(', ')
}

export const undecidedConflict = (address: string, paths: readonly string[], place: Place): Problem =>
  error(
    'conflict',
    place,
    `${address} was changed in the manifests and on the platform since it was last applied: ${paths.join(', ')}`,
    'decide with --take manifest or --take live, or bring the live value into the manifest',
  )

export const temporaryPath = (address: string, path: string, place: Place): Problem =>
  warning(
    'temporary-path',
    place,
    `${address} is at ${path} for now: a run that did not finish left it there`,
    'apply gives it the path of its manifest',
  )

/** A field that is no longer written is not unset, because somebody has changed it since, or because its value is unknown. */
export const released = (
  address: string,
  { path, because }: { readonly path: string; readonly because: 'changed' | 'unknown' },
  place: Place,
): Problem =>
  because === 'changed'
    ? warning(
        'handed-back',
        place,
        `${address} no longer writes ${path}, which somebody has changed since it was applied: it is left as it is`,
        'if the value is wrong, write it in the manifest',
      )
    : warning(
        'handed-back',
        place,
        `${address} no longer writes ${path}, which neither the interface document nor the field notes have: it is left as it is`,
        'to clear it, write null, with metadata.extraFields',
      )

export const secretNeeded = (address: string, paths: readonly string[], place: Place): Problem =>
  error(
    'secret-needed',
    place,
    `${address}: ${paths.join(', ')} would have to be sent, and its secret is not known here`,
    'set its variable, or give an age key that decrypts it, and apply again: nothing was changed',
  )

/** The desired value is not known here, and no fingerprint of it is recorded. */
export const secretsNotVerified = (address: string, paths: readonly string[], place: Place): Problem =>
  note(
    'secret-not-verified',
    place,
    `${address}: cannot verify ${paths.join(', ')}: the secret is not set here`,
    'set it, or apply once where it is set: later plans use the recorded fingerprint',
  )

/** Nobody knows whether the secret is still the one that was applied, so it is not changed. */
export const secretsUnverifiable = (address: string, paths: readonly string[], place: Place): Problem =>
  note(
    'cannot-verify',
    place,
    `${address}: the platform does not return ${paths.join(', ')}, and no fingerprint of it is recorded`,
    'set GATEWRIGHT_FINGERPRINT_KEY, so that a changed secret is noticed without being stored',
  )

/** The platform has no operation that reads these links. Their present state is unknown, so they are not written either. */
export const linksNotReported = (address: string, paths: readonly string[], place: Place): Problem =>
  warning(
    'cannot-verify',
    place,
    `${address}: this platform does not show ${paths.join(', ')}: left as it is, so that nothing that others assigned is removed`,
    'set it on the platform, and leave it out of the manifest',
  )

/** A part of a run that a rollback cannot restore. */
export const cannotUndo = (address: string, why: string): Problem =>
  warning(
    'cannot-undo',
    undefined,
    `${address} cannot be undone in full: ${why}`,
    'to undo the rest, apply the manifests of that time, with their secrets',
  )

/**
 * Deleted objects are created again. `inside`: how many others are in each of the objects. If there are very many objects, one
 * problem names all.
 */
export function getNewIds(inside: ReadonlyMap<string, number>): readonly Problem[] {
  const lost = 'references from objects that the run did not write do not come back'
  const addresses = [...inside.keys()]
  if (addresses.length > 10) {
    const why = `each of them, and each object in them, gets a new id, and ${lost}`
    return [cannotUndo(`${addresses.length} objects`, `${why}: ${addresses.join(', ')}`)]
  }
  return addresses.map((address) => {
    const others = inside.get(address) ?? 0
    const too = others === 0 ? '' : `, as ${counted(others, 'object in it does', 'objects in it do')}`
    return cannotUndo(address, `it gets a new id${too}, and ${lost}`)
  })
}

/** An interrupted run was about to create the object, but somebody else may have created it. */
export const perhapsMade = (address: string): Problem =>
  warning(
    'cannot-undo',
    undefined,
    `${address} stays if it is there: nobody knows whether the run has created it`,
    'a document of kind Removed with its address deletes it',
  )

/** A rollback does not undo objects that somebody has changed since. `inside`: the number of objects in it that stay too. */
export function leftAsItIs(address: string, why: string, inside: number): Problem {
  const others = inside === 0 ? '' : `; ${counted(inside, 'object in it stays', 'objects in it stay')} with it`
  const message = `${address} is left as it is: ${why}${others}`
  return warning('left-as-it-is', undefined, message, 'correct it by hand, or with an apply')
}

/** The addresses of the objects that a run had taken over. */
export function managedNoMore([first, ...others]: readonly string[]): readonly Problem[] {
  if (first === undefined) return []
  const [what, are] = others.length === 0 ? [first, 'is'] : [`${first} and ${others.length} more`, 'are']
  return [
    note(
      'managed-no-more',
      undefined,
      `${what} ${are} no longer managed: before that run, nobody had applied ${others.length === 0 ? 'it' : 'them'}`,
      'nothing to do: the next apply of manifests that have it takes it over again',
    ),
  ]
}

/** `commit`: the commit of the manifests of the run, if they were in git; `dirty`: with uncommitted changes. */
export const stillInManifests = (
  run: string,
  { commit, dirty }: { readonly commit: string | undefined; readonly dirty?: true },
): Problem => {
  const applied = dirty ? 'that run applied files that were not committed, on top of' : 'that run applied'
  return warning(
    'still-in-manifests',
    undefined,
    `a rollback does not change the manifests: if they still have the changes of run ${run}, the next apply makes them again`,
    `change them back as well${commit === undefined ? '' : `; ${applied} commit ${commit.slice(0, 10)}`}`,
  )
}

/** The user has interrupted a run. `undone`: the number of changes that are not done; `of`: the run that it undoes. */
export const leftUndone = (
  undone: number,
  purpose: { readonly is: 'apply' } | { readonly is: 'rollback'; readonly of: string },
): Problem =>
  warning(
    'left-undone',
    undefined,
    `interrupted: what was under way is finished, and ${counted(undone, 'change is', 'changes are')} not done`,
    purpose.is === 'apply'
      ? 'gatewright apply --resume does the rest of them, with the same manifests'
      : `gatewright rollback ${purpose.of} does the rest of them`,
  )

/** A run was interrupted after all of its changes. `area`: whether it was read again to check them. */
export const interruptedAtEnd = (area: 'read again' | 'not read again'): Problem =>
  warning(
    'left-undone',
    undefined,
    `interrupted: every change is made${area === 'read again' ? '' : ', and the area was not read again to check them'}`,
    'gatewright plan shows whether the platform has kept them',
  )

export const nothingToResume = (run: string | undefined): Problem =>
  error(
    'nothing-to-resume',
    undefined,
    run === undefined ? 'there is no recorded run to resume' : `the last run, ${run}, is a rollback`,
    run === undefined ? 'apply without --resume' : 'roll back again: it continues with the rest',
  )

/** `others`: the addresses that a plan would change now, but that the run had not planned. */
export const resumesOtherManifests = (run: string, others: readonly string[]): Problem =>
  error(
    'other-manifests',
    undefined,
    `the run ${run} was made from other manifests${
      others.length === 0 ? '' : `: a plan would now change ${others.join(', ')} as well`
    }`,
    'apply without --resume, which makes a new plan',
  )

/** `where`: a position in the file, or the name of the file. */
export const acceptedDriftBroken = (where: Place | string, words: string): Problem =>
  error(
    'accepted-drift-broken',
    typeof where === 'string' ? undefined : where,
    typeof where === 'string' ? `${where}: ${words}` : words,
    'gatewright drift --accept --reason … --owner … --expires 2027-01-31 writes what is accepted',
  )

export const acceptNeeds = (missing: readonly string[]): Problem =>
  error(
    'accept-needs',
    undefined,
    `to accept drift, also give ${missing.join(', ')}`,
    "gatewright drift --accept --reason '…' --owner team --expires 2027-01-31",
  )

/** Without a key, no fingerprint can distinguish two secrets. */
export const secretNotAccepted = (address: string, path: string): Problem =>
  error(
    'cannot-accept',
    undefined,
    `${address}: ${path} is a secret, and without a key no fingerprint of it can be kept`,
    'set GATEWRIGHT_FINGERPRINT_KEY, or leave it out with --select',
  )

/** The value in git cannot be stored, not even as a fingerprint. */
export const unsetNotAccepted = (address: string, path: string): Problem =>
  error(
    'cannot-accept',
    undefined,
    `${address}: ${path} takes a secret that is not set here, so the value in git is unknown`,
    'set the variable, or leave the object out with --select',
  )

/** The embedded platform cannot reproduce the live area. */
export const proofImpossible = (words: string): Problem =>
  error(
    'proof-impossible',
    undefined,
    `the embedded platform does not accept the live area, so the plan cannot be rehearsed on it: ${words}`,
    'plan without --prove',
  )

export const proofWithoutSecrets = (file: string): Problem =>
  error(
    'proof-impossible',
    undefined,
    `${file} leaves out secrets that manifests write: a rehearsal without them would write them, and the plan does not`,
    'plan --prove of the live area, without --snapshot',
  )

export const confirmationNeeded = (): Problem =>
  error('no-confirmation', undefined, 'there is no terminal to ask for confirmation', 'confirm in advance with --yes')

export const stalePlan = (address: string, words: readonly string[], editor: string | undefined): Problem =>
  error(
    'stale-plan',
    undefined,
    `${address}: ${words.join('; ')}${editor === undefined ? '' : ` (last edited ${editor})`}`,
    'nothing was done: plan again, and check the new plan',
  )

export const staleManifests = (): Problem =>
  error(
    'stale-plan',
    undefined,
    'the plan was made from other manifests',
    'nothing was done: plan again, or use --replan to accept a new plan with the same effect',
  )

export const savedPlanBroken = (file: string, words: string): Problem =>
  error(
    'saved-plan-broken',
    undefined,
    `${file} is not a saved plan: ${words}`,
    /\.ya?ml$/.test(file)
      ? `gatewright plan --out FILE writes one; to apply manifests, name them with -f ${file}`
      : 'write it with gatewright plan --out FILE',
  )

/** The seal does not match the document. */
export const savedPlanChanged = (file: string): Problem =>
  error(
    'saved-plan-changed',
    undefined,
    `${file} is not as plan wrote it: somebody has changed it`,
    'nothing was done: plan again, and check the new plan',
  )

/** It is unknown whether the document was changed. */
export const savedPlanNotSealed = (file: string, why: string): Problem =>
  error(
    'saved-plan-not-sealed',
    undefined,
    `it cannot be checked whether ${file} is as plan wrote it: ${why}`,
    'write it with gatewright plan --out FILE; plan and apply need the same GATEWRIGHT_FINGERPRINT_KEY, or without one the same API secret',
  )

export const willNotBeSealed = (file: string): Problem =>
  warning(
    'saved-plan-not-sealed',
    undefined,
    `${file} is not sealed, since there is no key: apply will refuse it`,
    'set GATEWRIGHT_FINGERPRINT_KEY for plan and apply, the same for both',
  )

/** `options`: the options of the plan, as they are typed. */
export const savedPlanWider = (options: readonly string[]): Problem =>
  error(
    'saved-plan-wider',
    undefined,
    `the plan was made with ${options.join(' ')}, which neither the project file nor this command allows`,
    `nothing was done: if that is intended, apply with ${options.join(' ')} as well`,
  )

export const savedPlanForAnotherTarget = (what: string, planned: string, here: string): Problem =>
  error(
    'other-target',
    undefined,
    `the plan was made for the ${what} "${planned}", and this is "${here}"`,
    'plan again for this target',
  )

/** The reference is unknown to git, or there is no work tree. */
export const gitReferenceUnknown = (reference: string): Problem =>
  error(
    'unknown-git-reference',
    undefined,
    `git knows no commit "${reference}" here`,
    '--base takes a branch, a tag or a commit of the repository that the manifests are in; a shallow clone may lack it',
  )

/** A selection that matches nothing is probably misspelled. */
export const nothingSelected = (words: readonly string[], suggestion: string | undefined): Problem =>
  error(
    'nothing-selected',
    undefined,
    `nothing is selected by ${words.map((word) => `"${word}"`).join(', ')}`,
    choice(suggestion) ?? 'addresses are kind/name pairs, such as Service/Orders*; labels are key or key=value',
  )

export const needsUnselected = (address: string, needed: readonly string[]): Problem =>
  error(
    'needs-unselected',
    undefined,
    `${address} needs ${needed.join(', ')}, which is not selected`,
    'select it as well',
  )

/**
 * The outcome of a change that was not done, with the platform's message. `answered` is 'no' if the outcome is unknown; `inside`
 * is the number of objects in it with the same outcome.
 */
export const changeNotDone = (
  address: string,
  action: string,
  {
    outcome,
    answered,
    inside,
  }: { readonly outcome: NotDoneOutcome; readonly answered?: 'no'; readonly inside: number },
  words: string,
  place: Place | undefined,
): Problem => {
  const isLeft = outcome === 'notKept' && action === 'delete'
  const known = isLeft ? leftHint : outcomeHints[outcome]
  const hint = answered === 'no' ? unknownHint : known
  const what = inside === 0 ? address : `${address}, and of ${counted(inside, 'object')} in it`
  return error(outcomeCodes[outcome], place, `${action} of ${what}: ${words}`, hint)
}

const leftHint = 'the next plan shows it again: if apply cannot delete it then either, it must be deleted in the portal'
const unknownHint = 'wait a minute, then apply again: apply first checks whether it was done'

type NotDoneOutcome = 'waiting' | 'notKept' | 'blocked' | 'failed'

const outcomeCodes = {
  waiting: 'change-waiting',
  notKept: 'change-not-kept',
  blocked: 'change-blocked',
  failed: 'change-failed',
} as const satisfies Record<NotDoneOutcome, ProblemCode>

const outcomeHints: Readonly<Record<NotDoneOutcome, string | undefined>> = {
  waiting: 'a domain waits for approval: apply again when it is approved, or use --wait-domains',
  notKept:
    'the next plan shows it again, with what the platform stores: write that, or leave the field alone (metadata.ignore)',
  blocked: undefined,
  failed: 'correct the cause and apply again: nothing is done twice',
}
