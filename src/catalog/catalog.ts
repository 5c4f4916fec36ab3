import { Application } from './kinds/application.js'
import { Cache } from './kinds/cache.js'
import { Domain } from './kinds/domain.js'
import { EmailTemplate } from './kinds/email-template.js'
import { EmailTemplateSet } from './kinds/email-template-set.js'
import { Endpoint } from './kinds/endpoint.js'
import { ErrorMessage } from './kinds/error-message.js'
import { ErrorSet } from './kinds/error-set.js'
import { Member } from './kinds/member.js'
import { Method } from './kinds/method.js'
import { Organization } from './kinds/organization.js'
import { Package } from './kinds/package.js'
import { PackageKey } from './kinds/package-key.js'
import { Plan } from './kinds/plan.js'
import { PlanService } from './kinds/plan-service.js'
import { ResponseFilter } from './kinds/response-filter.js'
import { Role } from './kinds/role.js'
import { ScheduledMaintenanceEvent } from './kinds/scheduled-maintenance-event.js'
import { Service } from './kinds/service.js'
import { ServiceRole } from './kinds/service-role.js'
import { SystemDomainAuthentication } from './kinds/system-domain-authentication.js'
import { mapValues, recordOf } from './record.js'
import type {
  CreateRule,
  DefaultValue,
  FetchRule,
  Field,
  FieldOrigin,
  HttpMethod,
  Kind,
  KindName,
  KindRow,
  Operation,
  OperationRow,
  OperationText,
  Row,
  Rules,
  UpdateRule,
} from './types.js'

/** The tables by kind, in the order of the documentation. */
const tables = {
  Service,
  Endpoint,
  Method,
  ResponseFilter,
  Cache,
  SystemDomainAuthentication,
  ErrorSet,
  ErrorMessage,
  ServiceRole,
  ScheduledMaintenanceEvent,
  Domain,
  Package,
  Plan,
  PlanService,
  Role,
  Member,
  Application,
  PackageKey,
  EmailTemplate,
  Organization,
  EmailTemplateSet,
} as const satisfies Record<KindName, unknown>

function resolve(name: KindName, row: KindRow<string>): Kind {
  return {
    name,
    about: row.about,
    origin: row.origin ?? 'document',
    parent: row.parent,
    within: row.within,
    naming: row.identity[0],
    namedBy: row.namedBy,
    association: row.association,
    pickedAs: row.pickedAs,
    after: row.after ?? [],
    idParameter: row.idParameter,
    operations: mapValues(row.operations, operation),
    fields: recordOf([
      ...fieldsIn(row, row.fields, 'document'),
      ...fieldsIn(row, { ...row.noted, ...row.recorded }, 'notes'),
    ]),
    sentByDefault: withoutUndefined(row.sentByDefault ?? {}),
    addedByPlatform: withoutUndefined(row.addedByPlatform ?? {}),
    platformDefaults: withoutUndefined(row.platformDefaults ?? {}),
    nestedOnCreate: row.nestedOnCreate ?? [],
    platformOwned: row.platformOwned,
    blocked: row.blocked ?? {},
    fixedSet: row.fixedSet ?? false,
    inOrder: row.inOrder ?? [],
    atLeastOne: row.atLeastOne ?? [],
    limited: row.limited && { ...row.limited, fields: withoutUndefined(row.limited.fields) },
    route: row.route,
    sides: row.sides,
    openApi: row.openApi,
    approval: row.approval,
    consequences: row.consequences ?? {},
    lastEdit: row.lastEdit,
    pageOffset: row.pageOffset ?? false,
    extendedAttributes: row.extendedAttributes ?? false,
    olderPaths: withoutUndefined(row.olderPaths ?? {}),
    examples: withoutUndefined(row.examples ?? {}),
  }
}

const fieldsIn = (
  kind: KindRow<string>,
  rows: Readonly<Record<string, Row>>,
  origin: FieldOrigin,
): readonly (readonly [string, Field])[] =>
  Object.entries(rows).map(([name, row]) => [name, resolveField(kind, name, row, origin)])

function resolveField(kind: KindRow<string>, name: string, [type, rules, note]: Row, origin: FieldOrigin): Field {
  const noted = kind.notedRules?.[name]
  const { create, update, fetch } = rulesIn(noted ?? rules)
  const defaults: Readonly<Record<string, DefaultValue | undefined>> = kind.defaults ?? {}
  const has = (names: readonly string[] | undefined) => names?.includes(name) ?? false
  return {
    name,
    type,
    create,
    update,
    fetch,
    printedRules: printedRules(kind, name, rules),
    note: note ?? '',
    printedType: kind.printedTypes?.[name],
    origin,
    immutable: has(kind.immutable),
    writeOnly: has(kind.writeOnly),
    secret: has(kind.secret),
    default: defaults[name],
    range: kind.ranges?.[name],
    readOnly: kind.readOnly?.[name],
    afterCreate: has(kind.afterCreate),
    clearedAs: kind.clearedAs?.[name],
    sentInLinks: kind.sentInLinks?.[name] ?? {},
  }
}

/** The printed rules of a field, if recorded platforms treat it in another way. */
function printedRules(kind: KindRow<string>, name: string, rules: Rules): Field['printedRules'] {
  if (kind.recorded?.[name]) return rulesIn('Ign Ign Exp')
  return kind.notedRules?.[name] && rulesIn(rules)
}

function rulesIn(text: Rules): Pick<Field, 'create' | 'update' | 'fetch'> {
  const [create, update, fetch] = text.split(' ') as [CreateRule, UpdateRule, FetchRule]
  return { create, update, fetch }
}

function operation(name: string, row: OperationRow): Operation {
  const text = operationText(row)
  const [method, path] = text.split(' ') as [HttpMethod, string]
  return {
    name,
    method,
    path,
    documented: typeof row === 'string' || 'documented' in row,
    origin: typeof row === 'object' && 'noted' in row ? 'notes' : 'document',
    caveat: typeof row === 'object' && 'caveat' in row ? row.caveat : undefined,
  }
}

function operationText(row: OperationRow): OperationText {
  if (typeof row === 'string') return row
  if ('noted' in row) return row.noted
  return 'documented' in row ? row.documented : row.conventional
}

function withoutUndefined<Value>(record: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  const defined = recordOf<Value>()
  for (const [name, value] of Object.entries(record)) if (value !== undefined) defined[name] = value
  return defined
}

/** The catalogue: every kind of the document with its fields, rules and operations. */
export const catalog: Readonly<Record<KindName, Kind>> = resolveAll(tables)

function resolveAll<Name extends KindName>(rows: Readonly<Record<Name, KindRow<string>>>): Record<Name, Kind> {
  const names = Object.keys(rows) as Name[]
  return Object.fromEntries(names.map((name) => [name, resolve(name, rows[name])])) as Record<Name, Kind>
}
