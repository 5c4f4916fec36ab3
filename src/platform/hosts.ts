import type { JsonObject } from '../json/json.js'
import type { Answer, PlatformCall } from './call.js'
import { formatDatetime, wholeSeconds } from './dates.js'
import { type Entity, textOf } from './entity.js'
import { routeClaims, textsIn } from './indexes.js'
import { parseListQuery, traitsOf } from './query.js'

/** A list of the hosts that endpoints use: one entry for each use (`uses`), or for each host (`names`). */
export interface HostList {
  readonly field: 'publicDomains' | 'systemDomains'
  readonly displayed: 'uses' | 'names'
}

/** Lists the used hosts in pages, even if no Domain allows them (A232). */
export function actOnHosts(call: PlatformCall, { field, displayed }: HostList): Answer {
  const endpoints = call.reader.lists.store.all('Endpoint')
  const rows =
    displayed === 'names' ? namesOf(endpoints, field) : endpoints.flatMap((endpoint) => usesOf(endpoint, field))
  const { offset, limit } = parseListQuery(call.parameters, traitsOf(displayed, 'Domain', undefined), call.pageCap)
  return { is: 'list', items: rows.slice(offset, offset + limit), total: rows.length }
}

const namesOf = (endpoints: readonly Entity[], field: HostList['field']): readonly JsonObject[] =>
  [...new Set(endpoints.flatMap((endpoint) => textsIn(endpoint.fields[field])))].sort().map((address) => ({ address }))

function usesOf(endpoint: Entity, field: HostList['field']): readonly JsonObject[] {
  const use = {
    id: endpoint.id,
    name: textOf(endpoint, 'name') ?? '',
    created: formatDatetime(wholeSeconds(endpoint.created)),
    updated: formatDatetime(wholeSeconds(endpoint.updated)),
  }
  if (field === 'publicDomains') {
    return routeClaims(endpoint).map(({ host, method, path }) => ({ ...use, domain: host, method, path }))
  }
  const path = textOf(endpoint, 'outboundRequestTargetPath') ?? ''
  return textsIn(endpoint.fields[field]).map((domain) => ({ ...use, domain, path }))
}
