import { isObject, type Json } from '../../json/json.js'
import { literalPattern } from '../../json/word-pattern.js'

/** Finds the words of stages in texts, and replaces them by the placeholder of their value. */

/** `exact`: a word as it was given. `any case`: also in lower and upper case, as in hosts and paths. */
export type WordForm = 'exact' | 'any case'

/** A value for a word: its name, and the word of each stage. */
interface StageValue {
  readonly name: string
  readonly words: readonly string[]
}

export interface StageWords {
  readonly stages: readonly string[]
  /**
   * The indexes of the stages whose words are in a text. A word inside a longer one, such as PROD in PRE-PROD, does not count.
   */
  stagesIn(text: string, spelling: WordForm): readonly number[]
  /** The value with placeholders for the words of one stage, in all its texts. */
  templated(value: Json, stage: number, spelling: WordForm): Json
  /** The values for which texts can contain placeholders. */
  readonly values: readonly StageValue[]
}

/**
 * The pattern of a word. There may be no letter and no digit beside it. It may not follow a `$`, because the placeholder would
 * not be read as one.
 */
export const asWord = (text: string): string => `(?<![\\p{L}\\p{N}$])${literalPattern(text)}(?![\\p{L}\\p{N}])`

/** The name of the value for the stage's word as it was given. */
export const stageValue = 'stage'

const spellings: readonly { readonly name: string; readonly of: (stage: string) => string }[] = [
  { name: stageValue, of: (stage) => stage },
  { name: `${stageValue}Lower`, of: (stage) => stage.toLowerCase() },
  { name: `${stageValue}Upper`, of: (stage) => stage.toUpperCase() },
]

export const valuePlaceholder = (name: string): string => `\${value:${name}}`

export function stageWords(stages: readonly string[]): StageWords {
  const values = distinctValues(stages)
  const all = values.map(({ words }) => words.map((word) => new RegExp(asWord(word), 'gu')))
  const byStage = stages.map((_, stage) => all.flatMap((patterns) => patterns[stage] ?? []))
  const exact = byStage.map((patterns) => patterns.slice(0, 1))
  const patternsOf = (stage: number, spelling: WordForm): readonly RegExp[] =>
    (spelling === 'exact' ? exact : byStage)[stage] ?? []
  const replaced = (text: string, stage: number, spelling: WordForm): string =>
    patternsOf(stage, spelling).reduce(
      (done, pattern, index) => replacedAround(done, pattern, valuePlaceholder(values[index]?.name ?? stageValue)),
      text,
    )
  const templated = (value: Json, stage: number, spelling: WordForm): Json => {
    if (typeof value === 'string') return replaced(value, stage, spelling)
    if (value === null || typeof value !== 'object') return value
    if (!isObject(value)) return value.map((each) => templated(each, stage, spelling))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, templated(each, stage, spelling)]))
  }
  return {
    stages,
    values,
    stagesIn: (text, spelling) => {
      const found = stages.flatMap((_, stage) =>
        patternsOf(stage, spelling).flatMap((pattern) => [...text.matchAll(pattern)].map((word) => ({ stage, word }))),
      )
      const own = found.filter(({ word }) => !found.some((other) => holds(other.word, word)))
      return stages.flatMap((_, stage) => (own.some((each) => each.stage === stage) ? [stage] : []))
    },
    templated,
  }
}

/** Whether one word is a part of another one: PROD in PRE-PROD. */
const holds = (outer: RegExpExecArray, inner: RegExpExecArray): boolean =>
  outer[0].length > inner[0].length &&
  outer.index <= inner.index &&
  outer.index + outer[0].length >= inner.index + inner[0].length

/** Replaces words outside of placeholders: the name of a variable is not part of the text. */
const replacedAround = (text: string, pattern: RegExp, by: string): string =>
  text
    .split(/((?<!\$)\$\{[^}]*\})/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(pattern, () => by)))
    .join('')

/** The values with different words. If a spelling equals that of an earlier value in every stage, it gets no value. */
function distinctValues(stages: readonly string[]): readonly StageValue[] {
  const found: StageValue[] = []
  for (const { name, of } of spellings) {
    const words = stages.map(of)
    if (!found.some((each) => each.words.every((word, index) => word === words[index]))) found.push({ name, words })
  }
  return found
}
