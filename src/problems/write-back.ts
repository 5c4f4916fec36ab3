import { countsInWords } from './manifests.js'
import { error, note, type Place, type Problem, warning } from './problem.js'
import { counted, firstOf } from './suggest.js'

export const notWritableValue = (address: string, field: string): Problem =>
  warning(
    'value-not-writable',
    undefined,
    `${address}: the live value of ${field} is not allowed in a manifest; the field is left out`,
    'give it a value of the catalogue on the platform (gatewright explain KIND.FIELD), and export again',
  )

export const unnamedObject = (address: string, id: string): Problem =>
  warning(
    'object-without-name',
    undefined,
    `${address} (id ${id}) has no name; manifests identify objects by their names, so it is left out`,
    'give it a name on the platform, and export again',
  )

/** `targets`: the ids of the targets, with their names if the links contain them. */
export const danglingReference = (address: string, field: string, targets: readonly string[]): Problem =>
  warning(
    'dangling-reference',
    undefined,
    `${address}: ${field} refers to something that the area does not have (${targets.join('; ')}); the field is left out`,
    'look at the object on the platform; the reference may be to something that was deleted',
  )

export const templatesLeftOut = (kind: string, count: number): Problem =>
  note(
    'kind-left-out',
    undefined,
    `${counted(count, 'live object')} of kind ${kind} left out: the interface has no way to write them`,
  )

export const nothingExported = (dir: string): Problem =>
  warning(
    'nothing-exported',
    undefined,
    `there is nothing to export, and ${dir} has no manifests`,
    'write some: gatewright explain lists the kinds',
  )

/** `counts`: the number for each field, such as "Member.passwdNew". */
export const secretsLeftOut = (counts: ReadonlyMap<string, number>): Problem =>
  note(
    'secrets-left-out',
    undefined,
    `secrets are left out, so they are not managed: ${countsInWords(counts)}`,
    'to create these objects again, their secrets must be written: export --with-secrets writes them as ${env:NAME}',
  )

export const fieldWithSecretLeftOut = (kind: string, field: string, objects: number): Problem =>
  note(
    'secrets-left-out',
    undefined,
    `${kind}.${field} is left out: in ${counted(objects, 'object')} it holds a secret`,
    'to manage it, write it with ${env:NAME} in place of the secret, and do not name it in metadata.ignore',
  )

export const fieldLeftOut = (kind: string, field: string, objects: number): Problem =>
  note(
    'field-left-out',
    undefined,
    `${kind}.${field} is left out: ${counted(objects, 'object has', 'objects have')} it, and neither the interface document nor the field notes have it`,
    `to manage it, write it under metadata.extraFields: true`,
  )

export const childrenNotRead = (kind: string, field: string, objects: number): Problem =>
  note(
    'not-read',
    undefined,
    `${kind}.${field} is left out: reading it takes one request for each ${kind}, and ${objects} of them were not read`,
    'export --full reads all of them',
  )

/** `why`: the answer of the platform. */
export const collectionNotRead = (kind: string, why: string): Problem =>
  note('not-read', undefined, `every ${kind} is left out: ${why}`)

export const secretDiffers = (place: Place, field: string): Problem =>
  warning(
    'secret-differs',
    place,
    `${field}: the live value differs from the value of the placeholder, which is kept`,
    'set the variable to the live value, or apply the manifest',
  )

export const placeholderReplaced = (place: Place, field: string, written: string): Problem =>
  warning(
    'placeholder-replaced',
    place,
    `${field}: the value of ${written} differs from the live value, which replaced it`,
    'put the placeholder back if the live value is meant for one environment only',
  )

export const vanishedObject = (address: string, place: Place, way: string): Problem =>
  warning('vanished', place, `${address} does not exist on the platform (any more); its manifest is kept`, way)

export const renamedManifest = (address: string, name: string, place: Place): Problem =>
  note('renamed', place, `${address} was renamed to ${name} on the platform; its manifest has the new name now`)

export const prunedManifest = (address: string, place: Place): Problem =>
  note('pruned', place, `${address} does not exist on the platform (any more); its manifest was removed`)

export const notWrittenBack = (address: string, what: string, reason: string, place: Place | undefined): Problem =>
  warning('not-written', place, `${address}: ${what} was not written to the manifest: ${reason}`, 'edit it by hand')

export const sharedByAnchor = (address: string, what: string, place: Place): Problem =>
  warning(
    'not-written',
    place,
    `${address}: ${what} was not written to the manifest: an anchor shares its text with other objects`,
    'write it out for each of these objects, and run this again; or edit it by hand',
  )

/** `omitted`: the addresses of objects that do not exist any more. */
export function patchesWritten(
  environment: string,
  file: string,
  {
    fields,
    objects,
    omitted,
    into,
  }: {
    readonly fields: number
    readonly objects: number
    readonly omitted: readonly string[]
    readonly into: 'environment' | 'manifest'
  },
): Problem {
  const words = [
    ...(fields === 0 ? [] : [`${counted(fields, 'field')} of ${counted(objects, 'object')} patched`]),
    ...(omitted.length === 0 ? [] : [`${firstOf(omitted)} left out`]),
  ]
  return note(
    'patch-written',
    undefined,
    `environment ${environment} in ${file}: ${words.join(', ')}; no other environment changes`,
    into === 'manifest' ? undefined : '--into manifest writes it into the manifests, for all environments',
  )
}

