import { describe, expect, test } from 'vitest'
import type { ChangeDocument, FieldDocument, PlanDocument } from '../../src/documents/plan.js'
import { plainColours } from '../../src/report/colours.js'
import { driftMarkdown } from '../../src/report/drift-markdown.js'
import { driftText } from '../../src/report/drift-text.js'
import { driftHtml } from '../../src/report/html/drift.js'

/** A drift is reported as a change on the platform, not as the effect of an apply. */

const field = (path: string, rest: Partial<FieldDocument>): FieldDocument => ({
  path,
  sensitive: false,
  verdict: 'drift',
  ...rest,
})

const change = (
  address: string,
  action: ChangeDocument['action'],
  side: NonNullable<ChangeDocument['side']>,
  rest: Partial<ChangeDocument> = {},
): ChangeDocument => ({
  ...{ address, action, side },
  kind: 'Service',
  fields: [],
  source: { file: 'area.yaml', line: 3, column: 1 },
  dependsOn: [],
  precondition: 'sha256:0',
  hazards: ['TRAFFIC_STOP'],
  ...rest,
})

const edited = { editor: 'jdoe', updated: '2026-11-20T10:00:00.000+0000', revision: 7 }

const empty: PlanDocument = {
  format: 'gatewright.drift/1',
  target: { url: 'https://api.example.com', area: 'a1', project: 'shop' },
  manifests: 'sha256:1',
  base: '20261120T000000Z-1a2b3c',
  summary: { create: 0, update: 0, replace: 0, delete: 0, blocked: 0, unchanged: 40, unmanaged: 0, accepted: 0 },
  estimate: { requests: 0, seconds: 0 },
  refused: [],
  changes: [],
  unmanaged: [],
  accepted: [],
  diagnostics: [],
}

const everything: PlanDocument = {
  ...empty,
  summary: { ...empty.summary, unmanaged: 2, accepted: 2 },
  changes: [
    change('Service/Gone', 'create', 'live'),
    change('Service/Gone/Endpoint/a', 'create', 'live'),
    change('Service/Gone/Endpoint/a/Method/b', 'create', 'live'),
    change('Service/New', 'create', 'manifest'),
    change('Service/New/Endpoint/a', 'create', 'manifest'),
    change('Service/Orders', 'update', 'both', {
      ...edited,
      fields: [
        field('/qpsLimitOverall', { before: 5, after: 30 }),
        field('/version', { before: '2', after: '3', verdict: 'pending' }),
        field('/description', { before: 'first\nlive\n', after: 'first\nold\n' }),
      ],
      lapsed: [{ path: '/qpsLimitOverall', reason: 'INC-1', owner: 'ops', expires: '2026-11-19', why: 'expired' }],
    }),
    change('Service/Orders/Endpoint/orders', 'update', 'both', {
      fields: [
        field('/cors/maxAge', { before: 5, after: 40, applied: 30, verdict: 'conflict' }),
        field('/password', { before: '(sensitive)', after: '(sensitive)', sensitive: true }),
      ],
    }),
    change('Service/Orders/Endpoint/returns', 'blocked', 'live', {
      wants: 'create',
      reason: 'no operation creates it',
    }),
    change('Service/Orders/ErrorSet/old', 'delete', 'manifest'),
  ],
  unmanaged: [
    { address: 'Service/Orders/Endpoint/extra', id: 'e1', inList: true },
    { address: 'Service/Orders/Endpoint/known', id: 'e2', inList: true },
  ],
  accepted: [
    {
      ...{ address: 'Package/P', kind: 'Package', reason: 'INC-2', owner: 'ops', expires: '2027-01-31' },
      field: field('/nearQuotaThreshold', { before: 90, after: 80 }),
    },
    {
      ...{ address: 'Service/Orders/Endpoint/known', kind: 'Endpoint', reason: 'a test', owner: 'qa' },
      ...{ expires: '2027-01-31', object: 'created' },
    },
  ],
}

describe('the text of a drift', () => {
  test('wraps pending changes at the width of the terminal', () => {
    const fields = ['/name', '/version', '/description'].map((path) => field(path, { verdict: 'pending' }))
    const drift = { ...empty, changes: [change('Service/Orders', 'update', 'manifest', { fields })] }
    expect(driftText(drift, { colours: plainColours, columns: 40 }).output).toContain(
      'Not applied yet:\n  update Service/Orders (name,\n      version, description)\n',
    )
  })

  test('reports the change of each object, both values of each field, accepted drift, and pending changes', () => {
    expect(driftText(everything, { colours: plainColours }).output).toMatchInlineSnapshot(`
      "Drift of https://api.example.com, area a1 (shop)
      Base: run 20261120T000000Z-1a2b3c

      - Service/Gone  deleted on the platform, with 2 objects in it  area.yaml:3

      ~ Service/Orders      changed on the platform             area.yaml:3
          qpsLimitOverall: its acceptance expired on 2026-11-19 (ops: INC-1)
          last edited by jdoe at 2026-11-20T10:00:00.000+0000 as revision 7
          qpsLimitOverall  git 30 → live 5
          description: git → live
              first
            - old
            + live
        + Endpoint/extra    created on the platform
            the written list of its parent lacks it
        ! Endpoint/orders   changed on the platform and in git  area.yaml:3
            cors.maxAge  applied 30, live 5, git 40
            password     git (sensitive) → live (sensitive)
        - Endpoint/returns  deleted on the platform             area.yaml:3

      Accepted drift, left alone:
        until 2027-01-31, ops: INC-2
          Package/P  nearQuotaThreshold: git 80 → live 90
        until 2027-01-31, qa: a test
          Service/Orders/Endpoint/known  created on the platform

      Not applied yet:
        create Service/New
        update Service/Orders (version)
        delete Service/Orders/ErrorSet/old

      Drift: 2 deleted, 1 created, 1 changed on the platform, 1 conflict; 2 accepted, 3 not applied yet, 40 in sync.
      "
    `)
  })

  test('of nothing says so', () => {
    expect(driftText(empty, { colours: plainColours }).output).toContain('\nDrift: none; 40 in sync.\n')
  })

  test('without a base says that sides differ, and not who changed what', () => {
    const fields = [field('/version', { before: '1', after: '2', verdict: 'difference' })]
    const changes = [
      change('Service/A', 'create', 'unknown'),
      change('Service/B', 'update', 'unknown', { fields }),
      change('Service/C', 'delete', 'unknown'),
    ]
    const { output } = driftText({ ...empty, base: null, changes }, { colours: plainColours })
    expect(output).toContain('- Service/A  in git, and not on the platform')
    expect(output).toContain('~ Service/B  differs')
    expect(output).toContain('version  git "2", live "1"')
    expect(output).toContain('+ Service/C  on the platform, and not in git')
    expect(output).toContain('Drift: 3 differences; 40 in sync.')
  })

  test('lists pending changes only if the list is short', () => {
    const changes = Array.from({ length: 12 }, (_, index) => change(`Service/S${index}`, 'create', 'manifest'))
    const { output } = driftText({ ...empty, changes }, { colours: plainColours })
    expect(output).toContain('and 2 more, which gatewright plan shows')
    expect(output).toContain('Drift: none; 12 not applied yet, 40 in sync.')
  })
})

