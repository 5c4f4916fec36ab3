import { createHash } from 'node:crypto'
import { catalog } from '../catalog/catalog.js'
import { hasSecretName } from '../catalog/queries.js'
import { digest } from '../json/digest.js'
import { canonicalText } from '../json/order.js'
import type { Removal, Resource } from './resource.js'
import { withoutValue } from './secret-paths.js'
import type { Source } from './source.js'

/** "sha256:…" of the meaning of manifests. Files, order, comments and the values of secrets do not change it. */
export function digestOf(resources: readonly Resource[], removals: readonly Removal[]): string {
  const hash = createHash('sha256')
  for (const text of resources.map(meaning).sort()) hash.update(`${text}\n`)
  for (const address of removals.map((removal) => removal.address).sort()) hash.update(`removed ${address}\n`)
  return `sha256:${hash.digest('hex')}`
}

/** "sha256:…" of the texts of manifests. The names and the order of files, and their line ends, do not change it. */
export function textsDigest(sources: readonly Source[]): string {
  const hash = createHash('sha256')
  const texts = sources.map(({ text }) => digest(text.replaceAll('\r\n', '\n')))
  for (const text of texts.sort()) hash.update(`${text}\n`)
  return `sha256:${hash.digest('hex')}`
}

function meaning(resource: Resource): string {
  const { kind, address, parent, id, labels, protect, ignore, additions, wholeLists, removedChildren } = resource
  // If the address showed a part or a fingerprint of a secret, the digest would depend on the secret.
  const displayed = hasSecretName(catalog[kind]) ? (parent ?? '') : address
  const lists = [additions, resource.formerly, ignore, labels, removedChildren, wholeLists].map((value) =>
    canonicalText(value, 'sets'),
  )
  const words = JSON.stringify([kind, displayed, id ?? null, protect, resource.implicit])
  return `${words} ${lists.join(' ')} ${fieldsText(resource)}`
}

function fieldsText({ kind, fields, sensitive }: Resource): string {
  const open = sensitive.reduce(withoutValue, fields)
  const texts = Object.entries(open).map(([name, value]) => {
    const field = catalog[kind].fields[name]
    const displayed = field?.secret && value !== null ? '(secret)' : value
    // Every list of the document is a set. Free maps and unknown fields are taken as written.
    const lists = field && field.type.is !== 'map' ? 'sets' : 'as written'
    return `${JSON.stringify(name)}:${canonicalText(displayed, lists)}`
  })
  return [...texts, ...sensitive.map((path) => `${JSON.stringify(path)}:(secret)`)].sort().join(',')
}
