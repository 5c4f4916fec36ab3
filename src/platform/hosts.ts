import type { JsonObject } from '../json/json.js'
import type { Answer, PlatformCall } from './call.js'
import { formatDatetime, wholeSeconds } from './dates.js'
import { type Entity, entityText } from './entity.js'
import { listedTexts, routeClaims } from './indexes.js'
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
    displayed === 'names' ? hostNames(endpoints, field) : endpoints.flatMap((endpoint) => usesOf(endpoint, field))
  const { offset, limit } = parseListQuery(call.parameters, traitsOf(displayed, 'Domain', undefined), call.pageCap)
  return { is: 'list', items: rows.slice(offset, offset + limit), total: rows.length }
}

const hostNames = (endpoints: readonly Entity[], field: HostList['field']): readonly JsonObject[] =>
  [...new Set(endpoints.flatMap((endpoint) => listedTexts(endpoint.fields[field])))]
    .sort()
    .map((address) => ({ address }))

function usesOf(endpoint: Entity, field: HostList['field']): readonly JsonObject[] {
  const use = {
    id: endpoint.id,
    name: entityText(endpoint, 'name') ?? '',
    created: formatDatetime(wholeSeconds(endpoint.created)),
    updated: formatDatetime(wholeSeconds(endpoint.updated)),
  }
  if (field === 'publicDomains') {
    return routeClaims(endpoint).map(({ host, method, path }) => ({ ...use, domain: host, method, path }))
  }
  const path = entityText(endpoint, 'outboundRequestTargetPath') ?? ''
  return listedTexts(endpoint.fields[field]).map((domain) => ({ ...use, domain, path }))
}
