import type { Dialect } from './settings.js'

/** Sorts the elements of a list into some order. */
export type Arrange = <Element>(elements: readonly Element[]) => readonly Element[]

/**
 * Returns a function that gives a new order for each answer. The document's dialect keeps the order of creation. Recorded
 * platforms return nested arrays in another order at every read (field notes, Reading); here that order is repeatable.
 */
export function makeShuffle(dialect: Dialect): () => Arrange {
  let answers = 0
  return () => {
    answers += 1
    return dialect === 'recorded' ? shuffleWith(answers) : asTheyCame
  }
}

const asTheyCame: Arrange = (elements) => elements

function shuffleWith(seed: number): Arrange {
  let state = Math.imul(seed, 2_654_435_761) >>> 0
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  return (elements) => {
    const rest = [...elements]
    const shuffled: typeof rest = []
    while (rest.length > 0) shuffled.push(...rest.splice(next(rest.length), 1))
    return shuffled
  }
}
