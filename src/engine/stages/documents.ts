import { apiVersion, isNamedOpenly } from '../../catalog/metadata-keys.js'
import type { Vocabulary } from '../../catalog/vocabulary.js'
import type { Json, JsonObject } from '../../json/json.js'
import type { ManifestForm } from './forms.js'
import type { StageWords } from './stage-words.js'
import { stageValue } from './stage-words.js'
import type { StagedValue } from './vectors.js'

/** The documents of a root object: its own, then one for each object inside it that needs a separate document. */
export const documentsOf = (form: ManifestForm): readonly JsonObject[] => [documentOf(form), ...apartOf(form)]

function apartOf({ children }: ManifestForm): readonly JsonObject[] {
  return children.flatMap(({ place, forms }) =>
    forms.flatMap((form) => (place === 'documents' ? documentsOf(form) : apartOf(form))),
  )
}

function documentOf(form: ManifestForm): JsonObject {
  const { kind, names, naming } = form
  const spec = { ...(isNamedOpenly(kind) ? {} : naming), ...contentsOf(form) }
  return {
    apiVersion,
    kind: kind.name,
    metadata: { ...names, ...metadataOf(form) },
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  }
}

function inlineOf(form: ManifestForm): JsonObject {
  const { id } = form.names
  const isLinked = form.naming.id !== undefined
  const metadata = { ...(id === undefined || isLinked ? {} : { id }), ...metadataOf(form) }
  return {
    ...form.naming,
    ...contentsOf(form),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  }
}

const metadataOf = ({ environments, ignore, without, defaults }: ManifestForm): JsonObject => ({
  ...(environments && { environments }),
  ...ignore,
  ...(without && { without }),
  ...(defaults && { defaults }),
})

function contentsOf({ fields, children }: ManifestForm): JsonObject {
  const inside = children.flatMap(({ field, single, place, forms }): [string, Json][] => {
    if (place === 'documents') return []
    const all = forms.map(inlineOf)
    return single ? all.slice(0, 1).map((each): [string, Json] => [field, each]) : [[field, all]]
  })
  return { ...fields, ...Object.fromEntries(inside) }
}

interface ProjectForm {
  readonly name: string
  /** The folder of the manifests, from the project file. */
  readonly manifests: string
  readonly platform: { readonly url: string; readonly area: string; readonly vocabulary?: Vocabulary } | undefined
  readonly words: StageWords
  readonly values: readonly StagedValue[]
  readonly defaults: JsonObject
}

/** The project file, with an environment for each stage and the values that differ. */
export function projectDocument({ name, manifests, platform, words, values, defaults }: ProjectForm): JsonObject {
  const declared = values.map((value): [string, Json] => [value.name, value.declaration])
  const given = (stage: number) =>
    Object.fromEntries(
      values.flatMap(({ name: word, byStage }): [string, Json][] => {
        const value = byStage[stage]
        return value === undefined ? [] : [[word, value]]
      }),
    )
  return {
    apiVersion,
    kind: 'Project',
    metadata: { name },
    spec: {
      manifests: [manifests],
      ...(platform && { platform: { ...platform } }),
      ...(declared.length > 0 && { values: Object.fromEntries(declared) }),
      ...(Object.keys(defaults).length > 0 && { defaults }),
      environments: Object.fromEntries(
        words.stages.map((stage, index): [string, Json] => [stage, { values: given(index) }]),
      ),
    },
  }
}

/** The values for the words of the stages, if a text contains their placeholders. */
export function wordValues(words: StageWords, texts: string): readonly StagedValue[] {
  return words.values.flatMap(({ name, words: byStage }): readonly StagedValue[] => {
    if (!texts.includes(`\${value:${name}}`)) return []
    const declaration = name === stageValue ? { type: 'string', enum: byStage } : { type: 'string' }
    return [{ name, declaration, byStage }]
  })
}
