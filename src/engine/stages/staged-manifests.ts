import type { Json, JsonObject } from '../../json/json.js'
import type { LiveObject } from '../../live/live-object.js'
import { addressOfLive } from '../../live/names.js'
import { fieldsForm } from '../../live/object-form.js'
import type { FormContext } from '../../live/references-form.js'
import type { Variables } from '../../live/variables.js'
import { type Problem, ProblemError } from '../../problems/problem.js'
import { inOneStage, nothingInStages, severalStagesInName } from '../../problems/stages.js'
import { documentsOf, wordValues } from './documents.js'
import { allIn, familyMembers, groupShared, type Staged } from './families.js'
import { allStages, formOf, type ManifestForm, namesInStages } from './forms.js'
import { lifted } from './lift.js'
import { canMerge, type Merging, mergedFields } from './merge.js'
import { type StageWords, valuePlaceholder } from './stage-words.js'
import { type StagedValue, Vectors } from './vectors.js'

/** The manifests of an area that contains each object once for each stage. */
export interface StagedManifests {
  /** Root objects with their documents: their own, and those of the objects inside them that need separate documents. */
  readonly roots: readonly StagedRoot[]
  /** The values that differ between the stages. */
  readonly values: readonly StagedValue[]
  /** Defaults of the project, by kind. */
  readonly defaults: JsonObject
  readonly problems: readonly Problem[]
}

interface StagedRoot {
  /** One of its live objects. Its key is the name without the stage's word. */
  readonly object: LiveObject
  readonly documents: readonly JsonObject[]
}

/** The input for writing live objects. `variables` are those of all secrets, whether or not they are written. */
interface StageWriting {
  readonly words: StageWords
  readonly forms: FormContext
  readonly variables: Variables
}

/** The manifests: one for objects that differ only by the stage's word, and one for each object that the stages share. */
export function stagedManifests(roots: readonly LiveObject[], writing: StageWriting): StagedManifests {
  const { words, forms } = writing
  const known = new Map<LiveObject, JsonObject>()
  const fieldsOf = (object: LiveObject): JsonObject => {
    const fields = known.get(object) ?? fieldsForm(object, forms)
    known.set(object, fields)
    return fields
  }
  const vectors = new Vectors(words.values.map(({ name }) => name))
  const merging: Merging = { ...writing, fieldsOf, vary: (vector, place) => vectors.expression(vector, place) }
  const unclear: LiveObject[] = []
  const staged = groupShared(roots, {
    words,
    forms,
    canShare: (objects, kind) => canMerge({ kind, objects }, merging),
    unclear: (object) => unclear.push(object),
  })
  noteVectors(staged, vectors, merging)
  const isGiven = (environments: readonly string[] | undefined, value: Json): boolean => {
    const stages = environments?.map((each) => words.stages.indexOf(each))
    return vectors.isGivenIn(stages ?? allStages(merging), value)
  }
  const all = lifted(
    staged.map((each) => formOf(each, allStages(merging), merging)),
    isGiven,
  )
  const written = all.roots.map((form) => ({ object: plainlyNamed(form, words), documents: documentsOf(form) }))
  const texts = JSON.stringify([written.map(({ documents }) => documents), all.defaults])
  return {
    roots: written,
    // A value that several objects share may have become part of a default, so only the values that are in the text are kept.
    values: [
      ...wordValues(words, texts),
      ...vectors.values.filter(({ name }) => texts.includes(valuePlaceholder(name))),
    ],
    defaults: all.defaults,
    problems: stageProblems(staged, unclear, words),
  }
}

/** Finds the values that differ between the stages. */
function noteVectors(staged: readonly Staged[], vectors: Vectors, merging: Merging): void {
  const noting: Merging = {
    ...merging,
    vary: (vector, place) => {
      vectors.note(vector, place)
      return null
    },
  }
  for (const each of allIn(staged)) {
    namesInStages(each, noting)
    mergedFields(each, noting)
  }
  vectors.finish()
}

/** The object with a name for its file, which contains no stage. */
function plainlyNamed({ object, names }: ManifestForm, words: StageWords): LiveObject {
  const name = typeof names.name === 'string' ? names.name : object.key
  const plain = words.values.reduce((text, value) => text.replaceAll(valuePlaceholder(value.name), ' '), name).trim()
  return { ...object, key: plain === '' ? object.key : plain }
}

/** The problems that a reader should check. Throws a ProblemError if no object is in several stages. */
function stageProblems(
  staged: readonly Staged[],
  unclear: readonly LiveObject[],
  { stages }: StageWords,
): readonly Problem[] {
  const isFamily = [...allIn(staged)].some((each) => familyMembers(each).length > 1)
  if (!isFamily) throw new ProblemError([nothingInStages(stages)])
  const alone = outermostAlone(staged)
  return [
    ...(unclear.length === 0 ? [] : [severalStagesInName(unclear.map(addressOfLive))]),
    ...(alone.length === 0 ? [] : [inOneStage(alone.map(addressOfLive))]),
  ]
}

const outermostAlone = (staged: readonly Staged[]): readonly LiveObject[] =>
  staged.flatMap((each) => {
    const members = familyMembers(each)
    const isAlone = members.length === 1 && each.objects.includes(undefined)
    return isAlone ? members : outermostAlone(each.children.flatMap(({ items }) => items))
  })
