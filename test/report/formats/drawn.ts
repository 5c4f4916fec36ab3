import fc from 'fast-check'
import type { Hazard } from '../../../src/catalog/hazards.js'
import type { Diagnostic, DiagnosticsDocument } from '../../../src/documents/diagnostics.js'
import type { DiffDocument } from '../../../src/documents/diff.js'
import { areaStates, type FleetDocument } from '../../../src/documents/fleet.js'
import type { HistoryDocument } from '../../../src/documents/history.js'
import type { ChangeDocument, FieldDocument, PlanDocument } from '../../../src/documents/plan.js'
import type { PolicyTestsDocument } from '../../../src/documents/policy-tests.js'
import type { RunDocument } from '../../../src/documents/run.js'
import type { DocumentName, ReportContext, Reported } from '../../../src/report/formats/format.js'

/** Random documents whose names, values and messages contain markup and control characters. */

const fragments = [
  ...[
    '\n',
    '\r\n',
    ' ',
    '`',
    '```',
    '|',
    '/',
    '"',
    "'",
    '\\',
    '&',
    '<',
    '>',
    '%',
    ',',
    ':',
    '::',
    '=',
    '{',
    '}',
    '#',
    '@',
  ],
  ...['::error file=a::b', '\n::set-output name=a::b', '##[error]x', '##vso[task.x]y', '%0A::stop-commands::z'],
  ...[
    '</details>',
    '</summary>',
    '<!-- x',
    '-->',
    '--!>',
    '<script>alert(1)</script>',
    '<img src=x onerror=y>',
    '&amp;',
    '&#10;',
  ],
  ...[']]>', '<![CDATA[', '<?xml', '<!DOCTYPE a>', '</testcase>', '</failure>'],
  ...[
    '![i](http://e.example/x)',
    '[l](http://e.example)',
    '@octocat/admins',
    '#123',
    'GH-1',
    'www.e.example',
    '- a',
    '1. b',
  ],
  ...[
    '\u0000',
    '\u001b[2J',
    '\u001b]0;t\u0007',
    '\u202e',
    '\u2028',
    '\u0085',
    '\ud800',
    '\udfff',
    '\uffff',
    '\ufffe',
    '\ufeff',
    '💥',
    'é',
  ],
  ...['word', 'Orders API', 'x'.repeat(80), '${env:NAME}', '| --- |', '~~~', '$x$', 'HELP gatewright_drift', '1e400'],
]

export const hostileText: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...fragments) }, fc.string({ maxLength: 12 })), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''))

const kinds = ['Service', 'Endpoint', 'Package', 'Plan', 'Role', 'ErrorSet'] as const

const name = hostileText.map((text) => text.replaceAll('%', '%25').replaceAll('/', '%2F'))

const object = fc
  .tuple(fc.array(fc.tuple(fc.constantFrom(...kinds), name), { minLength: 1, maxLength: 3 }))
  .map(([pairs]) => ({
    kind: pairs.at(-1)?.[0] ?? 'Service',
    address: pairs.map(([kind, each]) => `${kind}/${each}`).join('/'),
  }))

const value = fc.oneof(
  hostileText,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(hostileText, { maxLength: 4 }),
  fc.dictionary(hostileText, hostileText, { maxKeys: 3 }),
)

const pointer = hostileText.map((text) => `/${text.replaceAll('~', '~0').replaceAll('/', '~1')}`)

const field: fc.Arbitrary<FieldDocument> = fc.record(
  {
    path: pointer,
    sensitive: fc.constant(false),
    verdict: fc.constantFrom('pending', 'drift', 'conflict', 'unverifiable', 'difference'),
    before: value,
    after: value,
    applied: value,
  },
  { requiredKeys: ['path', 'sensitive', 'verdict'] },
)

const place = fc.record({ file: hostileText, line: fc.integer({ min: 1, max: 9999 }), column: fc.constant(1) })

const decision = {
  reason: hostileText,
  owner: hostileText,
  expires: fc.constantFrom('2026-11-20', '2026-11-23', '2027-01-31'),
}

