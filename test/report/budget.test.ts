import { describe, expect, test } from 'vitest'
import type { ChangeDocument, PlanDocument } from '../../src/documents/plan.js'
import { driftDocument, planDocument } from '../../src/documents/plan.js'
import { commentBudget } from '../../src/report/budget.js'
import { driftMarkdown } from '../../src/report/drift-markdown.js'
import { planMarkdown } from '../../src/report/plan-markdown.js'
import { context, emptyPlan } from './sample-plan.js'

/** A plan of three services with 900 endpoints, of which some are deleted, some updated, most created. */
const large = planOf(planDocument(emptyPlan, [], context))

function planOf(plan: PlanDocument): PlanDocument {
  const changes = Array.from({ length: 900 }, (_, index) => changeOf(index))
  const summary = { ...plan.summary, create: 798, update: 99, delete: 3 }
  const note = { code: 'a-note', severity: 'note' as const, message: 'x'.repeat(500) }
  const refused = [{ code: 'limit-deletes', severity: 'error' as const, message: 'too many deletes' }]
  return { ...plan, changes, summary, refused, diagnostics: Array.from({ length: 40 }, () => note) }
}

function changeOf(index: number): ChangeDocument {
  const rest = index % 9 === 1 ? 'update' : 'create'
  const action = index % 300 === 0 ? 'delete' : rest
  const value = index === 1 ? 'line\n'.repeat(50_000) : 'v'.repeat(200)
  return {
    address: `Service/S${index % 3}/Endpoint/e${index}`,
    kind: 'Endpoint',
    action,
    fields: [{ path: '/requestPathAlias', after: value, sensitive: false, verdict: 'pending' }],
    dependsOn: [],
    precondition: 'sha256:1',
    hazards: [],
    side: 'live',
  }
}

const count = (text: string, part: string): number => text.split(part).length - 1

describe('a plan that is larger than a comment may be', () => {
  test.each([2_000, 5_000, 20_000, commentBudget])('fits into %i characters, with whole parts only', (budget) => {
    const { output } = planMarkdown(large, { budget })
    expect(output.length).toBeLessThanOrEqual(budget)
    expect(output).toContain('### `Plan for https://api.example.com')
    expect(output).toContain('too many deletes')
    expect(output).toContain('**798 to create, 99 to update, 3 to delete; 40 unchanged**')
    expect(count(output, '<details>')).toBe(count(output, '</details>'))
    expect(count(output, '```') % 2).toBe(0)
    // Omitted parts are counted, and all others are there.
    const rest = (word: string) =>
      Number(new RegExp(`(\\d+) ${word}s?\\b`).exec(output.split('Left out')[1] ?? '')?.[1] ?? 0)
    expect(rest('delete') + count(output, '**delete**')).toBe(3)
    expect(rest('update') + count(output, '**update**')).toBe(99 + 1)
    expect(rest('create') + count(output, '**create**')).toBe(900 - 103)
  })

  test('omits creates first, then updates; a change that is too large keeps its beginning', () => {
    const { output } = planMarkdown(large)
    expect(count(output, '**delete**')).toBe(3)
    expect(output).toContain('`Service/S1/Endpoint/e1`')
    expect(output).toMatch(/details of \d+ more/)
    expect(output.indexOf('Left out')).toBeLessThan(output.indexOf('<details>'))
  })

  test('is complete if there is room', () => {
    const { output } = planMarkdown(large, { budget: 10_000_000 })
    expect(output).not.toContain('Left out')
    expect(count(output, '**create**')).toBe(797)
  })
})

test('a drift fits as well', () => {
  const { output } = driftMarkdown(planOf(driftDocument(emptyPlan, context)), { budget: 5_000 })
  expect(output.length).toBeLessThanOrEqual(5_000)
  expect(output).toMatch(/\*\*Left out, to fit into a comment:\*\* \d+ objects that differ/)
})
