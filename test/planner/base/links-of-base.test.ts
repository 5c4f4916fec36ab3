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

/** What was last applied of a role that is a document of its own by now. */
function appliedOf(...known: readonly BaseObject[]) {
  const desired = [
    document('Service', 'S'),
    document('ServiceRole', { service: 'S', name: 'Partners' }, { action: 'x' }),
  ]
  const live = { roles: [{ id: 'r', name: 'Partners' }], services: [{ id: 's', name: 'S' }] }
  const world = match(manifestsIn(manifestText(desired)), normalize(live), () => '')
  return withLinksInOneForm(new Map(known.map((each) => [each.address, each])), world).get(at)?.fields
}

test('of a link that is a document by now, the list of its parent tells what was applied', () => {
  expect(appliedOf(service)).toEqual({ action: 'read' })
})

test('a record of its own says more than that list', () => {
  expect(appliedOf(service, link({ action: 'write' }))).toEqual({ action: 'write' })
})
