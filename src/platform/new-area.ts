import type { JsonObject } from '../json/json.js'
import type { Write } from './area.js'

/** Creates the objects of a new area: a predefined role and a set of email templates. */
export function fillNewArea(write: Write): void {
  insert(write, 'Role', undefined, {
    name: 'Everyone',
    description: 'Every visitor of the portal',
    isPredefined: true,
    isOrgrole: false,
    isAssignable: true,
  })
  for (const [type, subject] of templates) {
    insert(write, 'EmailTemplate', '1', { type, subject, from: 'portal@example.com', body: `${subject}.` })
  }
}

const templates = [
  ['keyIssued', 'Your key was issued'],
  ['keyDisabled', 'Your key was disabled'],
  ['nearQuota', 'Your key is close to its quota'],
  ['overQuota', 'Your key has used up its quota'],
] as const

function insert(write: Write, kind: 'Role' | 'EmailTemplate', owner: string | undefined, fields: JsonObject): void {
  const { area, now } = write
  const id = area.ids.of(kind)
  area.store.insert({ kind, id, parent: undefined, slot: '', owner, created: now, updated: now, fields })
}
