import type { Writers } from './format.js'
import { safeJson } from './json.js'

/** The counts that a merge request of GitLab shows for plans; a replace is a delete and a create. */
export const reports: Writers<'plan' | 'problems'> = {
  plan: ({ summary }) =>
    safeJson({
      create: summary.create + summary.replace,
      update: summary.update,
      delete: summary.delete + summary.replace,
    }),
  // Without counts GitLab says that the report could not be made.
  problems: () => safeJson({}),
}
