import type { PlanDocument } from '../documents/plan.js'
import type { TargetDocument } from '../documents/target.js'
import { counted } from '../problems/suggest.js'

/** Where something happens, and for whom: `https://api.example.com, area 0000…a4ea (shop, prod)`. */
export function targetText({ url, area, project, environment }: TargetDocument): string {
  const place = `${url === '' ? 'a platform without address' : url}, ${areaText(area)}`
  return `${place} (${[project, ...(environment === undefined ? [] : [environment])].join(', ')})`
}

/** What is asked before a plan is performed: `Apply 3 changes to https://api.example.com, area 0000…a4ea (shop)?` */
export function questionText(verb: 'Apply' | 'Undo', { changes, target }: PlanDocument): string {
  const count = counted(changes.length, 'change')
  return `${verb} ${count} ${verb === 'Apply' ? 'to' : 'in'} ${targetText(target)}?`
}

/** The first line of a plan or a drift: what it is about. */
export function headingText({ format, target, snapshot }: PlanDocument): string {
  const what = format === 'gatewright.drift/1' ? 'Drift of' : 'Plan for'
  return `${what} ${snapshot === undefined ? targetText(target) : `the snapshot ${snapshot} (${target.project})`}`
}

/** The rows below it: where the manifests come from, if not from the working tree, what gave values, the base. */
export const planFacts = (plan: PlanDocument): readonly (readonly [name: string, text: string])[] => [
  ...(plan.appliedIn ? [['Manifests', appliedText(plan.appliedIn)] as const] : []),
  ...(plan.values ? [['Values', valuesText(plan.values)] as const] : []),
  ['Base', baseText(plan)],
]

/** What was last applied, as far as anybody knows. */
export function baseText({ base }: Pick<PlanDocument, 'base'>): string {
  if (base === null) return 'none'
  return runName.test(base) ? `run ${base}` : base
}

const appliedText = ({ commit, environment, run }: NonNullable<PlanDocument['appliedIn']>): string =>
  `commit ${commit.slice(0, 10)}, applied in ${environment} (run ${run})`

/** What the command line gave values. */
export const valuesText = (values: NonNullable<PlanDocument['values']>): string =>
  Object.entries(values)
    .map(([name, text]) => `${name}=${text}`)
    .join(', ')

const runName = /^\d{8}T\d{6}Z-[0-9a-f]+$/

/** Long identifiers by their ends: people tell areas apart by them. */
function areaText(area: string): string {
  if (area === '') return 'the area of the token'
  return `area ${area.length > 12 ? `${area.slice(0, 4)}…${area.slice(-4)}` : area}`
}
