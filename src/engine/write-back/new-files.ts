import { catalog } from '../../catalog/catalog.js'
import type { Texts } from '../../files/overlay.js'
import { append } from '../../json/groups.js'
import type { JsonObject } from '../../json/json.js'
import { by } from '../../json/order.js'
import type { LiveObject } from '../../live/live-object.js'
import { addressOfLive } from '../../live/names.js'
import { documentForm } from '../../live/object-form.js'
import type { FormContext } from '../../live/references-form.js'
import { layOut, placeOfKind } from '../../manifest/write/layout.js'
import { documentText, fileText } from '../../manifest/write/yaml-text.js'
import { templatesLeftOut, unnamedObject } from '../../problems/write-back.js'
import { limitedTo } from './new-document.js'

/** The folder of new manifests. */
export interface Home {
  /** The path of a file in the folder, as the user would type it. */
  path(file: string): string
  /** The existing files, relative to the folder, in lower case. */
  readonly taken: ReadonlySet<string>
  /** The reference to the schema for a file. Undefined if there is no schema. */
  schemaFor(file: string): string | undefined
  textOf(path: string): string | undefined
}

/**
 * The files for live root objects that no manifest has. If a file exists, the documents are added at its end. `limit`: the only
 * environment with the objects, if they are not for all.
 */
export function newFiles(
  objects: readonly LiveObject[],
  home: Home & { readonly limit: string | undefined },
  texts: Texts,
  forms: FormContext,
): Texts {
  const { limit } = home
  const files = new Map<string, LiveObject[]>()
  for (const [object, file] of layOut([...objects].sort(byFileAndKey), home.taken)) append(files, file, object)
  return new Map(
    [...files].map(([file, sharing]): [string, string] => {
      const path = home.path(file)
      const before = texts.has(path) ? texts.get(path) : home.textOf(path)
      const forAll = sharing.map((object) => documentForm(object, 'inside', forms))
      const documents = limit === undefined ? forAll : forAll.map((document) => limitedTo(limit, document))
      return [path, appended(before, documents, home.schemaFor(path))]
    }),
  )
}

/** A text with additional documents at its end. */
export function appended(
  before: string | undefined,
  documents: readonly JsonObject[],
  schema: string | undefined,
): string {
  if (before === undefined || before.trim() === '') return fileText(schema, documents)
  const end = before.endsWith('\n') ? '' : '\n'
  const added = `${end}---\n${documents.map(documentText).join('---\n')}`
  return before + (before.includes('\r\n') ? added.replaceAll('\n', '\r\n') : added)
}

/** Whether an object is one of the platform's own. */
export function isOfPlatform({ kind, fields }: LiveObject): boolean {
  const { platformOwned } = catalog[kind]
  return platformOwned !== undefined && fields[platformOwned.field] === platformOwned.value
}

/**
 * Whether a root object can become a manifest: it is not one of the platform's own, its kind can be written, and it has a name.
 */
export function mayBeManifest(object: LiveObject, { live, report }: FormContext): boolean {
  const { blocked } = catalog[object.kind]
  if (isOfPlatform(object)) return false
  if (blocked.create !== undefined && blocked.update !== undefined) {
    report(templatesLeftOut(object.kind, live.all.filter((each) => each.kind === object.kind).length))
    return false
  }
  if (object.key !== '') return true
  report(unnamedObject(addressOfLive(object), object.id))
  return false
}

const byFileAndKey = by((object: LiveObject) => JSON.stringify([fileWord(object), object.key, object.id]))

function fileWord({ kind }: LiveObject): string {
  const place = placeOfKind(catalog[kind])
  return place.is === 'folder' ? place.folder : place.file
}