const change: fc.Arbitrary<ChangeDocument> = fc
  .tuple(
    object,
    fc.record(
      {
        action: fc.constantFrom('create', 'update', 'replace', 'delete', 'blocked'),
        wants: fc.constantFrom('create', 'update', 'replace', 'delete'),
        fields: fc.array(field, { maxLength: 4 }),
        dependsOn: fc.constant([]),
        precondition: fc.constant('sha256:0'),
        hazards: fc.subarray<Hazard>(['KEY_LOSS', 'TRAFFIC_STOP', 'ID_CHANGE']),
        source: place,
        reason: hostileText,
        side: fc.constantFrom('live', 'manifest', 'both', 'unknown'),
        editor: hostileText,
        updated: hostileText,
        lapsed: fc.array(fc.record({ ...decision, why: fc.constantFrom('expired', 'other values') }), { maxLength: 2 }),
      },
      { requiredKeys: ['action', 'fields', 'dependsOn', 'precondition', 'hazards', 'side'] },
    ),
  )
  .map(([of, rest]) => ({ ...of, ...rest }))

const diagnostic: fc.Arbitrary<Diagnostic> = fc.record(
  {
    code: fc.constantFrom('hazard', 'conflict', 'suspected-rename', 'unknown-field', 'no-base'),
    severity: fc.constantFrom('error', 'warning', 'note'),
    message: hostileText.map((text) => (text === '' ? 'x' : text)),
    file: hostileText,
    line: fc.integer({ min: 1, max: 99 }),
    column: fc.constant(3),
    hint: hostileText,
  },
  { requiredKeys: ['code', 'severity', 'message'] },
)

const target = fc.record(
  { url: hostileText, area: hostileText, project: hostileText, environment: hostileText },
  { requiredKeys: ['url', 'area', 'project'] },
)

const list = <Value>(of: fc.Arbitrary<Value>): fc.Arbitrary<Value[]> => fc.array(of, { maxLength: 12 })

const unique = <Value extends { readonly address: string }>(of: fc.Arbitrary<Value>): fc.Arbitrary<Value[]> =>
  fc.uniqueArray(of, { maxLength: 14, selector: ({ address }) => address })

const policyResult = fc.record(
  {
    ...{ policy: hostileText, rule: fc.integer({ min: 1, max: 9 }), address: hostileText, kind: hostileText },
    outcome: fc.constantFrom('violated' as const, 'failed' as const, 'waived' as const),
    level: fc.constantFrom('error' as const, 'warning' as const),
    ...{ message: hostileText, source: place },
    waiver: fc.record({ reason: hostileText, owner: hostileText, until: fc.constant('2027-03-31') }),
  },
  { requiredKeys: ['policy', 'rule', 'outcome', 'level', 'message', 'source'] },
)

const planWith = (format: PlanDocument['format']): fc.Arbitrary<PlanDocument> =>
  fc
    .record(
      {
        target,
        snapshot: hostileText,
        base: fc.option(hostileText),
        refused: format === 'gatewright.plan/1' ? list(diagnostic) : fc.constant([]),
        changes: unique(change),
        unmanaged: unique(
          fc
            .tuple(object, fc.boolean())
            .map(([{ address }, inList]) => ({ address, id: 'i', ...(inList && { inList }) })),
        ),
        accepted: unique(
          fc
            .tuple(
              object,
              fc.record(decision),
              fc.oneof(
                fc.record({ field }),
                fc.record({ object: fc.constantFrom('deleted' as const, 'created' as const) }),
              ),
            )
            .map(([of, by, what]) => ({ ...of, ...by, ...what })),
        ),
        policies: fc.record({
          ...{ digest: fc.constant('sha256:1'), policies: fc.nat(), rules: fc.nat(), results: list(policyResult) },
        }),
        diagnostics: list(diagnostic),
        proof: fc.record({
          ...{ holds: fc.boolean(), failures: list(hostileText), writes: fc.nat(), cutPoints: fc.nat(), of: fc.nat() },
          requests: fc.nat(),
        }),
      },
      { requiredKeys: ['target', 'base', 'refused', 'changes', 'unmanaged', 'accepted', 'diagnostics'] },
    )
    .map((rest) => {
      const count = (action: string) => rest.changes.filter((each) => each.action === action).length
      return {
        format,
        manifests: 'sha256:1',
        summary: {
          ...{ create: count('create'), update: count('update'), replace: count('replace'), delete: count('delete') },
          ...{ blocked: count('blocked'), unchanged: 40 },
          ...{ unmanaged: rest.unmanaged.length, accepted: rest.accepted.length },
        },
        estimate: { requests: 9, seconds: 5 },
        ...rest,
      }
    })

