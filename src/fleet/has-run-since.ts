import { isList, isObject, parseJson } from '../json/json.js'
import type { AreaPorts } from './area-job.js'
import { areaVariables } from './area-variables.js'
import type { FleetArea, FleetKey } from './fleet.js'

interface AskedArea {
  readonly area: FleetArea
  readonly key: Pick<FleetKey, 'credentials'> | undefined
  readonly timeoutMs: number
}

/** Whether the newest run of an area is an apply that began after that time: milliseconds since 1970. */
export async function hasRunSince(
  since: number,
  { area, key, timeoutMs }: AskedArea,
  ports: AreaPorts,
): Promise<boolean> {
  const { stdout } = await ports.child({
    args: [
      ...['history', '-C', area.project, '-o', 'json', '--quiet'],
      ...(area.environment === undefined ? [] : ['-e', area.environment]),
      ...(area.area === undefined ? [] : ['--area', area.area]),
    ],
    cwd: ports.cwd,
    env: areaVariables({ area, key }, ports),
    timeoutMs,
    signal: ports.signal,
  })
  const told = parseJson(stdout)
  const [newest] = isObject(told) && isList(told.runs) ? told.runs : []
  if (!isObject(newest) || newest.purpose !== 'apply') return false
  return typeof newest.started === 'string' && Date.parse(newest.started) >= since
}
