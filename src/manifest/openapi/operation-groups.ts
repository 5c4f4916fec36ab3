import { platformVerbs } from '../../catalog/openapi.js'
import { append } from '../../json/groups.js'
import { operationWithout } from '../../problems/openapi.js'
import type { ReportProblem } from '../../problems/problem.js'
import { type LocatedText, placeOf, type SourceRange } from '../source.js'
import type { Api, ApiOperation, ApiPath } from './api.js'
import type { OpenApiSpec } from './spec.js'

/** The operations of one endpoint, in the order of their paths in the file and of the platform's verbs. */
export interface OperationGroup {
  readonly operations: readonly ApiOperation[]
  readonly paths: readonly ApiPath[]
  readonly named: LocatedText | undefined
  readonly range: SourceRange
}

export function groupsOf(
  operations: readonly ApiOperation[],
  api: Api,
  { grouping }: OpenApiSpec,
  report: ReportProblem,
): readonly OperationGroup[] {
  const groups = new Map<string, ApiOperation[]>()
  for (const operation of operations) {
    const key = groupKey(operation, grouping)
    if (key === undefined) {
      report(operationWithout(placeOf(operation.range), 'tag', 'endpoints'))
      continue
    }
    append(groups, key, operation)
  }
  return [...groups.values()].map((members) => groupOf(members, api, grouping))
}

/** Operations of one path with one name form one endpoint, whatever the grouping. */
function groupKey(operation: ApiOperation, grouping: OpenApiSpec['grouping']): string | undefined {
  const { verb, at, tags } = operation
  const name = writtenName(operation)
  if (name) return JSON.stringify([at.path, 'name', name.text])
  switch (grouping) {
    case 'path':
      return JSON.stringify([at.path])
    case 'operation':
      return JSON.stringify([at.path, 'verb', verb])
    case 'tag':
      return tags[0] === undefined ? undefined : JSON.stringify(['tag', tags[0]])
    case 'api':
      return ''
  }
}

const writtenName = ({ extensions, at }: ApiOperation): LocatedText | undefined => extensions.name ?? at.extensions.name

function groupOf(members: readonly ApiOperation[], api: Api, grouping: OpenApiSpec['grouping']): OperationGroup {
  const paths = [...new Set(members.map(({ at }) => at))]
  const rank = ({ verb, at }: ApiOperation) => paths.indexOf(at) * 100 + platformVerbs.indexOf(verb)
  const operations = [...members].sort((left, right) => rank(left) - rank(right))
  const [first] = operations
  const named = first && writtenName(first)
  // Each endpoint has a place of its own: that of the path, unless the path may have other endpoints.
  const isWholePath = grouping === 'path' && !named
  const range = isWholePath ? first?.at.range : first?.range
  return { operations, paths, named, range: (grouping === 'api' && !named ? undefined : range) ?? api.range }
}
