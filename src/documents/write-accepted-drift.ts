import { writeWhole } from '../files/write-file.js'
import type { JsonObject } from '../json/json.js'
import { by } from '../json/order.js'
import { documentText } from '../manifest/write/yaml-text.js'
import type { Acceptance, Deviation, Seen } from '../planner/safety/acceptance.js'
import { acceptanceKey } from './accepted-drift.js'

/** Writes what is accepted, in the order of the addresses. */
export function writeAccepted(path: string, shown: string, accepted: readonly Acceptance[]): void {
  const entries = [...accepted].sort(by(acceptanceKey))
  writeWhole(path, head + documentText({ accepted: entries.map(entryOf) }), 'as before', shown)
}

const head = `# Drift that somebody accepted: plan and apply leave it alone until "expires" is over, or one of its values is another.
# To end it earlier, remove the entry.
`

const entryOf = ({ address, area, what, reason, owner, expires }: Acceptance): JsonObject => ({
  address,
  ...(area !== undefined && { area }),
  ...deviationEntry(what),
  ...{ reason, owner, expires },
})

function deviationEntry(what: Deviation): JsonObject {
  switch (what.is) {
    case 'field':
      return { path: what.path, ...seenEntry('git', what.git), ...seenEntry('live', what.live) }
    case 'deleted':
      return { object: what.is }
    case 'created':
      return { object: what.is, id: what.id }
  }
}

const seenEntry = (side: 'git' | 'live', seen: Seen): JsonObject =>
  seen.is === 'value' ? { [side]: seen.value } : { [`${side}Fingerprint`]: seen.fingerprint }
