import { inNoEnvironment, unknownEnvironment } from '../../problems/compose.js'
import type { ReportProblem } from '../../problems/problem.js'
import { nearest } from '../../problems/suggest.js'
import type { Metadata } from '../metadata.js'
import { placeOf } from '../source.js'
import { isAmong } from '../values.js'
import type { Layers } from './layers.js'

/** Whether `metadata.environments` includes the chosen environment; wrong names are reported. `what`: the object in messages. */
export function isForEnvironment(
  names: Metadata['environments'],
  what: string,
  { environment, environments }: Pick<Layers, 'environment' | 'environments'>,
  report: ReportProblem,
): boolean {
  const limits = names.map(({ name }) => name)
  const unknown = names.filter(({ name }) => !environments.includes(bareName(name)))
  for (const { name, range } of unknown) {
    const bare = bareName(name)
    report(unknownEnvironment(placeOf(range), bare, environments, nearest(bare, environments)))
  }
  const [first] = unknown.length === 0 ? names : []
  if (first && !environments.some((each) => isAmong(limits, each))) report(inNoEnvironment(placeOf(first.range), what))
  return isAmong(limits, environment)
}

const bareName = (name: string): string => name.replace(/^!/, '')
