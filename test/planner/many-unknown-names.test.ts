import { describe, expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { planOf } from './plans.js'

/** With 1,000 known names, the limit of 200,000 comparisons is reached after 201 unknown ones. */
const count = 1000
const range = Array.from({ length: count }, (_, index) => index)
const suggestions = (problems: readonly { readonly hint?: string | undefined }[]): number =>
  problems.filter(({ hint }) => hint?.startsWith('did you mean')).length

const live = { services: range.map((index) => ({ id: `s${index}`, name: `service ${index}` })) }

describe('1,000 misspelt names among 1,000 live ones', () => {
  test('of references have suggestions at first', () => {
    const plans = range.map((index) => ({ name: 'Gold', services: [{ name: `servcie ${index}` }] }))
    const { problems } = planOf(
      plans.map((plan, index) => document('Package', `P${index}`, { plans: [plan] })),
      live,
    )
    expect(problems.map(({ code }) => code)).toEqual(range.map(() => 'reference-to-nothing'))
    expect(suggestions(problems)).toBe(201)
  })

  test('of parents have suggestions at first', () => {
    const endpoint = (index: number) => document('Endpoint', { service: `servcie ${index}`, name: 'e' }, {})
    const { problems } = planOf(range.map(endpoint), live)
    expect(problems.map(({ code }) => code)).toEqual(range.map(() => 'parent-not-found'))
    expect(suggestions(problems)).toBe(201)
  })
})