const outcomes = ['applied', 'failed', 'blocked', 'notStarted', 'waiting', 'notKept'] as const

const runs: fc.Arbitrary<RunDocument> = fc
  .record({
    target,
    purpose: fc.constantFrom('apply', 'rollback'),
    of: fc.option(hostileText),
    run: fc.option(hostileText),
    changes: unique(
      fc
        .tuple(
          object,
          fc.record({
            action: fc.constantFrom('create', 'update', 'delete'),
            id: fc.option(hostileText),
            outcome: fc.constantFrom(...outcomes),
            error: fc.option(hostileText),
          }),
        )
        .map(([of, rest]) => ({ ...of, ...rest })),
    ),
    requests: fc.nat({ max: 1e6 }),
    diagnostics: list(diagnostic),
  })
  .map((rest) => {
    const count = (outcome: string) => rest.changes.filter((each) => each.outcome === outcome).length
    return {
      format: 'gatewright.run/1',
      summary: {
        ...{ applied: count('applied'), failed: count('failed'), blocked: count('blocked') },
        ...{ notStarted: count('notStarted'), waiting: count('waiting'), notKept: count('notKept'), accepted: 0 },
      },
      ...rest,
    }
  })

const said = fc
  .tuple(place, fc.record({ layer: hostileText, value }, { requiredKeys: ['layer'] }))
  .map(([where, rest]) => ({ ...where, ...rest }))

const layer = fc.record(
  {
    ...{ is: fc.constantFrom('value' as const, 'default' as const, 'patch' as const), name: hostileText },
    ...{ a: said, b: said, fields: list(pointer), count: fc.nat({ max: 9 }), sensitive: fc.constant(false) },
    ...{ objects: list(hostileText), omitted: list(hostileText) },
  },
  { requiredKeys: ['is', 'name', 'a', 'fields', 'count', 'objects', 'omitted', 'sensitive'] },
)

const diffs: fc.Arbitrary<DiffDocument> = fc
  .record({
    a: hostileText,
    b: hostileText,
    layers: list(layer),
    differences: unique(
      fc
        .tuple(
          object,
          fc.record({
            in: fc.constantFrom('a' as const, 'b' as const, 'both' as const),
            fields: fc.array(
              fc.record(
                { path: pointer, a: value, b: value, sensitive: fc.constant(false) },
                { requiredKeys: ['path', 'sensitive'] },
              ),
              { maxLength: 3 },
            ),
          }),
        )
        .map(([of, rest]) => ({ ...of, ...rest })),
    ),
  })
  .map((rest) => ({ format: 'gatewright.diff/1', summary: { onlyInA: 1, onlyInB: 2, different: 3 }, ...rest }))

const diagnostics: fc.Arbitrary<DiagnosticsDocument> = list(diagnostic).map((found) => ({
  format: 'gatewright.diagnostics/1',
  diagnostics: found,
}))

const histories: fc.Arbitrary<HistoryDocument> = fc
  .record({
    target,
    runs: list(
      fc.record({
        run: hostileText,
        started: fc.constant('2026-11-22T06:00:00.000Z'),
        ended: fc.constantFrom(null, '2026-11-22T06:01:00.000Z'),
        who: hostileText,
        commit: fc.option(hostileText),
        purpose: fc.constantFrom('apply' as const, 'rollback' as const),
        of: fc.option(hostileText),
        outcome: fc.constantFrom('done' as const, 'incomplete' as const, 'interrupted' as const),
        summary: fc.constant({ applied: 3, failed: 1 }),
      }),
    ),
  })
  .map((rest) => ({ format: 'gatewright.history/1', ...rest }))

const digests = fc.constantFrom('sha256:1', 'sha256:2')

