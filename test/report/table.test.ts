import { expect, test } from 'vitest'
import { plainColours } from '../../src/report/colours.js'
import { alignedLines, alignedRows, titledLines, wrappedText } from '../../src/report/table.js'
import { gatewright } from '../cli/run.js'

/** Tables in narrow terminals. */

const rows = [
  ['NAME', 'TYPE', 'NOTES'],
  ['orders', 'string', 'what people call it, in a few words'],
  ['x', 'integer', ''],
]

test('columns are side by side if they fit, or if there is no limit', () => {
  const whole = ['NAME    TYPE     NOTES', 'orders  string   what people call it, in a few words', 'x       integer']
  expect(alignedLines(rows)).toEqual(whole)
  expect(alignedLines(rows, { columns: 52 })).toEqual(whole)
})

test('a cell that does not fit is written below its row, with its title', () => {
  expect(alignedLines(rows, { columns: 24 })).toEqual([
    'NAME    TYPE',
    '    NOTES',
    'orders  string',
    '    what people call it,',
    '    in a few words',
    'x       integer',
  ])
})

test('if several columns do not fit, each cell below its row has its title, and cells are not confused', () => {
  const objects = [
    ['Role/A', 'id-1', 'Every visitor', '4'],
    ['Role/B', 'id-2', '', '2'],
  ]
  expect(
    titledLines(['ADDRESS', 'ID', 'description', 'rank'], objects, { colours: plainColours, columns: 20 }),
  ).toEqual([
    'ADDRESS  ID',
    'Role/A   id-1',
    '    description:',
    '    Every visitor',
    '    rank: 4',
    'Role/B   id-2',
    '    rank: 2',
  ])
})

test('the head has no column that no row has', () => {
  const objects = [['Service/Orders API/Endpoint/o', 'id-1', '4']]
  const form = { colours: plainColours, columns: 20 }
  expect(titledLines(['ADDRESS', 'ID', 'rank'], objects, form)).toEqual([
    'ADDRESS',
    'Service/Orders API/Endpoint/o',
    '    ID: id-1  rank:',
    '    4',
  ])
})

test('a name that is wider than the terminal is not cut', () => {
  expect(alignedLines([['Service/a long name', 'id']], { columns: 10 })).toEqual(['Service/a long name', '    id'])
})

test.each([['explain'], ['explain', 'Endpoint'], ['explain', 'Endpoint.cors'], ['explain', 'Plan.rateLimitPeriod']])(
  '%s %s fits 60 columns',
  async (...words) => {
    const { stdout } = await gatewright(words, { terminal: true, columns: 60, env: { NO_COLOR: '1' } })
    // A word that is wider is not cut, such as a path.
    expect(stdout.split('\n').filter((line) => line.length > 60 && line.trim().includes(' '))).toEqual([])
  },
)

test('a text with a margin has it before each of its lines, and fits the width', () => {
  const lines = ['  update Role/R', '      (description)']
  expect(wrappedText('update Role/R (description)', { columns: 20, margin: 2 })).toEqual(lines)
})

test('row by row, a cell that is too wide does not widen the others', () => {
  const cells = [
    ['+ Role/R', 'roles.yaml:3'],
    ['+ Application/A/PackageKey/P', 'members.yaml:25'],
    ['+ Role/Longer', 'roles.yaml:9'],
  ]
  expect(alignedRows(cells, { columns: 30 })).toEqual([
    ['+ Role/R       roles.yaml:3'],
    ['+ Application/A/PackageKey/P', '    members.yaml:25'],
    ['+ Role/Longer  roles.yaml:9'],
  ])
})

test('row by row, a cell beside another one does not limit the width of other rows', () => {
  const cells = [
    ['a', 'created', 'roles.yaml:3'],
    ['b'.repeat(20), 'changed', 'roles.yaml:9'],
  ]
  expect(alignedRows(cells, { columns: 32 })).toEqual([
    ['a  created  roles.yaml:3'],
    [`${'b'.repeat(20)}  changed`, '    roles.yaml:9'],
  ])
})
