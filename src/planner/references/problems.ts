import { markAt } from '../../manifest/reference-use.js'
import { placeOf } from '../../manifest/source.js'
import { ambiguousReference, referenceToNothing, referenceToRemoved } from '../../problems/planning.js'
import type { Problem } from '../../problems/problem.js'
import type { BrokenReference, Names } from './scope.js'

/** What is wrong with references: each once, however often it was resolved. */
export function referenceProblems(all: readonly BrokenReference[], names: Names): readonly Problem[] {
  const problems = new Map<string, Problem>()
  for (const broken of all) {
    const { from, at, kind, name } = broken
    const reference = `${from.address} ${at} ${kind} ${name.name} ${name.id ?? ''}`
    if (!problems.has(reference)) problems.set(reference, problemOf(broken, names))
  }
  return [...problems.values()]
}

function problemOf({ from, at, kind, name, parent, found }: BrokenReference, names: Names): Problem {
  const place = placeOf(markAt(from, at))
  if (found === 'nothing') {
    const referred = { kind, name: name.name, id: name.id, parent: parent?.address }
    return referenceToNothing(referred, from.address, names.namesThere(kind, parent), place)
  }
  if (found !== 'several') return referenceToRemoved(found.address, from.address, place)
  const ids = names.live.find(kind, parent?.live, name.name).map((object) => object.id)
  return ambiguousReference(kind, name.name, from.address, [...ids].sort(), place)
}
