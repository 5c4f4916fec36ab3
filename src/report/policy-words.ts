import type { PlanDocument } from '../documents/plan.js'
import { counted } from '../problems/suggest.js'
import type { DecidedRow } from './accepted-words.js'

type Result = NonNullable<PlanDocument['policies']>['results'][number]

/** Such as `3 rules, 1 error, 2 waived.` */
export function policiesText(policies: NonNullable<PlanDocument['policies']>): string {
  const open = policies.results.filter(({ outcome }) => outcome !== 'waived')
  const count = (level: Result['level']) => open.filter((each) => each.level === level).length
  const waived = policies.results.length - open.length
  const parts = [
    ...(count('error') > 0 ? [counted(count('error'), 'error')] : []),
    ...(count('warning') > 0 ? [counted(count('warning'), 'warning')] : []),
    ...(waived > 0 ? [`${waived} waived`] : []),
  ]
  const found = parts.length === 0 ? ['nothing found'] : parts
  return `${[counted(policies.rules, 'rule'), ...found].join(', ')}.`
}

/** The waived findings of policies: `a ceiling of 200000 needs the capacity team`, who has waived it, and why. */
export const waivedRows = ({ policies }: Pick<PlanDocument, 'policies'>): readonly DecidedRow[] =>
  (policies?.results ?? []).flatMap(({ policy, address = '', message, waiver }) =>
    waiver
      ? [
          {
            address,
            what: message,
            decision: `policy ${policy}; ${waiver.owner}, until ${waiver.until}: ${waiver.reason}`,
          },
        ]
      : [],
  )
