import type { PlanDocument } from '../documents/plan.js'
import type { TargetDocument } from '../documents/target.js'
import { counted } from '../problems/suggest.js'

/** The target: `https://api.example.com, area 0000…a4ea (shop, prod)`. */
export function targetText({ url, area, project, environment }: TargetDocument): string {
  const place = `${url === '' ? 'a platform without address' : url}, ${areaText(area)}`
  return `${place} (${[project, ...(environment === undefined ? [] : [environment])].join(', ')})`
}

/** The question before a plan is applied: `Apply 3 changes to https://api.example.com, area 0000…a4ea (shop)?` */
export function questionText(verb: 'Apply' | 'Undo', { changes, target }: PlanDocument): string {
  const count = counted(changes.length, 'change')
  return `${verb} ${count} ${verb === 'Apply' ? 'to' : 'in'} ${targetText(target)}?`
}

/** The first line of a plan or a drift: its target. */
export function headingText({ format, target, snapshot }: PlanDocument): string {
  const what = format === 'gatewright.drift/1' ? 'Drift of' : 'Plan for'
  return `${what} ${snapshot === undefined ? targetText(target) : `the snapshot ${snapshot} (${target.project})`}`
}

/** The next lines: the commit of the manifests if they are not from the working tree, the given values, and the base. */
export const planFacts = (plan: PlanDocument): readonly (readonly [name: string, text: string])[] => [
  ...(plan.appliedIn ? [['Manifests', appliedText(plan.appliedIn)] as const] : []),
  ...(plan.values ? [['Values', valuesText(plan.values)] as const] : []),
  ['Base', baseText(plan)],
]

/** The name of the base: the last applied state, if it is known. */
export function baseText({ base }: Pick<PlanDocument, 'base'>): string {
  if (base === null) return 'none'
  return runName.test(base) ? `run ${base}` : base
}

const appliedText = ({ commit, environment, run }: NonNullable<PlanDocument['appliedIn']>): string =>
  `commit ${commit.slice(0, 10)}, applied in ${environment} (run ${run})`

/** The values that were given on the command line. */
export const valuesText = (values: NonNullable<PlanDocument['values']>): string =>
  Object.entries(values)
    .map(([name, text]) => `${name}=${text}`)
    .join(', ')

const runName = /^\d{8}T\d{6}Z-[0-9a-f]+$/

/** The beginning and the end of a long identifier, which are enough to distinguish areas. */
function areaText(area: string): string {
  if (area === '') return 'the area of the token'
  return `area ${area.length > 12 ? `${area.slice(0, 4)}…${area.slice(-4)}` : area}`
}
