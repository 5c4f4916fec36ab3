import type { Announced, Image, ProjectKey, Receipt, RunHead, SettledEntry } from '../../src/stores/record.js'

/** Records with every possible field: a new field of a type is a compile error until it is added here. */

type Changes = Required<NonNullable<Announced['changes']>>

const added = [{ kind: 'Endpoint', id: 'e1' }]

const image: Required<Image> = {
  fields: { description: 'x', cors: { maxAge: 5 }, roles: [{ name: 'Partners' }] },
  fingerprints: { '/password': 'hmac:1' },
  templates: { '/processor': 'hmac:2' },
  unkept: { '/description': 'hmac:3' },
}

export const everyHeadField = (key: ProjectKey): Required<RunHead> => ({
  run: '20270101T000000Z-aaaaaa',
  key,
  worker: { who: 'ci@runner', host: 'runner', pid: 42 },
  started: Date.UTC(2027, 0, 1),
  commit: 'c0ffee',
  dirty: true,
  plan: 'sha256:1',
  manifests: 'sha256:2',
  texts: 'sha256:3',
  values: { stage: 'DEV' },
  part: true,
  purpose: { is: 'rollback', of: '20261231T000000Z-aaaaaa' },
  changes: [{ address: 'Service/A', kind: 'Service', action: 'update' }],
  awaited: [{ address: 'Service/B', at: Date.UTC(2026, 11, 31) }],
})

export const everyAnnouncedField: Required<Announced> & { readonly changes: Changes } = {
  is: 'announced',
  step: '1',
  request: 'PUT /services/1',
  addresses: ['Service/A'],
  creates: ['Service/A/Endpoint/B'],
  changes: {
    id: '1',
    before: { description: 'old' },
    after: { description: 'new' },
    areAll: true,
    takenOver: ['/description'],
    released: ['/version'],
  },
  at: 1,
}

export const everySettledField: Required<SettledEntry> = {
  is: 'settled',
  address: 'Service/A',
  outcome: 'applied',
  answered: 'no',
  id: '1',
  error: '500',
  before: image,
  after: image,
  managed: ['/description'],
  takenOver: ['/description'],
  lists: { '/roles': [] },
  released: ['/version'],
  unapplied: true,
  added,
  since: '20261231T000000Z-aaaaaa',
  labels: { team: 'partners' },
  at: 2,
}

export const everyReceiptField: Required<Receipt> = {
  address: 'Service/A',
  kind: 'Service',
  id: '1',
  image,
  run: '20270101T000000Z-aaaaaa',
  since: '20261231T000000Z-aaaaaa',
  formerId: '0',
  origin: 'created',
  protect: true,
  labels: { team: 'partners' },
  added,
}
