import { exit } from '../../src/cli/exit.js'
import { page, table } from './page.js'

const when: Readonly<Record<keyof typeof exit, string>> = {
  done: 'Done, nothing to do, or a "no" at the prompt.',
  failed:
    'An error; nothing was changed: bad manifests, bad credentials, the platform cannot be reached, ambiguous names, the lock is held, a `--select` that selects nothing.',
  differences:
    'Differences: `plan --exit-code`; `drift` on drift or conflict (without a base on any difference; changes that wait to be applied do not count); `diff`.',
  incomplete:
    'Apply or rollback ended with something not done: failed, blocked by a failure, a domain that waits for approval, the quota used up, a field that the platform did not keep.',
  stale:
    'The saved plan is stale, was changed, or was made for another target or with options that are not allowed here.',
  refused:
    'Refused before the first write, and `plan` of what apply would refuse (this outranks 2): limits, hazards, protected objects, guard rails, suspected renames, undecided conflicts, replaces and blocked changes that were not allowed, no `--yes` without a terminal.',
  interrupted: 'Interrupted. Apply finishes what is under way, and says how to go on.',
}

/** docs/reference/exit-codes.md */
export const exitCodesPage = (): string =>
  page(
    'Exit codes',
    'src/cli/exit.ts and scripts/reference/exit-codes-page.ts',
    'They are the same in every output form. With `-o json` an error is JSON on stdout as well, under `diagnostics`.',
    table(
      ['code', 'when'],
      Object.entries(exit).map(([name, number]) => [String(number), when[name as keyof typeof exit]]),
    ),
    'In a script `plan` with 0 and with 5 both printed a plan; `plan --exit-code` with 0 says that there is nothing to do.',
    'A fleet ends with the worst code of its areas: 0, 2, 4, 5, 1, 3, 130, in this order. Each area stands for itself: where one ends with 1, nothing was changed in that one, and others may be applied; the report says which.',
  )
