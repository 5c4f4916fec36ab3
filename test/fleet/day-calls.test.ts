import { describe, expect, it } from 'vitest'
import { type CallBook, callsForJob, type JobCalls } from '../../src/fleet/day-calls.js'

const noon = Date.parse('2027-01-31T12:00:00Z')
const nextNoon = noon + 24 * 60 * 60_000

/** A book in memory, with the calls of each day. */
function book(): { readonly days: Record<string, number>; readonly calls: CallBook } {
  const days: Record<string, number> = {}
  return {
    days,
    calls: {
      take: ({ day, perDay }, { least, most }) => {
        const left = perDay - (days[day] ?? 0)
        const taken = left < least ? 0 : Math.min(left, most)
        days[day] = (days[day] ?? 0) + taken
        return Promise.resolve(taken)
      },
      giveBack: ({ day }, calls) => {
        days[day] = (days[day] ?? 0) - calls
        return Promise.resolve()
      },
    },
  }
}

const key = { key: 'shared', perDay: 100, command: 'apply' } as const

async function begun(calls: CallBook, expected: number | undefined, now = () => noon): Promise<JobCalls> {
  const job = await callsForJob({ ...key, expected }, calls, now)
  if (job === 'none left') throw new Error('none left')
  return job
}

describe('the calls of a day', () => {
  it('are reserved as the last job needed them; unused ones are returned', async () => {
    const { days, calls } = book()
    const job = await begun(calls, 30)
    expect(days).toEqual({ '2027-01-31': 30 })
    expect(await job.take({ calls: 20, unused: 0 })).toEqual({ calls: 30, until: Date.parse('2027-02-01') })
    expect(await job.take({ calls: 0, unused: 25 })).toEqual({ calls: 0, until: 0 })
    await job.giveBack(5)
    expect(days).toEqual({ '2027-01-31': 5 })
  })

  it('can run out: a job that needs more gets the rest, and no other one starts', async () => {
    const { days, calls } = book()
    const job = await begun(calls, undefined)
    expect(days).toEqual({ '2027-01-31': 50 })
    expect((await job.take({ calls: 20, unused: 0 })).calls).toBe(50)
    expect((await job.take({ calls: 45, unused: 0 })).calls).toBe(45)
    expect(await callsForJob({ ...key, expected: 6 }, calls, () => noon)).toBe('none left')
    expect((await job.take({ calls: 20, unused: 0 })).calls).toBe(5)
    expect((await job.take({ calls: 20, unused: 0 })).calls).toBe(0)
    expect(days).toEqual({ '2027-01-31': 100 })
  })

  it('are all reserved for a first run, because otherwise its need would never be known', async () => {
    const { days, calls } = book()
    days['2027-01-31'] = 93
    expect(await callsForJob({ ...key, expected: undefined }, calls, () => noon)).toBe('none left')
    expect(await callsForJob({ ...key, command: 'drift', expected: 8 }, calls, () => noon)).toBe('none left')
    const first = await callsForJob({ ...key, command: 'drift', expected: undefined }, calls, () => noon)
    if (first === 'none left') throw new Error(first)
    expect((await first.take({ calls: 20, unused: 0 })).calls).toBe(7)
    expect((await first.take({ calls: 20, unused: 4 })).calls).toBe(4)
    expect(days).toEqual({ '2027-01-31': 100 })
  })

  it('are returned by a job without requests, and stay reserved for a killed one', async () => {
    const { days, calls } = book()
    const silent = await begun(calls, 30)
    await silent.giveBack(null)
    expect(days).toEqual({ '2027-01-31': 0 })
    const offline = await begun(calls, 30)
    await offline.giveBack(0)
    expect(days).toEqual({ '2027-01-31': 0 })
    const killed = await begun(calls, 30)
    await killed.take({ calls: 20, unused: 0 })
    await killed.giveBack(null)
    expect(days).toEqual({ '2027-01-31': 30 })
  })

  it('count for the day on which they are granted', async () => {
    const { days, calls } = book()
    let now = noon
    const job = await begun(calls, 30, () => now)
    now = nextNoon
    expect(await job.take({ calls: 20, unused: 0 })).toEqual({ calls: 20, until: Date.parse('2027-02-02') })
    expect(days).toEqual({ '2027-01-31': 0, '2027-02-01': 20 })
    const other = await begun(calls, 30, () => now)
    await other.take({ calls: 20, unused: 0 })
    now = nextNoon + 24 * 60 * 60_000
    await other.take({ calls: 20, unused: 29 })
    expect(days).toEqual({ '2027-01-31': 0, '2027-02-01': 21, '2027-02-02': 20 })
  })
})
