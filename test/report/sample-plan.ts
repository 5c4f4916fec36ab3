import type { KindName } from '../../src/catalog/types.js'
import type { PlanContext } from '../../src/documents/plan.js'
import type { LiveObject } from '../../src/live/live-object.js'
import { noRanges } from '../../src/manifest/ranges.js'
import { placeOf } from '../../src/manifest/source.js'
import type { Change, FieldChange, Plan } from '../../src/planner/plan.js'

/** A plan with every possible part, for the reports. */

const text = 'kind: Service\nmetadata:\n  name: Orders API\nspec:\n  endpoints: []\n'
const range = { source: { file: 'services/orders.yaml', text }, start: 24, end: 40 }

const object = { key: 'name', owner: undefined, children: [], updated: '2026-11-01T10:00:00.000+0000' }

/** Last edited by jane. */
const live = (kind: KindName, id: string): LiveObject => ({
  ...{ ...object, kind, id, fields: {} },
  parent: { ...object, kind: 'Service', id: 's', fields: { editorHandle: 'jane' }, parent: undefined },
})

const field = (path: string, rest: Partial<FieldChange>): FieldChange => ({
  path,
  sensitive: false,
  verdict: 'pending',
  ...rest,
})

const resource = (kind: KindName, address: string): Extract<Change, { action: 'create' }>['resource'] => ({
  kind,
  address,
  parent: undefined,
  ancestors: [],
  isInside: false,
  owner: undefined,
  key: 'name',
  id: undefined,
  formerly: [],
  labels: {},
  protect: false,
  ignore: [],
  sensitive: [],
  unavailable: [],
  fields: {},
  additions: {},
  inverseReferences: {},
  wholeLists: [],
  removedChildren: [],
  implicit: false,
  range,
  ranges: noRanges,
})

const base = (kind: KindName, address: string) => ({
  address,
  kind,
  fields: [],
  verdict: 'difference' as const,
  source: range,
  dependsOn: [],
  precondition: 'sha256:0',
  hazards: [],
  reason: undefined,
  support: undefined,
  path: {},
  siblings: [],
})

const changes: readonly Change[] = [
  {
    ...base('Service', 'Service/Orders API'),
    action: 'create',
    link: undefined,
    possibleRename: undefined,
    resource: resource('Service', 'Service/Orders API'),
    values: {},
    fields: [field('/name', { after: 'Orders API' }), field('/qpsLimitOverall', { after: 500 })],
  },
  {
    ...base('SystemDomainAuthentication', 'Service/Orders API/Endpoint/orders/SystemDomainAuthentication'),
    action: 'update',
    temporary: undefined,
    resource: resource('SystemDomainAuthentication', 'Service/Orders API/Endpoint/orders/SystemDomainAuthentication'),
    live: live('SystemDomainAuthentication', ''),
    values: {},
    fields: [field('/password', { before: 'old-s3cret', after: 'new-s3cret', sensitive: true })],
    dependsOn: ['Service/Orders API'],
  },
  {
    ...base('ErrorMessage', 'Service/Orders API/ErrorSet/json/ErrorMessage/ERR_403_DEVELOPER_OVER_QPS'),
    action: 'update',
    temporary: undefined,
    resource: resource('ErrorMessage', 'x'),
    live: live('ErrorMessage', 'ERR_403_DEVELOPER_OVER_QPS'),
    values: {},
    fields: [
      field('/responseBody', {
        before: '{\n  "a": 1,\n  "b": 2\n}\n',
        after: '{\n  "a": 1,\n  "b": 3\n}\n',
        verdict: 'conflict',
      }),
      field('/status', { before: 'Slow\u001b[31m down', after: 'Slow down', verdict: 'drift' }),
    ],
  },
  {
    ...base('Member', 'Member/acme-dev'),
    action: 'replace',
    resource: resource('Member', 'Member/acme-dev'),
    live: live('Member', 'm1'),
    values: {},
    fields: [field('/username', { before: 'acme', after: 'acme-dev' })],
    hazards: ['ID_CHANGE', 'KEY_LOSS'],
    reason: 'username cannot be changed once the account exists',
  },
  {
    ...base('Plan', 'Package/Old/Plan/Gold'),
    action: 'delete',
    live: live('Plan', 'p1'),
    within: undefined,
    known: [],
    protected: false,
    source: undefined,
    support: { is: 'conventional', text: 'the document names it without a shape' },
  },
  {
    ...base('EmailTemplate', 'EmailTemplateSet/7/EmailTemplate/welcome'),
    action: 'blocked',
    wants: 'update',
    live: live('EmailTemplate', 't1'),
    reason: 'the document shows no operation that writes an email template',
    fields: [field('/subject', { before: 'Hello', after: 'Welcome' })],
  },
]

export const samplePlan: Plan = {
  changes,
  unmanaged: [
    { address: 'Service/Legacy', kind: 'Service', id: 's9', inList: false },
    { address: 'Service/Orders API/Endpoint/old', kind: 'Endpoint', id: 'e9', inList: true },
  ],
  unchanged: 40,
  matched: new Map(),
  base: undefined,
  expanded: new Map(),
  undeclared: [],
  skipped: [],
  accepted: [],
  problems: [
    {
      code: 'clear-secret',
      severity: 'warning',
      message: 'a secret stands in the manifest',
      place: placeOf(range),
      hint: 'use ${env:NAME}',
    },
  ],
}

export const emptyPlan: Plan = {
  changes: [],
  unmanaged: [],
  matched: new Map(),
  base: undefined,
  expanded: new Map(),
  undeclared: [],
  skipped: [],
  accepted: [],
  unchanged: 40,
  problems: [],
}

export const context: PlanContext = {
  target: { url: 'https://api.example.com', area: 'a1', project: 'shop' },
  snapshot: undefined,
  manifests: () => 'sha256:1',
  base: null,
  fingerprint: () => undefined,
  mask: (text) => text,
  estimate: { requests: 9, seconds: 5 },
  placeOf,
}
