import { catalog } from '../../catalog/catalog.js'
import { childFields } from '../../catalog/queries.js'
import type { Kind } from '../../catalog/types.js'
import { shortDigest } from '../../json/digest.js'
import { append } from '../../json/groups.js'
import type { LiveObject } from '../../live/live-object.js'

/** Kinds that own others have a folder with one file for each object; any other kind has one file. */
type FilePlace = { readonly is: 'folder'; readonly folder: string } | { readonly is: 'file'; readonly file: string }

export function placeOfKind(kind: Kind): FilePlace {
  const words = collectionWords(kind)
  return childFields(kind).length > 0 ? { is: 'folder', folder: words } : { is: 'file', file: `${words}.yaml` }
}

/** The kind's collection with hyphens: services, scheduled-maintenance-events. */
function collectionWords(kind: Kind): string {
  const collection = kind.operations.list?.path.split('/')[1] ?? kind.name
  return collection.replaceAll(/([a-z])([A-Z])/g, '$1-$2').toLowerCase()
}

/** The files of new objects, relative to the folder of the export. Paths that are `taken` are not used. */
export function layOut(objects: readonly LiveObject[], taken: ReadonlySet<string>): ReadonlyMap<LiveObject, string> {
  const slugs = new Map<string, LiveObject[]>()
  const paths = new Map<LiveObject, string>()
  for (const object of objects) {
    const place = placeOfKind(catalog[object.kind])
    if (place.is === 'file') paths.set(object, place.file)
    else append(slugs, `${place.folder}/${slugOf(object.key, object.kind)}`, object)
  }
  for (const [path, sharing] of slugs) {
    for (const object of sharing) paths.set(object, pathFor(path, object, sharing, taken))
  }
  return paths
}

/** Objects that share a slug also get a digest of the name, and objects that share the name one of the id. */
function pathFor(path: string, object: LiveObject, sharing: readonly LiveObject[], taken: ReadonlySet<string>): string {
  const isFree = sharing.length === 1 && !taken.has(`${path}.yaml`.toLowerCase())
  if (isFree) return `${path}.yaml`
  const sameName = sharing.filter((each) => each.key === object.key)
  const byName = `${path}-${shortDigest(object.key)}.yaml`
  if (sameName.length === 1 && !taken.has(byName)) return byName
  return `${path}-${shortDigest(`${object.key}\n${object.id}`)}.yaml`
}

/** Names that some file systems reserve. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/** A name that every file system accepts: lower case letters, digits and hyphens. */
export function slugOf(name: string, fallback: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '')
  if (plain === '') return `${fallback.toLowerCase()}-${shortDigest(name)}`
  return reserved.test(plain) ? `${plain}-${fallback.toLowerCase()}` : plain
}
