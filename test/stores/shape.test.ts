import { describe, expect, it } from 'vitest'
import { isEntry, isReceipt, isRunHead } from '../../src/stores/shape.js'
import { everyAnnouncedField, everyHeadField, everyReceiptField, everySettledField } from './every-field.js'

const key = { url: 'https://platform.example', area: 'a', project: 'p' }

describe('a record that is read back', () => {
  it.each([
    ['the head of a run', isRunHead, everyHeadField(key)],
    ['an announced step', isEntry, everyAnnouncedField],
    ['its changes', (changes: unknown) => isEntry({ ...everyAnnouncedField, changes }), everyAnnouncedField.changes],
    ['an outcome', isEntry, everySettledField],
    ['an image', (after: unknown) => isEntry({ ...everySettledField, after }), everySettledField.after],
    ['a receipt', isReceipt, everyReceiptField],
  ] as const)('is damaged if a field has another type: %s', (_, is, whole) => {
    expect(is(whole)).toBe(true)
    // No field of a record is a list of numbers.
    const accepted = Object.keys(whole ?? {}).filter((field) => is({ ...whole, [field]: [5] }))
    expect(accepted).toEqual([])
  })
})
