import schemaOfSarif from '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json' with { type: 'json' }
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AreaState, areaStates } from '../../../src/documents/fleet.js'
import { hasNoCommand, isPrintable } from '../../../src/json/printable.js'
import type { DocumentName, ReportContext, Reported, Writers } from '../../../src/report/formats/format.js'
import { reportText } from '../../../src/report/formats/format.js'
import { reportFormats } from '../../../src/report/formats/formats.js'
import { reports as github } from '../../../src/report/formats/github.js'
import { reports as codeQuality } from '../../../src/report/formats/gitlab-codequality.js'
import { reports as terraform } from '../../../src/report/formats/gitlab-terraform.js'
import { reports as html } from '../../../src/report/formats/html.js'
import { reports as json } from '../../../src/report/formats/json.js'
import { reports as junit } from '../../../src/report/formats/junit.js'
import { reports as prometheus } from '../../../src/report/formats/prometheus.js'
import { reports as sarif } from '../../../src/report/formats/sarif.js'
import { documents } from '../html/documents.js'
import { context, drawnContext, drawnOf } from './drawn.js'
import { type Element, parseXml } from './xml.js'

/** Every format against the rules of its readers, for random documents with hostile names. */

const ajv = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false })

/** The schema of OASIS; its name belongs to another draft, and is omitted. */
const { id: _id, $schema: _draft, ...rules } = schemaOfSarif as Readonly<Record<string, unknown>>
const sarifSchema = ajv.compile(rules)

/** The requirements in GitLab's documentation of code quality. */
const codeQualitySchema = ajv.compile({
  type: 'array',
  items: {
    type: 'object',
    required: ['description', 'check_name', 'fingerprint', 'severity', 'location'],
    properties: {
      description: { type: 'string', minLength: 1 },
      check_name: { type: 'string', minLength: 1 },
      fingerprint: { type: 'string', minLength: 1 },
      severity: { enum: ['info', 'minor', 'major', 'critical', 'blocker'] },
      location: {
        type: 'object',
        required: ['path', 'lines'],
        properties: {
          path: { type: 'string', not: { pattern: '^\\./' } },
          lines: { type: 'object', required: ['begin'], properties: { begin: { type: 'integer', minimum: 1 } } },
        },
      },
    },
  },
})

/** Markdown has its own test file. */
const held = new Set(['markdown'])

/** Checks a format against its rules, for random documents of all supported kinds. */
function law(
  name: keyof typeof reportFormats,
  writers: Partial<Writers<DocumentName>>,
  check: (text: string, told: Reported) => void,
): void {
  held.add(name)
  test(`${name} obeys its rules, and gives the same output for the same input`, () => {
    fc.assert(
      fc.property(drawnOf(...reportFormats[name].of, 'problems'), drawnContext, (told, given) => {
        const text = reportText(writers, told, given) ?? ''
        check(text, told)
        expect(reportText(writers, told, given)).toBe(text)
        // Annotations are commands; the style of a page has colons too.
        const own = text.replace(/<style>[\s\S]*?<.style>/, '')
        if (name !== 'github') expect([isPrintable(own), hasNoCommand(own)]).toEqual([true, true])
      }),
      { numRuns: Number(process.env.LAW_RUNS ?? 150) },
    )
  })
}