/** `also`: other fields that use the value. */
export const valueWritten = (
  name: string,
  environment: string | undefined,
  file: string,
  also: readonly string[],
): Problem =>
  note(
    'value-written',
    undefined,
    `the value "${name}"${environment === undefined ? '' : ` of environment ${environment}`} in ${file} is now the live value`,
    also.length === 0 ? undefined : `fields that get it too: ${firstOf(also)}`,
  )

/** `others`: fields that would then differ from the live value. */
export const valueKept = (name: string, environment: string, others: readonly string[]): Problem =>
  note(
    'value-kept',
    undefined,
    `the value "${name}" is not changed; a patch of environment ${environment} has the live value`,
    others.length === 0
      ? 'it cannot be changed for this field alone'
      : `the live value would be wrong for: ${firstOf(others)}`,
  )

export const writtenForAll = (environments: readonly string[], addresses: readonly string[]): Problem =>
  note(
    'written-for-all',
    undefined,
    `what is written about ${firstOf(addresses)} also applies in ${environments.join(', ')}`,
  )

export const limitedToEnvironment = (environment: string, addresses: readonly string[]): Problem =>
  note(
    'limited-to-environment',
    undefined,
    `new in environment ${environment} only (metadata.environments): ${firstOf(addresses)}`,
    '--into manifest writes new objects for all environments',
  )

export const ofOtherEnvironment = (environment: string, addresses: readonly string[]): Problem =>
  note(
    'of-other-environment',
    undefined,
    `left out, as environment ${environment} desires it in this area: ${firstOf(addresses)}`,
  )

export const disagreesNow = (problem: Problem): Problem => ({
  ...problem,
  severity: 'note',
  hint: 'to change it for both, put the files back, and write again with --into manifest',
})

export const fileChanged = (path: string): Problem =>
  error('file-changed', undefined, `${path} has changed since it was read, so it was not written`, 'run it again')

/** The same for changes in any of the manifests. */
export const manifestsChanged = (): Problem =>
  error(
    'file-changed',
    undefined,
    'the manifests have changed since they were read, so none was written',
    'run it again',
  )

export const manifestWritten = (path: string, action: string): Problem =>
  note('manifest-written', undefined, `${action} ${path}`)

/** The files that were written before the failure. */
export const writtenBefore = (files: readonly { readonly path: string; readonly action: string }[]): Problem =>
  note(
    'manifest-written',
    undefined,
    `written before it, ${counted(files.length, 'file')}: ${firstOf(files.map(({ path, action }) => `${action} ${path}`))}`,
    'correct the cause, and run it again: it writes the others',
  )

export const exportOutsideManifests = (dir: string, file: string, manifests: readonly string[]): Problem =>
  warning(
    'export-outside-manifests',
    undefined,
    `${dir} is not among the manifests of ${file} (${manifests.join(', ')}): plan and apply will not see it`,
    `add ${dir} to spec.manifests, or use -f ${dir}`,
  )

export const manifestsNotNamed = (files: readonly string[]): Problem =>
  warning(
    'manifests-not-named',
    undefined,
    `the new project file names only the folder manifests, so other manifests are no longer read: ${firstOf(files)}`,
    'move them there, or add them to spec.manifests: otherwise objects that were applied from them count as removed, and are deleted',
  )

export const exportIntoLink = (folder: string): Problem =>
  error(
    'export-into-link',
    undefined,
    `${folder} is a link to a folder: manifests are not read through such links`,
    'make it a folder, or export to the folder that it leads to',
  )

export const exportDirIsFile = (dir: string): Problem =>
  error(
    'invalid-option',
    undefined,
    `--dir has the value "${dir}", which is a file`,
    'name a folder; it is created if it does not exist',
  )

export const pruneOfEverything = (declared: number): Problem =>
  error(
    'prune-of-everything',
    undefined,
    `--prune would remove all manifests: none of the ${declared} objects that they declare is on the platform`,
    'is it the right area? If it is, remove the manifests by hand',
  )

export const exportWithoutProject = (dir: string): Problem =>
  note(
    'no-project-file',
    undefined,
    `there is no project file: plan with -f ${dir}`,
    `gatewright init writes one; its spec.manifests should be [${dir}]`,
  )

/** `document`: the file with the document that generates the object. */
export const notWrittenIntoSource = (
  address: string,
  what: string,
  source: string,
  document: string,
  place: Place,
): Problem =>
  warning(
    'not-written',
    place,
    `${address}: ${what} was not written to the manifest: the object is generated from ${source}`,
    place.file === source
      ? `change it there (with x-gatewright-endpoint if it is not part of the API), or write a patch in ${document}`
      : `change it here, or write a patch in ${document}`,
  )
