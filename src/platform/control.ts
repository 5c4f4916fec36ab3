import { setFields, type Write } from './area.js'
import type { Entity } from './entity.js'
import { domainKey } from './indexes.js'

/** Actions of the support staff, outside the interface: POST {base_url}/control/domains/{id or name}/approve. */
export function approve(write: Write, method: string, path: string): Response {
  const [, which] = /^\/control\/domains\/([^/]+)\/approve$/.exec(path) ?? []
  if (which === undefined) return new Response(null, { status: 404 })
  if (method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } })
  const domain = findDomain(write, decodeURIComponent(which))
  if (!domain) return Response.json({ errorCode: 404, errorMessage: `There is no domain '${which}'.` }, { status: 404 })
  write.area.store.transact(() => setFields(write, domain, { status: 'active' }), write.now)
  return Response.json({ id: domain.id, ...domain.fields })
}

function findDomain({ area }: Write, which: string): Entity | undefined {
  return area.store.find('Domain', which) ?? area.store.found(domainKey(which))[0]
}
