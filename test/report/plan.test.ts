import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import pc from 'picocolors'
import { describe, expect, it } from 'vitest'
import { driftDocument, planDocument } from '../../src/documents/plan.js'
import { jsonText } from '../../src/json/json.js'
import { plainColours } from '../../src/report/colours.js'
import { driftText } from '../../src/report/drift-text.js'
import { planMarkdown } from '../../src/report/plan-markdown.js'
import { planText } from '../../src/report/plan-text.js'
import { context, emptyPlan, samplePlan } from './sample-plan.js'

const plan = planDocument(samplePlan, [], context)
const drift = driftDocument(samplePlan, context)
const empty = planDocument(emptyPlan, [], context)
const plain = { colours: plainColours }

describe('the JSON of a plan', () => {
  const schema = JSON.parse(readFileSync(new URL('../../schemas/plan-document.schema.json', import.meta.url), 'utf8'))
  const validate = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, strictTypes: false }).compile(
    schema,
  )

  it.each([
    ['a plan', plan],
    ['a drift', drift],
    ['an empty plan', empty],
    ['an empty drift', driftDocument(emptyPlan, context)],
  ])('of %s matches its schema', (_, value) => {
    validate(JSON.parse(jsonText(value)))
    expect(validate.errors).toBeNull()
  })

  it('is refused by the schema if a secret is not masked, a drift has no side, or a plan has one', () => {
    const [, secret] = plan.changes
    const clear = { ...secret, fields: [{ path: '/password', after: 's3cret', sensitive: true, verdict: 'pending' }] }
    expect(validate({ ...plan, changes: [clear] })).toBe(false)
    expect(validate({ ...plan, format: 'gatewright.drift/1' })).toBe(false)
    expect(validate({ ...drift, format: 'gatewright.plan/1' })).toBe(false)
  })

  it('has the parts of the contract', () => {
    expect(plan).toMatchObject({
      format: 'gatewright.plan/1',
      target: { url: 'https://api.example.com', area: 'a1', project: 'shop' },
      manifests: 'sha256:1',
      base: null,
      summary: { create: 1, update: 2, replace: 1, delete: 1, blocked: 1, unchanged: 40, unmanaged: 2 },
      estimate: { requests: 9, seconds: 5 },
      unmanaged: [
        { address: 'Service/Legacy', id: 's9' },
        { address: 'Service/Orders API/Endpoint/old', id: 'e9', inList: true },
      ],
      diagnostics: [{ code: 'clear-secret', severity: 'warning', file: 'services/orders.yaml', line: 3, column: 1 }],
    })
    expect(plan.changes[0]).toEqual({
      address: 'Service/Orders API',
      kind: 'Service',
      action: 'create',
      fields: [
        { path: '/name', after: 'Orders API', sensitive: false, verdict: 'pending', origin: 'manifest' },
        { path: '/qpsLimitOverall', after: 500, sensitive: false, verdict: 'pending', origin: 'manifest' },
      ],
      source: { file: 'services/orders.yaml', line: 3, column: 1 },
      dependsOn: [],
      precondition: 'sha256:0',
      hazards: [],
    })
  })

  it('has the side of each drift, its editor and its time', () => {
    expect(drift.changes.map(({ side, editor, updated }) => [side, editor, updated])).toEqual([
      ['manifest', undefined, undefined],
      ['manifest', 'jane', '2026-11-01T10:00:00.000+0000'],
      ['both', 'jane', '2026-11-01T10:00:00.000+0000'],
      ['manifest', 'jane', '2026-11-01T10:00:00.000+0000'],
      ['unknown', 'jane', '2026-11-01T10:00:00.000+0000'],
      ['manifest', 'jane', '2026-11-01T10:00:00.000+0000'],
    ])
  })
})

