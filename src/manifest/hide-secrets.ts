import { kinds } from '../catalog/queries.js'
import type { Place, Problem } from '../problem.js'
import { hide, reframed, type Source } from './source.js'

/** Problems with frames that leave out the secrets found since the problems were made. */
export function withoutSecrets(problems: readonly Problem[], sources: readonly Source[]): readonly Problem[] {
  const byFile = new Map(sources.map((source) => [source.file, source]))
  const again = (place: Place): Place => {
    const source = byFile.get(place.file)
    return source ? reframed(place, source) : place
  }
  return problems.map((problem) => ({
    ...problem,
    ...(problem.place ? { place: again(problem.place) } : {}),
    ...(problem.related
      ? { related: problem.related.map(({ message, place }) => ({ message, place: again(place) })) }
      : {}),
  }))
}

const secretFields = kinds.flatMap((kind) => Object.values(kind.fields).filter((field) => field.secret))
const written = new RegExp(
  `\\b(?:${secretFields.map((field) => field.name).join('|')})["']?[ \\t]*:[ \\t]*([^\\r\\n]+)`,
  'g',
)

/** Hides what stands behind the names of secret fields in a text whose YAML cannot be read. */
export function hideByName(source: Source): void {
  for (const match of source.text.matchAll(written)) {
    const [whole, value = ''] = match
    const end = match.index + whole.length
    if (!/^["']?\$\{/.test(value)) hide({ source, start: end - value.length, end })
  }
}