describe('whatever a document contains', () => {
  law('json', json, (text, { document }) => {
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)))
  })

  law('sarif', sarif, (text) => {
    const log = JSON.parse(text)
    expect(sarifSchema(log) ? [] : sarifSchema.errors).toEqual([])
    for (const { results, tool, automationDetails } of log.runs) {
      expect(automationDetails.id).toMatch(/^gatewright\/([^/]+\/){0,2}(drift|errors)\/$/)
      for (const { ruleId, ruleIndex, locations, partialFingerprints } of results) {
        expect(tool.driver.rules[ruleIndex].id).toBe(ruleId)
        expect(locations[0].physicalLocation.artifactLocation.uri).toMatch(/^([\w.!~*'()-]|%[0-9A-F]{2}|\/)+$/)
        expect(partialFingerprints.primaryLocationLineHash).toMatch(/^[0-9a-f]{32}:\d+$/)
      }
      const prints = results.map(
        ({ partialFingerprints: { primaryLocationLineHash } }: never) => primaryLocationLineHash,
      )
      expect(new Set(prints).size).toBe(prints.length)
    }
  })

  law('gitlab-codequality', codeQuality, (text) => {
    const issues = JSON.parse(text)
    expect(codeQualitySchema(issues) ? [] : codeQualitySchema.errors).toEqual([])
    const prints = issues.map(({ fingerprint }: { fingerprint: string }) => fingerprint)
    expect(new Set(prints).size).toBe(prints.length)
  })

  law('gitlab-terraform', terraform, (text, { is }) => {
    const counts = JSON.parse(text)
    expect(Object.keys(counts)).toEqual(is === 'problems' ? [] : ['create', 'update', 'delete'])
  })

  law('junit', junit, (text) => {
    const root = parseXml(text)
    expect(root.name).toBe('testsuites')
    expect(junitFaults(root)).toEqual([])
    expect(root.children.length).toBeGreaterThan(0)
    expectCounts(
      root,
      root.children.flatMap(({ children }) => children),
    )
    for (const suite of root.children) {
      expect(suite.attributes.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
      expectCounts(suite, suite.children)
      for (const each of suite.children) expectCase(each)
    }
  })

  law('html', html, (text) => {
    // Texts of others are no tag, attribute or comment: there are only those of the page itself.
    expect(text.match(/<script\b/g)).toHaveLength(1)
    expect(text.match(/<(img|!--|\?xml|!\[CDATA|testcase|failure)|<[^>]*\son\w+=/gi)).toBeNull()
    expect(text.match(/<details\b/g)?.length).toBe(text.match(/<\/details>/g)?.length)
  })

  law('github', github, (text) => {
    expect(text === '' || text.endsWith('\n')).toBe(true)
    const lines = text.split('\n').slice(0, -1)
    // One command per line, and no text of others before its message that is not escaped.
    const command = /^::(error|warning) (?:file=[^,:\r]*,line=\d+(?:,col=\d+)?,)?title=[^,:\r]*::[^\r]*$/
    expect(lines.filter((line) => !command.test(line))).toEqual([])
    expect(lines.filter((line) => !isPrintable(line))).toEqual([])
    for (const severity of ['error', 'warning']) {
      expect(lines.filter((line) => line.startsWith(`::${severity} `)).length).toBeLessThanOrEqual(10)
    }
  })

  law('prometheus', prometheus, (text) => {
    const label = '[a-z]+="(?:[^"\\\\\\n]|\\\\["\\\\n])*"'
    const sample = new RegExp(`^([a-z_]+)\\{((?:${label}(?:,(?=.))?)+)\\} -?[0-9.e+-]+$`)
    const lines = text.split('\n').slice(0, -1)
    const samples = lines.filter((line) => !/^# (HELP|TYPE) gatewright_[a-z_]+ [^\n]+$/.test(line))
    expect(samples.filter((line) => !sample.test(line))).toEqual([])
    expect(new Set(samples.map((line) => line.replace(/ \S+$/, ''))).size).toBe(samples.length)
  })

  test('every format is checked against its rules', () => {
    expect([...held].sort()).toEqual(Object.keys(reportFormats).sort())
  })
})

/**
 * The elements and attributes that we write, with those of the schema of Jenkins' xUnit plugin (junit-10.xsd), which is Maven
 * surefire's with few additions: it lists attributes, and refuses a file with another one.
 */
const junitSchema: Readonly<
  Record<
    string,
    { readonly needs: readonly string[]; readonly may: readonly string[]; readonly holds: readonly string[] }
  >
> = {
  testsuites: { needs: [], may: ['name', 'time', 'tests', 'failures', 'errors'], holds: ['testsuite'] },
  testsuite: {
    needs: ['name', 'tests', 'failures', 'errors'],
    may: ['time', 'skipped', 'timestamp', 'hostname', 'id', 'package', 'file', 'group', 'log', 'url'],
    holds: ['testcase', 'testsuite', 'properties', 'system-out', 'system-err'],
  },
  testcase: {
    needs: ['name'],
    may: ['time', 'classname', 'group'],
    holds: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
  },
  failure: { needs: [], may: ['type', 'message'], holds: [] },
  skipped: { needs: [], may: ['type', 'message'], holds: [] },
}

function junitFaults({ name, attributes, children, text }: Element): readonly string[] {
  const rule = junitSchema[name]
  if (!rule) return [`<${name}>`]
  const given = Object.keys(attributes)
  const isMixed = name === 'failure' || name === 'skipped'
  return [
    ...rule.needs.filter((each) => !given.includes(each)).map((each) => `${name} lacks ${each}`),
    ...given.filter((each) => ![...rule.needs, ...rule.may].includes(each)).map((each) => `${name} has ${each}`),
    ...(name !== 'testcase' && 'time' in attributes && !/^\d*(\.\d*)?$/.test(attributes.time ?? '')
      ? [`time of ${name}: ${attributes.time}`]
      : []),
    ...(isMixed || text.trim() === '' ? [] : [`text in ${name}`]),
    ...children.filter((child) => !rule.holds.includes(child.name)).map((child) => `${child.name} in ${name}`),
    ...children.flatMap(junitFaults),
  ]
}

function expectCounts({ name, attributes }: Element, cases: readonly Element[]): void {
  const count = (child: string) => String(cases.filter(({ children }) => children[0]?.name === child).length)
  expect(attributes).toMatchObject({
    ...{ tests: String(cases.length), failures: count('failure'), errors: '0' },
    ...(name === 'testsuite' && { skipped: count('skipped') }),
  })
}

function expectCase({ children }: Element): void {
  expect(children.length).toBeLessThanOrEqual(1)
  const [end] = children
  if (end) expect(['failure', 'skipped']).toContain(end.name)
  if (end?.name === 'failure') expect(Object.keys(end.attributes)).toEqual(['message', 'type'])
}

const diagnostics = (count: number, severity: 'error' | 'warning') =>
  Array.from({ length: count }, (_, index) => ({ code: 'hazard', severity, message: `number ${index}` }))

const proof = (holds: boolean) => ({
  ...{ holds, failures: holds ? [] : ['Role/R is made twice'], writes: 1, cutPoints: 1, of: 1, requests: 2 },
})

const problems = (count: number, severity: 'error' | 'warning'): Reported => ({
  is: 'problems',
  document: { format: 'gatewright.diagnostics/1', diagnostics: diagnostics(count, severity) },
})

const textOf = (writers: Partial<Writers<DocumentName>>, told: Reported, given: ReportContext = context): string =>
  reportText(writers, told, given) ?? ''

describe('annotations', () => {
  test('are at most ten: the tenth counts those that GitHub would drop', () => {
    expect(textOf(github, problems(9, 'error')).split('\n')).toHaveLength(10)
    const lines = textOf(github, problems(40, 'warning')).trimEnd().split('\n')
    expect([lines.length, lines.at(-1)]).toEqual([
      10,
      '::warning title=gatewright drift::and 31 more warnings: the summary of the job has them',
    ])
  })

  test('have the position in the repository, and a text that cannot end the command', () => {
    const found = { code: 'hazard', severity: 'error' as const, message: 'a\n::b%', hint: 'c\nd', file: 'm/a,b:c.yaml' }
    const document = { format: 'gatewright.diagnostics/1' as const, diagnostics: [{ ...found, line: 3, column: 7 }] }
    expect(textOf(github, { is: 'validation', document })).toBe(
      '::error file=apis/m/a%2Cb%3Ac.yaml,line=3,col=7,title=hazard::a\\u000a::b%25%0Ac%0Ad\n',
    )
  })
})

describe('metrics', () => {
  const run = (told: Reported, given: Partial<ReportContext> = {}): string =>
    textOf(prometheus, told, { ...context, ...given })
  const labels = '{project="shop",environment="prod",command="drift"}'

  test('continue the counts of the file before, and keep the last success of a command that fails now', () => {
    const first = run(problems(1, 'error'))
    expect(first).not.toContain('gatewright_last_success_timestamp_seconds')
    expect(first).toContain(`gatewright_last_run_success${labels} 0\n`)
    const earlier = `gatewright_requests_total${labels} 100\ngatewright_last_success_timestamp_seconds${labels} 12.5\n`
    const second = run(problems(1, 'error'), { earlier })
    expect(second).toContain(`gatewright_requests_total${labels} 142\n`)
    expect(second).toContain(`gatewright_last_success_timestamp_seconds${labels} 12.5\n`)
    expect(second).toContain(`gatewright_run_seconds${labels} 12.345\n`)
  })

  test('report no success of a fleet if an area was refused, or its saved plan is stale', () => {
    const success = (state: AreaState) => {
      const document = { areas: [{ area: 'a', state }], summary: { states: { [state]: 1 } } }
      return run({ is: 'fleet', document } as unknown as Reported).includes(`gatewright_last_run_success${labels} 1\n`)
    }
    expect(areaStates.filter(success)).toEqual(['in-sync', 'pending', 'drift', 'conflict', 'applied'])
  })

  test('report no success of a run that ended with an error beside its changes, or of a plan that is not proved', () => {
    const isSuccess = (told: Reported) => run(told).includes(`gatewright_last_run_success${labels} 1\n`)
    const { run: document } = documents
    const applied = { ...document, changes: document.changes.filter(({ outcome }) => outcome === 'applied') }
    expect(isSuccess({ is: 'run', document: applied })).toBe(true)
    const unread = { ...applied, diagnostics: diagnostics(1, 'error') }
    expect(isSuccess({ is: 'run', document: unread })).toBe(false)
    const rehearsed = (holds: boolean): Reported => ({
      is: 'plan',
      document: { ...documents.plan, refused: [], proof: proof(holds) },
    })
    expect([true, false].map((holds) => isSuccess(rehearsed(holds)))).toEqual([true, false])
  })

  test('escape signs that would end a label', () => {
    expect(run(problems(0, 'error'), { project: 'a"b\\c\nd' })).toContain('{project="a\\"b\\\\c\\\\u000ad",')
  })
})

test('a JUnit report of a fleet has the duration of each area', () => {
  const area = { area: 'a', project: 'shop', state: 'in-sync', seconds: 1.25, diagnostics: [], summary: {} } as const
  const document = { areas: [area, { ...area, area: 'b' }], same: [], diagnostics: [] }
  const [suite] = parseXml(textOf(junit, { is: 'fleet', document } as unknown as Reported)).children
  expect(suite?.attributes.time).toBe('2.500')
  expect(suite?.children.map(({ attributes }) => attributes.time)).toEqual(['1.250', '1.250'])
})

test('a JUnit report of a drift has the suite of the kind, also for an object without a name', () => {
  const change = { kind: 'Cache', address: 'Service/s/Endpoint/e/Cache', action: 'create', side: 'live', fields: [] }
  const unmanaged = [{ address: 'Role/r', id: '1', inList: true }]
  const rest = { accepted: [], unmanaged, base: {}, summary: {}, diagnostics: [] }
  const [cache, role] = parseXml(
    textOf(junit, { is: 'drift', document: { ...rest, changes: [change] } } as unknown as Reported),
  ).children
  expect([cache, role].map((suite) => suite?.attributes.name)).toEqual(['Cache', 'Role'])
})

test('a JUnit report of a plan that is not proved has a failure with the reason', () => {
  const casesOf = (holds: boolean) => {
    const document = { ...documents.plan, refused: [], changes: [], accepted: [], proof: proof(holds) }
    return parseXml(textOf(junit, { is: 'plan', document })).children.flatMap(({ children }) => children)
  }
  expect(casesOf(true)).toMatchObject([{ attributes: { name: 'rehearsal' }, children: [] }])
  expect(casesOf(false)).toMatchObject([{ children: [{ name: 'failure', attributes: { type: 'not-proved' } }] }])
  expect(casesOf(false)[0]?.children[0]?.text).toContain('Role/R is made twice')
})

test.each(['validate', 'fleet validate', 'policy test', 'plan', 'drift'])(
  'an alert for the end of a %s is closed in SARIF by its next report without a finding',
  (command) => {
    const given = { ...context, command }
    const good =
      { validate: 'validation', 'fleet validate': 'validation', 'policy test': 'policies' }[command] ?? command
    const document = good === 'plan' || good === 'drift' ? { ...documents[good], changes: [] } : { diagnostics: [] }
    const categories = (told: Reported) =>
      JSON.parse(textOf(sarif, told, given)).runs.map(
        (run: { automationDetails: { id: string } }) => run.automationDetails.id,
      )
    expect(categories({ is: good, document } as unknown as Reported)).toEqual(
      expect.arrayContaining(categories(problems(1, 'error'))),
    )
  },
)

test('a finding about a text of several lines counts the changed lines', () => {
  const field = {
    path: '/description',
    sensitive: false,
    verdict: 'drift',
    before: 'one\ntwo\n',
    after: 'one\n',
  } as const
  const change = { kind: 'Service', address: 'Service/S', action: 'update', side: 'live', fields: [field] }
  const rest = { accepted: [], unmanaged: [], base: 'b', summary: {}, diagnostics: [] }
  const text = textOf(codeQuality, { is: 'drift', document: { ...rest, changes: [change] } } as unknown as Reported)
  expect(JSON.parse(text)[0].description).toBe('Service/S: description: git → live, 1 line')
})

test('an empty JUnit report has one case that has passed', () => {
  const [suite] = parseXml(textOf(junit, problems(0, 'error'))).children
  expect(suite?.children).toMatchObject([{ name: 'testcase', attributes: { name: 'nothing to report' }, children: [] }])
})
