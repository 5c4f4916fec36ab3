import { removeDraftsBeside, rewrite } from '../files/write-file.js'
import type { JsonObject } from '../json/json.js'
import { by } from '../json/order.js'
import { editList } from '../manifest/write/edit-list.js'
import { documentText } from '../manifest/write/yaml-text.js'
import type { Acceptance, Deviation, Seen } from '../planner/safety/acceptance.js'
import { type AcceptedText, acceptanceKey } from './accepted-drift.js'

/**
 * Writes the acceptances in the order of the addresses. Other text in an existing file is kept. `before`: the contents that were
 * read, undefined if there was no file. Throws a ProblemError if the file has changed since.
 */
export function writeAccepted(
  { path, displayed }: { readonly path: string; readonly displayed: string },
  before: AcceptedText | undefined,
  accepted: readonly Acceptance[],
): void {
  const known = before?.accepted ?? []
  const ended = known.flatMap((each, index) => (accepted.includes(each) ? [] : [index]))
  const fresh = accepted.filter((each) => !known.includes(each)).sort(by(acceptanceKey))
  if (ended.length + fresh.length === 0) return
  const edited = before && editList(before.text, 'accepted', new Set(ended), fresh.map(acceptanceEntry))
  const entries = [...accepted].sort(by(acceptanceKey))
  removeDraftsBeside([path])
  rewrite(path, before?.text, edited ?? head + documentText({ accepted: entries.map(acceptanceEntry) }), displayed)
}

const head = `# Drift that somebody accepted: plan and apply leave it alone until "expires" is over, or one of its values is another.
# To end it earlier, remove the entry.
`

const acceptanceEntry = ({ address, url, area, what, reason, owner, expires }: Acceptance): JsonObject => ({
  address,
  ...(url !== undefined && { url }),
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
      return { object: what.is, ...(what.id !== '' && { id: what.id }) }
  }
}

const seenEntry = (side: 'git' | 'live', seen: Seen): JsonObject =>
  seen.is === 'value' ? { [side]: seen.value } : { [`${side}Fingerprint`]: seen.fingerprint }
