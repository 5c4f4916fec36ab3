import type { Json } from '../json/json.js'
import { asList } from '../json/json.js'
import type { RouteRow } from './types.js'

/** Every verb × domain × path of an endpoint, which are unique (field notes, Writing); without verbs it takes them all as one. */
export function routesIn({ verbs, domains, path }: RouteRow, valueIn: (field: string) => Json): readonly string[] {
  const at = valueIn(path)
  if (typeof at !== 'string') return []
  const words = texts(valueIn(verbs))
  return texts(valueIn(domains)).flatMap((domain) =>
    (words.length === 0 ? [''] : words).map((verb) => `${verb} ${domain.toLowerCase()} ${at}`),
  )
}

const texts = (value: Json): readonly string[] => asList(value).filter((each) => typeof each === 'string')
