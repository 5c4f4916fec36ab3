import { ancestors, hasSecretName, kinds, metadataWord, perKind } from './queries.js'
import type { Kind } from './types.js'

/**
 * Where an object is declared. Documents name their object and its parents in `metadata`; inline children are nested in their
 * parent and name only themselves.
 */
export type MetadataForm = 'document' | 'inline'

/** The permitted and the required keys of `metadata` of a kind. */
interface MetadataKeys {
  readonly known: readonly string[]
  readonly required: readonly string[]
}

/** `generator`: a document from which objects of the kind are generated. Its metadata applies to each of them. */
export const metadataKeys = (kind: Kind, form: MetadataForm | 'generator'): MetadataKeys => keysByForm(kind)[form]

const keysByForm = perKind((kind) => ({
  document: metadataKeysOf(kind, 'document'),
  inline: metadataKeysOf(kind, 'inline'),
  generator: generatorKeysOf(kind),
}))

function generatorKeysOf(kind: Kind): MetadataKeys {
  const required = ancestors(kind).map(metadataWord)
  const own = ['labels', 'protect', 'ignore', 'sensitive', 'extraFields', 'environments', 'defaults', 'without']
  return { known: [...required, ...own], required }
}

function metadataKeysOf(kind: Kind, form: MetadataForm): MetadataKeys {
  const required = [
    ...ancestors(kind).map(metadataWord),
    ...(kind.within ? [kind.within.metadata] : []),
    ...(isNamedOpenly(kind) ? ['name'] : []),
  ]
  const own = [
    'labels',
    ...(kind.naming === undefined ? [] : ['id']),
    ...(isNamedOpenly(kind) && !kind.association ? ['formerly'] : []),
    'protect',
    'ignore',
    'sensitive',
    'extraFields',
    'environments',
    ...(kinds.some((each) => ancestors(each).includes(kind)) ? ['defaults'] : []),
    'without',
  ]
  return form === 'document' ? { known: [...required, ...own], required } : { known: own, required: [] }
}

/** Whether objects of this kind can be named by a text: they have a naming field that is not secret. */
export const isNamedOpenly = (kind: Kind): boolean => kind.naming !== undefined && !hasSecretName(kind)

export const apiVersion = 'gatewright/v1'

/** The top-level keys of a document. */
export const documentKeys: readonly string[] = ['apiVersion', 'kind', 'metadata', 'spec']