describe('the text of a plan', () => {
  it('groups by root object, marks each action, and ends with the counts and the estimate', () => {
    expect(planText(plan, plain).output).toMatchInlineSnapshot(`
      "Plan for https://api.example.com, area a1 (shop)
      Base: none

        EmailTemplateSet/7
        ! EmailTemplate/welcome  services/orders.yaml:3
            blocked: cannot update
            the document shows no operation that writes an email template
            subject  Hello → Welcome

      ± Member/acme-dev  services/orders.yaml:3
          username cannot be changed once the account exists
          hazards: ID_CHANGE, KEY_LOSS
          username  acme → acme-dev

        Package/Old
        - Plan/Gold

      + Service/Orders API                                       services/orders.yaml:3
          qpsLimitOverall  500
        ~ Endpoint/orders/SystemDomainAuthentication             services/orders.yaml:3
            password  (sensitive) → (sensitive)
        ~ ErrorSet/json/ErrorMessage/ERR_403_DEVELOPER_OVER_QPS  services/orders.yaml:3
            responseBody:  (conflict)
                {
                  "a": 1,
              -   "b": 2
              +   "b": 3
                }
            status        "Slow\\u001b[31m down" → "Slow down"  (drift)

      Unmanaged, left alone:
        Service/Orders API/Endpoint/old  e9  not in the written list of its parent

      Plan: 1 to create, 2 to update, 1 to replace, 1 to delete, 1 blocked; 40 unchanged, 2 unmanaged.
      Conventional, since the interface document does not show it (1 change): the document names it without a shape
      Apply takes about 9 requests, 5 seconds.
      "
    `)
  })

  it('of nothing says so', () => {
    expect(planText(empty, plain).output).toBe(
      'Plan for https://api.example.com, area a1 (shop)\nBase: none\n\nPlan: nothing to do; 40 unchanged.\n',
    )
  })

  it('reports once that objects which it creates were deleted on the platform', () => {
    const changes = plan.changes.map((change) =>
      change.action === 'create'
        ? { ...change, fields: change.fields.map((field) => ({ ...field, verdict: 'drift' as const })) }
        : change,
    )
    const again = { ...plan, changes }
    const created = plan.changes.filter(({ action }) => action === 'create').length
    const drifts = (text: string) => text.split('(drift)').length - 1
    for (const report of [planText(again, plain), planMarkdown(again)]) {
      expect(report.output.split('deleted on the platform: created again')).toHaveLength(created + 1)
    }
    expect(drifts(planText(again, plain).output)).toBe(drifts(planText(plan, plain).output))
  })

  it('wraps a reason at the width of the terminal', () => {
    const reason = `removed from the manifests; ${'and more '.repeat(20)}`.trim()
    const [change] = plan.changes
    const long = { ...plan, refused: [], changes: change ? [{ ...change, reason }] : [] }
    const lines = planText(long, { ...plain, columns: 60 }).output.split('\n')
    const first = lines.findIndex((line) => line.includes('removed from'))
    const shown = lines.slice(first, first + 5)
    expect(Math.max(...shown.map((line) => line.length))).toBeLessThanOrEqual(60)
    expect(shown.map((line) => line.trim()).join(' ')).toContain(reason)
  })

  it('displays many creates on one line each, and text below an address with the indentation of the fields', () => {
    const [change] = plan.changes.filter(({ action }) => action === 'create')
    const named = (address: string) => (change ? [{ ...change, address, kind: 'Role' as const }] : [])
    const roles = Array.from({ length: 201 }, (_, index) => named(`Role/r${index}`)).flat()
    const inner = named(`Service/S/Endpoint/${'e'.repeat(80)}`)
    const many = { ...plan, refused: [], changes: [...roles, ...inner], summary: { ...plan.summary, create: 202 } }
    const { output } = planText(many, { ...plain, columns: 80 })
    expect(output).toMatch(/\n\n\+ Role\/r0 .*\n\+ Role\/r1 /)
    expect(output).toMatch(/\n\n {2}Service\/S\n {2}\+ Endpoint\/e+\n {6}services\//)
  })

  it('lists every unmanaged object if asked to', () => {
    expect(planText(plan, { ...plain, detail: 'all' }).output).toContain('Service/Legacy')
    expect(planText(plan, plain).output).not.toContain('Service/Legacy')
  })

  it('wraps accepted, waived and unmanaged objects at the width of the terminal', () => {
    const address = 'Service/Orders and Payments/Endpoint/orders'
    const decision = {
      reason: 'the migration of the orders takes until spring',
      owner: 'payments',
      expires: '2027-01-31',
    }
    const waiver = { reason: decision.reason, owner: 'payments', until: '2027-01-31' }
    const source = { file: 'policies/capacity.yaml', line: 3, column: 1 }
    const found = {
      source,
      policy: 'capacity',
      rule: 1,
      address,
      level: 'error',
      message: 'a ceiling needs the capacity team',
    } as const
    const all = {
      ...plan,
      ...{ refused: [], changes: [] },
      accepted: [{ address, kind: 'Endpoint', object: 'created', ...decision } as const],
      unmanaged: [{ address: `${address} of others`, id: 'a'.repeat(36), inList: true } as const],
      policies: {
        digest: 'sha256:1',
        policies: 1,
        rules: 1,
        results: [{ ...found, outcome: 'waived', waiver } as const],
      },
    }
    const lines = planText(all, { ...plain, columns: 60 }).output.split('\n')
    const from = lines.indexOf('Unmanaged, left alone:')
    const shown = lines.slice(
      from,
      lines.findIndex((line) => line.startsWith('Plan:')),
    )
    expect(shown.filter((line) => line.length > 60)).toEqual([])
    for (const text of ['Accepted drift, left alone:', 'Waived:', 'a'.repeat(36)])
      expect(shown.join('\n')).toContain(text)
  })

  it('is the same with colours, except for the colours', () => {
    const coloured = planText(plan, { colours: pc.createColors(true) }).output
    expect(coloured).toContain('\u001b[32m')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes are what is taken away
    expect(coloured.replaceAll(/\u001b\[\d+m/g, '')).toBe(planText(plan, plain).output)
  })
})

describe('the Markdown of a plan', () => {
  it('puts each root object into a collapsible block', () => {
    expect(planMarkdown(plan).output).toMatchInlineSnapshot(`
      "### \`Plan for https://api.example.com, area a1 (shop)\`

      Base: none

      **1 to create, 2 to update, 1 to replace, 1 to delete, 1 blocked; 40 unchanged, 2 unmanaged** (about 9 requests, 5 seconds)

      - **warning** \`services/orders.yaml:3\` a secret stands in the manifest (\`clear-secret\`)<br>use &#36;{env:NAME}

      <details><summary><code>Member/acme-dev</code>: 1 change</summary>

      **replace** \`Member/acme-dev\` · \`services/orders.yaml:3\`

      > username cannot be changed once the account exists

      > hazards: ID\\_CHANGE, KEY\\_LOSS

      \`\`\`diff
      - username: acme
      + username: acme-dev
      \`\`\`

      </details>

      <details><summary><code>Package/Old</code>: 1 change</summary>

      **delete** \`Package/Old/Plan/Gold\`

      </details>

      <details><summary><code>EmailTemplateSet/7</code>: 1 change</summary>

      **blocked (update)** \`EmailTemplateSet/7/EmailTemplate/welcome\` · \`services/orders.yaml:3\`

      > the document shows no operation that writes an email template

      \`\`\`diff
      - subject: Hello
      + subject: Welcome
      \`\`\`

      </details>

      <details><summary><code>Service/Orders API</code>: 3 changes</summary>

      **create** \`Service/Orders API\` · \`services/orders.yaml:3\`

      \`\`\`diff
      + qpsLimitOverall: 500
      \`\`\`

      **update** \`Service/Orders API/Endpoint/orders/SystemDomainAuthentication\` · \`services/orders.yaml:3\`

      \`\`\`diff
      - password: (sensitive)
      + password: (sensitive)
      \`\`\`

      **update** \`Service/Orders API/ErrorSet/json/ErrorMessage/ERR_403_DEVELOPER_OVER_QPS\` · \`services/orders.yaml:3\`

      \`\`\`diff
        responseBody:  (conflict)
          {
            "a": 1,
      -     "b": 2
      +     "b": 3
          }
      - status: "Slow\\u001b[31m down"
      + status: "Slow down"  (drift)
      \`\`\`

      </details>

      Conventional, since the interface document does not show it (1 change): the document names it without a shape

      <details><summary>2 unmanaged, left alone</summary>

      - \`Service/Legacy\`
      - \`Service/Orders API/Endpoint/old\`

      </details>
      "
    `)
  })

  it('of nothing is short', () => {
    expect(planMarkdown(empty).output).toBe(
      '### `Plan for https://api.example.com, area a1 (shop)`\n\nBase: none\n\n**nothing to do; 40 unchanged**\n',
    )
  })

  it('lets no value end its block, and no name become markup', () => {
    const evil = {
      ...plan,
      changes: plan.changes.slice(0, 1).map((change) => ({
        ...change,
        address: 'Service/<b>&',
        fields: [{ path: '/name', after: 'a\n````\n<script>', sensitive: false, verdict: 'pending' as const }],
      })),
    }
    const { output } = planMarkdown(evil)
    expect(output).toContain('`````diff\n')
    expect(output).toContain('<code>Service/&lt;b&gt;&amp;</code>')
  })
})

describe('no report', () => {
  it.each([
    ['json', jsonText(plan)],
    ['text', planText(plan, plain).output],
    ['markdown', planMarkdown(plan).output],
    ['drift', driftText(drift, plain).output],
  ])('as %s contains a secret or a control character', (form, output) => {
    expect(output).not.toContain('s3cret')
    expect(output.includes('(sensitive)')).toBe(form !== 'drift')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a name must not be able to write to the terminal
    expect(output).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  })
})

it('beside very many creates, the fields of other changes are displayed; with all detail every field is', () => {
  const plan = planDocument(samplePlan, [], context)
  const [create] = plan.changes
  const changes = [
    ...plan.changes,
    ...Array.from({ length: 300 }, (_, index) => ({ ...create, address: `Service/S${index}` })),
  ]
  const large = { ...plan, changes, summary: { ...plan.summary, create: 301 } } as typeof plan
  const calm = planText(large, plain).output
  expect(calm).toContain('+ Service/S299')
  expect(calm).not.toContain('qpsLimitOverall')
  expect(calm).toContain('username')
  expect(calm).toContain('--verbose')
  expect(planText(large, { ...plain, detail: 'all' }).output).toContain('qpsLimitOverall')
})
