import { expect, test } from 'vitest'
import { catalog } from '../../src/catalog/catalog.js'
import { withTargetIds } from '../../src/client/link-targets.js'

const roles = new Map([
  ['1', 'Admins'],
  ['2', 'Partners'],
])
const targets = (...links: readonly (readonly [id: number, name?: string])[]) =>
  withTargetIds(
    catalog.Service,
    [{ id: 's', roles: links.map(([id, name]) => ({ id, ...(name !== undefined && { name }) })) }],
    () => roles,
  ).flatMap((object) => (object.roles as readonly { id: unknown }[]).map(({ id }) => id))

test('a link whose id is by chance that of another role means the role that it names', () => {
  expect(targets([1, 'Partners'], [7, 'Admins'])).toEqual(['2', '1'])
})

test('if a link has the id of the role that it names, or names none, its id is used', () => {
  expect(targets([2, 'Partners'], [9, 'Gone'])).toEqual([2, 9])
  expect(targets([1])).toEqual([1])
})
