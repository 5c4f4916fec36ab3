import type { Place, Problem } from './problem.js'

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
