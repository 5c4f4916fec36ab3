import { expect, test } from 'vitest'
import { plainColours } from '../../src/report/colours.js'
import { layerWords } from '../../src/report/diff.js'
import { liveText } from '../../src/report/live.js'

test('a long value is cut between two characters, never inside one', () => {
  const field = { name: 'description', value: `${'x'.repeat(38)}${'\u{1f600}'.repeat(5)}`, rank: 1 }
  const document = { address: 'Service/S', kind: 'Service' as const, id: 's1', name: 'S', fields: [field] }
  const { output } = liveText([document], { colours: plainColours, form: 'table' })
  expect(output).toContain(`${'x'.repeat(38)}\u{1f600}…`)
  expect(output).not.toMatch(/\p{Cs}/u)
})

test('the same is true for a long value of a layer in a diff', () => {
  const said = {
    layer: 'values of prod',
    file: 'gatewright.yaml',
    line: 1,
    column: 1,
    value: `${'x'.repeat(58)}${'\u{1f600}'.repeat(5)}`,
  }
  const layer = {
    is: 'value',
    name: 'text',
    sensitive: false,
    fields: [],
    count: 1,
    objects: ['Service/S'],
    omitted: [],
    b: said,
  } as const
  expect(layerWords(layer).words).not.toMatch(/\p{Cs}/u)
})

test('an id that is also a field of the object is displayed once', () => {
  const fields = [{ name: 'id', value: 'ERR_1', rank: undefined }]
  const document = { address: 'ErrorMessage/ERR_1', kind: 'ErrorMessage' as const, id: 'ERR_1', name: 'ERR_1', fields }
  const { output } = liveText([document], { colours: plainColours, form: 'whole' })
  expect(output).toBe('ErrorMessage/ERR_1\n  id  ERR_1\n')
})
