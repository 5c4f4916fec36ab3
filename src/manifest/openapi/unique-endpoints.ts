import { generated } from '../../catalog/openapi.js'
import { sameEndpointName, sameRoute } from '../../problems/openapi.js'
import type { ReportProblem } from '../../problems/problem.js'
import type { Entry, Node } from '../node.js'
import { type LocatedText, placeOf, type SourceRange } from '../source.js'
import { withoutParameters } from './template.js'

/** An endpoint as an OpenAPI file has it, before any layer. */
export interface ApiEndpoint {
  readonly name: LocatedText
  readonly formerly: readonly string[]
  /** The `metadata` of an extension, like that of an inline child. */
  readonly metadata: Node | undefined
  readonly entries: readonly Entry[]
  readonly range: SourceRange
}

/**
 * The first endpoint of each name. The others are reported here, and are left out: otherwise they would be reported again as
 * objects of one address.
 */
export function withoutSameNames(endpoints: readonly ApiEndpoint[], report: ReportProblem): readonly ApiEndpoint[] {
  const known = new Map<string, ApiEndpoint>()
  for (const endpoint of endpoints) {
    const { text } = endpoint.name
    const other = known.get(text)
    if (other) report(sameEndpointName(placeOf(endpoint.range), text, placeOf(other.range)))
    else known.set(text, endpoint)
  }
  return [...known.values()]
}

/**
 * The first endpoint of each route; the others are reported. Calls do not contain the names of parameters. Domains from layers are
 * the same for all endpoints.
 */
export function withoutSameRoutes(endpoints: readonly ApiEndpoint[], report: ReportProblem): readonly ApiEndpoint[] {
  const known = new Map<string, ApiEndpoint>()
  return endpoints.filter((endpoint) => {
    const texts = (name: string) => textsInNode(endpoint.entries.find(({ key }) => key === name)?.value)
    const [path = ''] = texts(generated.route.path)
    const bare = withoutParameters(path)
    const domains = texts(generated.route.domains)
    const routes = texts(generated.route.verbs).flatMap((verb) =>
      (domains.length === 0 ? [''] : domains).map((domain) => ({ verb, domain, key: `${verb} ${domain} ${bare}` })),
    )
    // For each endpoint, only the first such route is reported.
    const taken = routes.find(({ key }) => known.has(key))
    const other = taken && known.get(taken.key)
    if (other) report(sameRoute(placeOf(endpoint.range), `${taken.verb} ${taken.domain}${path}`, placeOf(other.range)))
    for (const { key } of routes) if (!known.has(key)) known.set(key, endpoint)
    return !other
  })
}

/** A domain may be written as {domain} or {address}. */
function textsInNode(node: Node | undefined): readonly string[] {
  switch (node?.is) {
    case undefined:
      return []
    case 'scalar':
      return [String(node.value)]
    case 'list':
      return node.items.flatMap(textsInNode)
    case 'map':
      return node.entries.flatMap(({ value }) => textsInNode(value))
  }
}
