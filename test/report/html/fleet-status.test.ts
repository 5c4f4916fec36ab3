import { describe, expect, it } from 'vitest'
import type { RolloutDocument } from '../../../src/documents/fleet-status.js'
import { type AreaFilter, fleetStatusHtml } from '../../../src/report/html/fleet-status.js'
import { manyAreas } from '../../kit/many-areas.js'

const status = manyAreas(1_000)
const shown = (filter: Partial<AreaFilter> = {}): string =>
  fleetStatusHtml(status, { search: '', state: '', page: 1, ...filter }, undefined)
const names = (page: string): readonly string[] =>
  [...page.matchAll(/>(brand-\d{4})<\/a>/g)].map(([, name = '']) => name)
const addresses = (page: string): readonly string[] =>
  [...page.matchAll(/href="([^"]*)"/g)].map(([, address = '']) =>
    address.replaceAll('&amp;', '&').replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code)),
  )
const statesOf = (page: string): readonly string[] => {
  const byName = new Map(status.areas.map((area) => [area.name, area]))
  const words = names(page).map((name) => {
    const area = byName.get(name)
    return area?.waits == null ? (area?.state ?? 'unknown') : 'waits'
  })
  return [...new Set(words)]
}

describe('the page of a fleet of a thousand areas', () => {
  it('displays a hundred at a time, those that need attention first', () => {
    expect(names(shown())).toHaveLength(100)
    expect(statesOf(shown())).toEqual([
      ...['error', 'refused', 'conflict', 'drift', 'waits', 'not-started', 'unknown', 'in-sync'],
    ])
    const all = Array.from({ length: 10 }, (_, index) => names(shown({ page: index + 1 }))).flat()
    expect(new Set(all).size).toBe(1_000)
    expect(names(shown({ page: 99 }))).toEqual(names(shown({ page: 10 })))
    expect(shown().length).toBeLessThan(80_000)
  })

  it('links from its counts to these areas, and from page to page with the selected filters', () => {
    expect(addresses(shown())).toEqual(expect.arrayContaining(['/?state=error', '/?state=waits', '/?page=2']))
    expect(names(shown({ state: 'error' }))).toHaveLength(4)
    expect(names(shown({ state: 'waits' }))).toHaveLength(5)
    expect(statesOf(shown({ state: 'waits' }))).toEqual(['waits'])
    const chosen = shown({ search: 'region=eu', state: 'in-sync', page: 2 })
    expect(chosen).toMatch(/\d+ of 1000 areas, 101 to 200 shown/)
    expect(addresses(chosen)).toEqual(
      expect.arrayContaining(['/?search=region%3Deu&state=in-sync&page=3', '/?search=region%3Deu&state=in-sync']),
    )
  })
})

describe('the page of a fleet with rollouts', () => {
  const rollout = (name: string, own: Partial<RolloutDocument>): RolloutDocument => ({
    ...{
      rollout: name,
      who: 'joe',
      started: status.at,
      ended: null,
      status: 'applying',
      why: null,
      waves: [],
      same: [],
    },
    ...{ dropped: [], waiting: [], notBegun: [], awaits: null, decisions: [], ...own },
  })

  it.each<[Partial<RolloutDocument>, string]>([
    [{ status: 'applying' }, 'applying first runs.'],
    [{ status: 'queued' }, 'queued first has not started yet.'],
    [{ status: 'paused' }, 'paused first starts nothing new until somebody resumes it.'],
    [{ status: 'failed' }, 'failed first has failed: stop it, and start a new one.'],
    [{ status: 'waiting', awaits: { wave: 2, digest: '' } }, 'waiting first waits for an approval of wave 2.'],
  ])('says of one with %j what it does', (own, words) => {
    const page = fleetStatusHtml(
      { ...manyAreas(1), rollouts: [rollout('first', own)] },
      { search: '', state: '', page: 1 },
      undefined,
    )
    expect(page.replaceAll(/<[^>]*>/g, '')).toContain(words)
  })
})
