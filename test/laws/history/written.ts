import { childFields, metadataWord } from '../../../src/catalog/queries.js'
import type { Json, JsonObject } from '../../../src/json/json.js'
import { type DocumentText, document, manifestText } from '../../kit/manifests.js'
import { allItems, type Item, itemsOf, nameOf, type Project } from './items.js'

/** The files of a project, and the secrets that they take from the environment. */
export interface WrittenProject {
  readonly files: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
}

/** Writes the files of a project; documents are in the file of their item. */
export function writtenProject(project: Project, removals: readonly string[] = []): WrittenProject {
  const byFile = new Map<number, DocumentText[]>()
  const add = (file: number, ...documents: readonly DocumentText[]) =>
    byFile.set(file, [...(byFile.get(file) ?? []), ...documents])
  for (const item of allItems(project)) {
    if (isApart(item)) add(item.file, documentOf(project, item))
    add(item.file, ...roleDocuments(item))
  }
  for (const address of removals) add(0, { kind: 'Removed', metadata: { address: escaped(address) } })
  const texts = [...byFile].map(([file, documents]): [string, string] => [
    `manifests/part-${file}.yaml`,
    manifestText([...documents].reverse()),
  ])
  return { files: Object.fromEntries(texts), env: environmentOf(project) }
}

const isApart = (item: Item): boolean => item.parent === undefined || item.home === 'apart'

const variableOf = (item: Item, field: string): string => `S_${item.number}_${field.toUpperCase()}`

const environmentOf = (project: Project): Readonly<Record<string, string>> =>
  Object.fromEntries(
    allItems(project).flatMap((item) => [
      ...(item.kind.naming === 'apikey' && item.name !== '' ? [[variableOf(item, 'apikey'), item.name]] : []),
      ...[...item.secrets].map(([field, value]) => [variableOf(item, field), value]),
    ]),
  )

function documentOf(project: Project, item: Item): DocumentText {
  const own = item.kind.naming === undefined || isKey(item) ? {} : { name: escaped(nameOf(item)) }
  return document(item.kind.name, { ...parents(item), ...own, ...formerly(item) }, contentOf(project, item))
}

/** Keys are named by a secret, which no metadata contains. */
const isKey = ({ kind }: Item): boolean => kind.naming === 'apikey'

const parents = ({ parent }: Item): JsonObject =>
  parent ? { ...parents(parent), [metadataWord(parent.kind)]: escaped(nameOf(parent)) } : {}

const formerly = (item: Item): JsonObject =>
  item.formerly.length === 0 ? {} : { formerly: item.formerly.map((name) => escaped(name)) }

function inlined(project: Project, item: Item): JsonObject {
  const { naming } = item.kind
  const own = naming === undefined || isKey(item) ? {} : { [naming]: escaped(nameOf(item)) }
  const metadata = item.formerly.length === 0 ? {} : { metadata: formerly(item) }
  return { ...own, ...contentOf(project, item), ...metadata }
}

/** Values, references and inline children of an item. */
function contentOf(project: Project, item: Item): JsonObject {
  const values = Object.fromEntries([...item.fields].map(([name, value]) => [name, escaped(value)]))
  const secrets = [...item.secrets].map(([name]) => [name, `\${env:${variableOf(item, name)}}`])
  const apikey = isKey(item) && item.name !== '' ? { apikey: `\${env:${variableOf(item, 'apikey')}}` } : {}
  return {
    ...values,
    ...Object.fromEntries(secrets),
    ...apikey,
    ...relationsOf(project, item),
    ...childrenOf(project, item),
  }
}

function childrenOf(project: Project, item: Item): JsonObject {
  return Object.fromEntries(
    childFields(item.kind).flatMap((child): [string, Json][] => {
      const members = item.children.filter((each) => each.kind === child.kind)
      const inline = members.filter((each) => each.home === 'inline').map((each) => inlined(project, each))
      if (child.single && inline[0]) return [[child.field, inline[0]]]
      if (inline.length > 0) return [[child.field, inline]]
      // Only some of the makes have fields that the document does not have.
      if (members.length > 0 || child.kind.origin === 'notes' || !isEmptySaid(item, child.field)) return []
      return [[child.field, child.single ? null : []]]
    }),
  )
}

/** Whether an item writes an empty list explicitly: a written empty list and an unwritten one mean the same. */
const isEmptySaid = (item: Item, field: string): boolean =>
  item.number % 3 === 0 && field !== 'errorSets' && field !== 'errorMessages'

function relationsOf(project: Project, item: Item): JsonObject {
  const { links } = item
  const found: Record<string, Json> = {}
  if (links.roles && links.rolesIn !== 'documents')
    found.roles = [...links.roles].map(([role, action]) => roleEntry(role, action))
  if (links.endpoints && links.endpointsIn !== 'endpoints') found.endpoints = [...links.endpoints].map(endpointEntry)
  if (links.access !== undefined) found.endpoints = links.access === '*' ? '*' : [...links.access].map(accessEntry)
  if (links.package) found.package = escaped(links.package.name)
  if (links.plan) found.plan = escaped(links.plan.name)
  if (links.errorSet) found.errorSet = escaped(links.errorSet.name)
  if (item.kind.name === 'Endpoint') {
    const event = itemsOf(project, 'ScheduledMaintenanceEvent').find((each) => each.links.endpoints?.has(item))
    if (event?.links.endpointsIn === 'endpoints') found.scheduledMaintenanceEvent = escaped(event.name)
    else if (links.hadEvent && !event) found.scheduledMaintenanceEvent = null
  }
  return found
}

const roleEntry = (role: Item, action: string): Json =>
  action === '' ? escaped(role.name) : { name: escaped(role.name), action }

const endpointEntry = (endpoint: Item): Json => ({ ...parents(endpoint), name: escaped(endpoint.name) })

const accessEntry = ([endpoint, methods]: [Item, '*' | Set<Item>]): Json => ({
  name: escaped(endpoint.name),
  methods: methods === '*' ? '*' : [...methods].map((method) => escaped(method.name)),
})

function roleDocuments({ kind, name, links }: Item): readonly DocumentText[] {
  if (kind.name !== 'Service' || links.rolesIn !== 'documents') return []
  return [...(links.roles ?? [])].map(([role, action]) =>
    document('ServiceRole', { service: escaped(name), name: escaped(role.name) }, { action }),
  )
}

/** A literal "${" is written "$${". */
function escaped(value: string): string
function escaped(value: Json): Json
function escaped(value: Json): Json {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${')
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => escaped(each))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, escaped(each as Json)]))
}