const fleets: fc.Arbitrary<FleetDocument> = fc
  .record({
    fleet: hostileText,
    command: fc.constantFrom('drift' as const, 'plan' as const, 'apply' as const),
    areas: unique(
      fc.record({
        ...{
          address: hostileText,
          project: hostileText,
          environment: fc.option(hostileText),
          key: fc.option(hostileText),
        },
        ...{ labels: fc.dictionary(hostileText, hostileText, { maxKeys: 2 }), state: fc.constantFrom(...areaStates) },
        ...{ exit: fc.constant(1), requests: fc.option(fc.nat({ max: 99 })), changes: fc.option(digests) },
        ...{ diagnostics: list(diagnostic), summary: fc.constant({ create: 1, unchanged: 4 }) },
      }),
    ),
    same: list(
      fc.record({
        digest: digests,
        areas: list(hostileText),
        changes: list(
          fc.record({
            ...{ address: hostileText, kind: hostileText, action: fc.constantFrom('create', 'update', 'blocked') },
            fields: fc.array(
              fc.record({
                ...{ path: pointer, before: value, after: value, sensitive: fc.constant(false) },
                verdict: fc.constantFrom('drift' as const, 'conflict' as const),
              }),
              { maxLength: 3 },
            ),
          }),
        ),
      }),
    ),
    diagnostics: list(diagnostic),
  })
  .map(({ areas, ...rest }) => ({
    ...{ format: 'gatewright.fleet/1', startedAt: '2026-11-22T06:00:00.000Z', seconds: 12, ...rest },
    areas: areas.map(({ address: area, ...each }) => ({
      ...{ area, startedAt: '2026-11-22T06:00:00.000Z', seconds: 1, files: {}, ...each },
    })),
    summary: {
      ...{ areas: areas.length, changes: { create: areas.length }, requests: 7 },
      states: Object.fromEntries(
        areaStates.map((state) => [state, areas.filter((each) => each.state === state).length]),
      ) as FleetDocument['summary']['states'],
    },
  }))

const policyTests: fc.Arbitrary<PolicyTestsDocument> = fc
  .record({
    tests: list(
      fc.record({
        ...{ policy: hostileText, name: hostileText, holds: fc.boolean(), messages: list(hostileText), source: place },
        expect: fc.constantFrom('pass' as const, 'error' as const),
        found: fc.constantFrom('pass' as const, 'warning' as const),
      }),
    ),
    diagnostics: list(diagnostic),
  })
  .map((rest) => ({
    format: 'gatewright.policy-tests/1',
    summary: { policies: 1, rules: 2, untested: 1, tests: rest.tests.length, failed: 1 },
    ...rest,
  }))

const told: { readonly [Name in DocumentName]: fc.Arbitrary<Reported<Name>> } = {
  validation: diagnostics.map((document) => ({ is: 'validation', document })),
  plan: planWith('gatewright.plan/1').map((document) => ({ is: 'plan', document })),
  drift: planWith('gatewright.drift/1').map((document) => ({ is: 'drift', document })),
  run: runs.map((document) => ({ is: 'run', document })),
  diff: diffs.map((document) => ({ is: 'diff', document })),
  history: histories.map((document) => ({ is: 'history', document })),
  fleet: fleets.map((document) => ({ is: 'fleet', document })),
  policies: policyTests.map((document) => ({ is: 'policies', document })),
  problems: diagnostics.map((document) => ({ is: 'problems', document })),
}

/** A document of one of these kinds. */
export const drawnOf = (...names: readonly DocumentName[]): fc.Arbitrary<Reported> =>
  fc.oneof(...names.map((each): fc.Arbitrary<Reported> => told[each]))

export const everyDocument = Object.keys(told).filter((each): each is DocumentName => Object.hasOwn(told, each))

export const context: ReportContext = {
  ...{ command: 'drift', version: '1.2.3', project: 'shop', environment: 'prod' },
  ...{ startedMs: Date.UTC(2026, 10, 22, 6), endedMs: Date.UTC(2026, 10, 22, 6, 0, 12, 345) },
  ...{
    traffic: { requests: 42, throttled: 1 },
    pathOf: (file: string) => `apis/${file}`,
    projectFile: 'gatewright.yaml',
  },
  ...{ budget: undefined, earlier: undefined },
}

export const drawnContext: fc.Arbitrary<ReportContext> = fc
  .tuple(fc.option(hostileText, { nil: undefined }), fc.option(hostileText, { nil: undefined }))
  .map(([project, environment]) => ({ ...context, project, environment }))
