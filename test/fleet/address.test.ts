import { expect, it } from 'vitest'
import { plainAddress } from '../../src/fleet/address.js'

it.each([
  ['10.0.0.5', '10.0.0.5'],
  ['::ffff:10.0.0.5', '10.0.0.5'],
  ['fd00:0::0005', '[fd00::5]'],
  ['::1', '[::1]'],
  ['256.0.0.1', undefined],
  ['10.0.0.0/8', undefined],
  ['1::2::3', undefined],
  ['proxy.local', undefined],
  ['', undefined],
])('%j is spelt %j', (written, plain) => {
  expect(plainAddress(written)).toBe(plain)
})