test('the Markdown of a drift has the same content', () => {
  expect(driftMarkdown(everything).output).toMatchInlineSnapshot(`
    "### \`Drift of https://api.example.com, area a1 (shop)\`

    Base: run 20261120T000000Z-1a2b3c

    **Drift: 2 deleted, 1 created, 1 changed on the platform, 1 conflict; 2 accepted, 3 not applied yet, 40 in sync**

    <details open><summary><code>Service/Orders</code>: 4 objects</summary>

    \`Service/Orders\` **changed on the platform** · \`area.yaml:3\`

    > qpsLimitOverall: its acceptance expired on 2026-11-19 (ops: INC-1)

    > last edited by jdoe at 2026-11-20T10:00:00.000+0000 as revision 7

    \`\`\`diff
      qpsLimitOverall: git 30 → live 5
      description: git → live
        first
    -   old
    +   live
    \`\`\`

    \`Service/Orders/Endpoint/extra\` **created on the platform**

    > the written list of its parent lacks it

    \`Service/Orders/Endpoint/orders\` **changed on the platform and in git** · \`area.yaml:3\`

    \`\`\`diff
      cors.maxAge: applied 30, live 5, git 40
      password: git (sensitive) → live (sensitive)
    \`\`\`

    \`Service/Orders/Endpoint/returns\` **deleted on the platform** · \`area.yaml:3\`

    </details>

    <details open><summary><code>Service/Gone</code>: 1 object</summary>

    \`Service/Gone\` **deleted on the platform, with 2 objects in it** · \`area.yaml:3\`

    </details>

    <details><summary>Not applied yet</summary>

    - create Service/New
    - update Service/Orders (version)
    - delete Service/Orders/ErrorSet/old

    </details>

    <details><summary>2 accepted, left alone</summary>

    - \`Package/P\` nearQuotaThreshold: git 80 → live 90 (until 2027-01-31, ops: INC-2)
    - \`Service/Orders/Endpoint/known\` created on the platform (until 2027-01-31, qa: a test)

    </details>
    "
  `)
})

test('drift, or accepted drift, is not reported as unmanaged and unchanged, in any format', () => {
  const unmanaged = [...everything.unmanaged, { address: 'Service/Legacy', id: 's9' }]
  const drift = { ...everything, unmanaged, summary: { ...everything.summary, unmanaged: 3 } }
  expect(driftText(drift, { colours: plainColours }).output).toContain('40 in sync, 1 unmanaged.\n')
  for (const report of [driftMarkdown(drift).output, driftHtml(drift)]) {
    const [, listed = ''] = report.split('1 unmanaged, left alone')
    expect(listed).toContain('Service/Legacy')
    expect(listed).not.toMatch(/Endpoint\/(?:extra|known)/)
  }
})

test('names and values make no markup', () => {
  const name = 'Service/<img src=x> @team `x` *b*'
  const changes = [
    change(name, 'update', 'live', { fields: [field('/description', { before: '```\n@team', after: '' })] }),
    change(`${name}/Endpoint/new`, 'create', 'manifest'),
  ]
  const { output } = driftMarkdown({ ...empty, changes })
  expect(output).toContain('<summary><code>Service/&lt;img src=x&gt; @team `x` *b*</code>')
  expect(output).toContain('\n``Service/<img src=x> @team `x` *b*`` **')
  expect(output).toContain('- create Service/&lt;img src=x&gt; @&#8203;team')
  expect(output).not.toMatch(/^```\n@team/m)
})

test('the page displays changes from git to live in the same colours, on a line and in texts of several lines', () => {
  const page = driftHtml(everything)
  expect(page).toContain('<code class="was">30</code></td><td><code class="is">5</code>')
  expect(page).toMatch(/<del>[^<]*old[^<]*<\/del>\s*<ins>[^<]*live/)
  expect(page).toContain(
    '<code class="was">30</code></td><td><code class="is">40</code></td><td><code class="is">5</code>',
  )
})
