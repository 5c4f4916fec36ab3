import { expect, test } from 'vitest'
import { normalize } from '../../src/client/normalize.js'
import { indexLive } from '../../src/live/live-index.js'
import { differences } from '../../src/planner/compare/fields.js'
import { match } from '../../src/planner/match/match.js'
import { noRemovals } from '../../src/planner/references/scope.js'
import { document, manifestText } from '../kit/manifests.js'
import { manifestsIn } from '../manifest/manifests-of.js'

/** Links that nobody requested: code that relies on them fails, because an empty list would look like a value. */

const raw = { services: [{ id: 's1', name: 'S' }], roles: [{ id: 'r1', name: 'R' }] }
const manifests = manifestsIn(manifestText([document('Service', 'S', { roles: ['R'] })]))

test('comparing a list that was not read is an error of the program, and not the result "no difference"', () => {
  const world = match(manifests, normalize(raw, ['Service', 'Role'], []), () => '')
  const [resource] = manifests.resources
  const [service] = world.live.all
  if (!resource || !service) throw new Error('the test lacks its objects')
  const references = { names: world, removals: noRemovals }
  expect(() => differences(resource, service, references)).toThrow('were not read')
})

test('so is searching links that were not read; unsupported links, and those of a saved area, are empty', () => {
  const among = (notOffered?: readonly 'ServiceRole'[]) => {
    const live = indexLive(normalize(raw, ['Service', 'Role'], notOffered))
    return live.among('ServiceRole', live.all[0])
  }
  expect(() => among([])).toThrow('were not read')
  expect(among(['ServiceRole'])).toEqual([])
  expect(among()).toEqual([])
})
