import { expect, it } from 'vitest'
import { snapshotSummary } from '../../src/report/snapshot.js'

it('the content of a snapshot is listed within the width of the terminal', () => {
  const written = { file: 'area.json', objects: { Service: 7, Endpoint: 26, ErrorMessage: 184, PlanService: 25 } }
  const { output } = snapshotSummary(written, { columns: 60 })
  expect(output).toContain('Wrote area.json: Service 7, Endpoint 26, ErrorMessage\n    184, PlanService 25.\n')
  expect(output.split('\n').filter((line) => line.length > 60)).toEqual([])
})
