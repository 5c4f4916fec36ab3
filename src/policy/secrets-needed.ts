import { catalog } from '../catalog/catalog.js'
import { placeOfFirst } from '../manifest/reference-use.js'
import type { Change, Plan } from '../planner/plan.js'
import type { Problem } from '../problems/problem.js'
import { secretNeeded } from '../problems/refusals.js'

/** Reports changes whose requests need a secret that is not set here: then nothing of the plan can be executed. */
export const secretsNeeded = ({ changes }: Plan): readonly Problem[] =>
  changes.flatMap((change) => {
    const paths = pathsNeeded(change)
    return 'resource' in change && paths.length > 0
      ? [secretNeeded(change.address, paths, placeOfFirst(paths, change.resource))]
      : []
  })

function pathsNeeded(change: Change): readonly string[] {
  switch (change.action) {
    case 'create':
    case 'replace':
      return change.resource.unavailable
    case 'update':
      // A single child is sent whole, with the secrets in its manifest.
      return catalog[change.kind].naming === undefined
        ? change.resource.unavailable
        : change.fields.flatMap(({ path, unavailable }) => (unavailable ? [path] : []))
    case 'delete':
    case 'blocked':
      return []
  }
}
