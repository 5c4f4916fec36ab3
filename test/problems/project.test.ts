import { expect, test } from 'vitest'
import { missingSettings } from '../../src/problems/project.js'

test('settings that are given in the same way share a line', () => {
  const how = 'set in the environment'
  const { message, hint } = missingSettings([
    { what: 'the url', how: '--url' },
    { what: 'A', how },
    { what: 'B', how },
  ])
  expect(message).toBe('the platform cannot be reached without the url, A, B')
  expect(hint).toBe('the url: --url\nA, B: set in the environment')
})
