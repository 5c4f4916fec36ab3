import { diagnosticOf } from '../documents/diagnostics.js'
import type { AreaResult } from '../documents/fleet.js'
import { isList, isObject, parseJson } from '../json/json.js'
import type { Problem } from '../problems/problem.js'
import { type AreaPorts, whichArea, whyUnanswered } from './area-job.js'
import { areaVariables } from './area-variables.js'
import type { FleetArea, FleetKey } from './fleet.js'

interface StaleArea {
  readonly area: FleetArea
  readonly key: Pick<FleetKey, 'credentials'> | undefined
  readonly timeoutMs: number
}

/**
 * Handles a saved plan that is stale. The reason may be an interrupted run that began after `since` (milliseconds since 1970) and
 * has done a part of the plan. That run is then resumed; if nothing is left of it, the area counts as applied. If nobody knows
 * whether there was such a run, the area is not called stale, because stale means that nothing was done.
 */
export async function resumeStale(
  first: AreaResult,
  since: number,
  requested: StaleArea,
  ports: AreaPorts,
  resume: () => Promise<AreaResult>,
): Promise<AreaResult> {
  const own = await hasRunSince(since, requested, ports)
  if (own === 'yes') {
    const resumed = await resume()
    return resumed.state === 'in-sync' ? { ...resumed, state: 'applied' } : resumed
  }
  if (own === 'no') return first
  return { ...first, state: 'error', diagnostics: [diagnosticOf(own), ...first.diagnostics] }
}

/** Whether the newest run of an area is an apply that began after that time, or a problem if that is unknown. */
async function hasRunSince(since: number, requested: StaleArea, ports: AreaPorts): Promise<'yes' | 'no' | Problem> {
  const { area, key, timeoutMs } = requested
  const end = await ports.child({
    args: ['history', '-C', area.project, '-o', 'json', '--quiet', ...whichArea(area)],
    cwd: ports.cwd,
    env: areaVariables({ area, key }, ports),
    timeoutMs,
    signal: ports.signal,
  })
  const reported = parseJson(end.stdout)
  if (!isObject(reported) || !isList(reported.runs)) return whyUnanswered(requested, end)
  const [newest] = reported.runs
  if (!isObject(newest) || newest.purpose !== 'apply') return 'no'
  return typeof newest.started === 'string' && Date.parse(newest.started) >= since ? 'yes' : 'no'
}
