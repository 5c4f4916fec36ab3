import { expect, test } from 'vitest'
import { normalize } from '../../../src/client/normalize.js'
import type { JsonObject } from '../../../src/json/json.js'
import type { BaseObject } from '../../../src/planner/base/base-object.js'
import { withLinksInOneForm } from '../../../src/planner/base/links-of-base.js'
import { match } from '../../../src/planner/match/match.js'
import { document, manifestText } from '../../kit/manifests.js'
import { manifestsIn } from '../../manifest/manifests-of.js'

const at = 'Service/S/ServiceRole/Partners'
const service: BaseObject = {
  ...{ address: 'Service/S', kind: 'Service', id: 's', fingerprints: {} },
  fields: { roles: [{ name: 'Partners', action: 'read' }] },
}
const link = (fields: JsonObject): BaseObject => ({
  address: at,
  kind: 'ServiceRole',
  id: 'r',
  fields,
  fingerprints: {},
})

/** What was last applied of a role that has its own document now. */
function appliedOf(...known: readonly BaseObject[]) {
  const desired = [
    document('Service', 'S'),
    document('ServiceRole', { service: 'S', name: 'Partners' }, { action: 'x' }),
  ]
  const live = { roles: [{ id: 'r', name: 'Partners' }], services: [{ id: 's', name: 'S' }] }
  const world = match(manifestsIn(manifestText(desired)), normalize(live), () => '')
  return withLinksInOneForm(new Map(known.map((each) => [each.address, each])), world).get(at)?.fields
}

test('if a link has its own document now, the base takes its fields from the list of its parent', () => {
  expect(appliedOf(service)).toEqual({ action: 'read' })
})

test("the link's own record takes precedence over that list", () => {
  expect(appliedOf(service, link({ action: 'write' }))).toEqual({ action: 'write' })
})
