import { type Json, textEntries } from '../json/json.js'
import type { RouteRow } from './types.js'

/**
 * All combinations of verb, domain and path of an endpoint, which are unique (field notes, Writing). Without verbs, there is one
 * route for each domain and path.
 */
export function routesIn({ verbs, domains, path }: RouteRow, valueIn: (field: string) => Json): readonly string[] {
  const at = valueIn(path)
  if (typeof at !== 'string') return []
  const words = textEntries(valueIn(verbs))
  return textEntries(valueIn(domains)).flatMap((domain) =>
    (words.length === 0 ? [''] : words).map((verb) => `${verb} ${domain.toLowerCase()} ${at}`),
  )
}
