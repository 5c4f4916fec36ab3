import { doubt, type Place, type Problem } from './problem.js'

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
