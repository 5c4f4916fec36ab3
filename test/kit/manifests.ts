import { stringify } from 'yaml'
import type { KindName } from '../../src/catalog/types.js'
import type { JsonObject } from '../../src/json/json.js'

export interface DocumentText {
  readonly kind: KindName | 'Removed'
  readonly metadata: JsonObject
  readonly spec?: JsonObject
}

/** A document of that kind. If the metadata is a text, it is the name. */
export const document = (
  kind: DocumentText['kind'],
  metadata: JsonObject | string,
  spec?: JsonObject,
): DocumentText => ({
  kind,
  metadata: typeof metadata === 'string' ? { name: metadata } : metadata,
  ...(spec && { spec }),
})

/** A project file that reads the folder `manifests`. `more`: further lines of YAML for its spec. */
export const projectText = (more = '', name = 'test'): string => `apiVersion: gatewright/v1
kind: Project
metadata: {name: ${name}}
spec:
  manifests: [manifests]
${more}`

/** The documents as one YAML stream. */
export const manifestText = (documents: readonly DocumentText[]): string => documents.map(documentYaml).join('---\n')

/** A cache, because the same documents are declared repeatedly and writing YAML is slow. */
const texts = new WeakMap<DocumentText, string>()

function documentYaml(document: DocumentText): string {
  const text = texts.get(document) ?? stringify({ apiVersion: 'gatewright/v1', ...document }, { lineWidth: 0 })
  texts.set(document, text)
  return text
}
