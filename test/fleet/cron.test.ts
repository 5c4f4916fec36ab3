import { expect, it } from 'vitest'
import { cronLine } from '../../src/fleet/cron.js'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

it.each([
  ['17 */6 * * *', 4, 6 * hour],
  ['0 0 * * *', 1, day],
  ['*/5 * * * *', 288, 5 * minute],
  ['0 8,20 * * *', 2, 12 * hour],
  ['0 9-17/4 * * mon-fri', 3, 4 * hour],
  ['30 6 * * 1', 1, 7 * day],
  ['30 6 * * 0,7', 1, 7 * day],
  ['30 6 * * mon,thu', 1, 3 * day],
  ['0 0 1,15 * *', 1, 14 * day],
  ['0 0 1 jan *', 1, 28 * day],
  ['5-59/20 0 * * *', 3, 20 * minute],
  ['0 1,23 * * *', 2, 2 * hour],
])('%s runs %i times a day, with at least that interval', (line, runsPerDay, shortestGapMs) => {
  expect(cronLine(line)).toEqual({ runsPerDay, shortestGapMs })
})

it.each([
  ['0 0 * *', 'five'],
  ['', 'five'],
  ['@daily', 'five'],
  ['60 * * * *', '"60" is no minute'],
  ['* 24 * * *', '"24" is no hour'],
  ['* * 0 * *', '"0" is no day of the month'],
  ['* * * 13 *', '"13" is no month'],
  ['* * * * 8', '"8" is no day of the week'],
  ['* * * * fry', '"fry" is no day of the week'],
  ['5-1 * * * *', '"5-1" is no minute'],
  ['*/0 * * * *', '"*/0" is no minute'],
  ['*-5 * * * *', '"*-5" is no minute'],
  ['5/20 * * * *', '"5/20" is no minute'],
  ['0 0 30 2 *', 'none of its months'],
  ['0 0 31 9,11 mon', 'none of its months'],
  ['a b c d e', '"a" is no minute; "b" is no hour'],
])('%s is refused', (line, words) => {
  expect(cronLine(line)).toMatchObject({ fault: expect.stringContaining(words) })
})
