import { stringify } from 'yaml'
import type { KindName } from '../../src/catalog/types.js'
import type { JsonObject } from '../../src/json/json.js'

/** One manifest document. */
export interface DocumentText {
  readonly kind: KindName | 'Removed'
  readonly metadata: JsonObject
  readonly spec?: JsonObject
}

/** A document of that kind; a text is the name. */
export const document = (
  kind: DocumentText['kind'],
  metadata: JsonObject | string,
  spec?: JsonObject,
): DocumentText => ({
  kind,
  metadata: typeof metadata === 'string' ? { name: metadata } : metadata,
  ...(spec && { spec }),
})

/** The documents as one YAML stream. */
export const manifestText = (documents: readonly DocumentText[]): string =>
  documents.map((each) => stringify({ apiVersion: 'gatewright/v1', ...each }, { lineWidth: 0 })).join('---\n')
