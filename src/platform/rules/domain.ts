import { below, complain, type PlatformArea, setFields, type Write } from '../area.js'
import { entityText } from '../entity.js'
import { domainKey } from '../indexes.js'
import type { KindRules } from '../kind-rules.js'

/** A new domain waits for an approval, which happens outside the interface. Names are unique. */
export const domainRules: KindRules = {
  generate: (write, entity) => setFields(write, entity, { status: write.area.settings.domainStatus }),
  check: (write, entity, { mode, before, path }) => {
    const name = entityText(entity, 'domain') ?? ''
    if (write.area.store.found(domainKey(name)).some((other) => other !== entity)) {
      complain(write, below(path, 'domain'), `Domain '${name}' is a duplicate value.`)
    }
    // With a new name, the domain needs a new approval.
    if (mode === 'update' && before.domain !== name) {
      setFields(write, entity, { status: write.area.settings.domainStatus })
    }
  },
}

/** Complains about a host that is not an active domain of the area and does not end in one. */
export function checkHost(write: Write, host: string, path: string): void {
  if (!isAllowed(write.area, host)) complain(write, path, `Property '${host}' is not a valid domain.`)
}

function isAllowed({ store }: PlatformArea, host: string): boolean {
  const labels = host.toLowerCase().replace(/:\d+$/, '').split('.')
  return labels.some((_, index) =>
    store.found(domainKey(labels.slice(index).join('.'))).some((domain) => domain.fields.status === 'active'),
  )
}
