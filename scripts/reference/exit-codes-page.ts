import { exit } from '../../src/cli/exit.js'
import { page, table } from './page.js'

const when: Readonly<Record<keyof typeof exit, string>> = {
  done: 'Done, nothing to do, or a "no" at the prompt.',
  failed:
    'An error, and nothing was changed: invalid manifests or credentials, the platform cannot be reached, ambiguous names, the lock is held, a `--select` that selects nothing.',
  differences:
    'Differences: `plan --exit-code`; `diff`; `drift` if there is drift or a conflict (without a base, any difference; changes that are not applied yet do not count).',
  incomplete:
    'Apply or rollback left something undone: a change failed or was blocked by a failure, a domain waits for approval, the quota is used up, the platform did not keep a field.',
  stale:
    'The saved plan is stale, was changed, or was made for another target or with options that are not allowed here.',
  refused:
    'Refused before the first write: limits, hazards, protected objects, guard rails, suspected renames, undecided conflicts, replaces and blocked changes that were not allowed, no `--yes` without a terminal. `plan` ends with it if apply would refuse the plan (this takes precedence over 2).',
  interrupted: 'Interrupted. Apply finishes the requests in progress, and says how to continue.',
}

/** docs/reference/exit-codes.md */
export const exitCodesPage = (): string =>
  page(
    'Exit codes',
    'src/cli/exit.ts and scripts/reference/exit-codes-page.ts',
    'The exit code says how a command ended. It is the same in every output form. With `-o json` an error is also JSON on stdout, under `diagnostics`.',
    table(
      ['code', 'when'],
      Object.entries(exit).map(([name, number]) => [String(number), when[name as keyof typeof exit]]),
    ),
    'In a script: if `plan` ends with 0 or 5, it has printed a plan. If `plan --exit-code` ends with 0, there is nothing to do.',
    'A fleet command ends with the worst code of its areas, in the order 0, 2, 4, 5, 1, 3, 130. A code is about one area: if one ends with 1, nothing was changed there, but other areas may have been applied. The report shows them.',
  )
