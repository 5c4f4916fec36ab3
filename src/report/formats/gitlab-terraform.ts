import type { Writers } from './format.js'
import { safeJson } from './json.js'

/** The counts that GitLab shows in a merge request for plans. A replace counts as a delete and a create. */
export const reports: Writers<'plan' | 'problems'> = {
  plan: ({ summary }) =>
    safeJson({
      create: summary.create + summary.replace,
      update: summary.update,
      delete: summary.delete + summary.replace,
    }),
  // Without counts, GitLab says that the report could not be created.
  problems: () => safeJson({}),
}
