import { describe, expect, it } from 'vitest'
import { readFleet } from '../../src/fleet/read-fleet.js'
import { folderWith } from '../kit/folder.js'
import { areaText, fleetText } from './texts.js'

const read = (spec: readonly string[], files: Readonly<Record<string, string>> = {}) =>
  readFleet('fleet.yaml', { cwd: folderWith({ 'fleet.yaml': fleetText(...spec), ...files }) })

/** Problems as `file:line:column code message`. */
const problemsOf = (...given: Parameters<typeof read>): readonly string[] =>
  read(...given).problems.map(
    ({ place, code, severity, message }) =>
      `${place?.file}:${place?.line}:${place?.column} ${severity === 'error' ? '' : `${severity} `}${code}: ${message}`,
  )

describe('a fleet', () => {
  it('has areas in files and areas in its own file', () => {
    const { fleet, problems } = read(
      [
        'areas:',
        '  - areas/*.yaml',
        '  - {name: inline, project: shop, area: a9, values: {brand: Inline, most: 5}, variables: OWN_*}',
        'keys: {shared: {requestsPerSecond: 2, requestsPerDay: 5000, credentials: {apiKey: "${env:SHARED_KEY}"}}}',
        'variables: [COMMON]',
        'drift: {schedule: "17 */6 * * *", timezone: Europe/Berlin, jitter: 20m}',
        'rollout: {waves: [{labels: {ring: canary}, bake: 30m}, {}], stop: {failures: 1}}',
      ],
      {
        'areas/b.yaml': areaText('beta', '{project: ../shop, environment: prod, key: shared}'),
        'areas/a.yaml': areaText('alpha', '{project: ../shop, key: shared, labels: {ring: canary}}'),
      },
    )
    expect(problems).toEqual([])
    expect(fleet?.areas.map(({ name, project, environment, key }) => [name, project, environment, key])).toEqual([
      ['alpha', 'shop', undefined, 'shared'],
      ['beta', 'shop', 'prod', 'shared'],
      ['inline', 'shop', undefined, undefined],
    ])
    expect(fleet?.areas[2]).toMatchObject({
      ...{ area: 'a9', values: { brand: 'Inline', most: 5 }, variables: ['COMMON', 'OWN_*'] },
      place: { file: 'fleet.yaml', line: 7, column: 14 },
    })
    expect(fleet?.areas[0]?.place).toEqual({ file: 'areas/a.yaml', line: 3, column: 18 })
    expect(fleet).toMatchObject({
      ...{ name: 'brands', dir: '.', records: '.gatewright/fleets', timeoutMs: 3_600_000 },
      keys: {
        shared: { requestsPerSecond: 2, requestsPerDay: 5000, concurrency: 1, credentials: { apiKey: 'SHARED_KEY' } },
      },
      drift: { schedule: '17 */6 * * *', timezone: 'Europe/Berlin', jitterMs: 1_200_000 },
      rollout: {
        waves: [
          { labels: { ring: 'canary' }, bakeMs: 1_800_000 },
          { labels: {}, approve: false },
        ],
      },
    })
    expect(JSON.parse(JSON.stringify(fleet))).toEqual(JSON.parse(JSON.stringify({ ...fleet })))
  })

  it('reports its problems in the order of its lines', () => {
    const { problems } = read([
      'records: 5',
      'wavs: []',
      'areas: [{name: a, projct: x}]',
      'drift: {schedule: never}',
      'x: 1',
    ])
    const lines = problems.map(({ place }) => place?.line ?? 0)
    expect(lines).toEqual([...lines].sort())
    expect(lines.length).toBeGreaterThan(3)
  })

  it('reports all its problems at once, and each once', () => {
    const of = (keys: string) =>
      problemsOf([
        'areas: [{name: a, key: shred}]',
        `${keys}: {shared: {}}`,
        'drift: {schedule: "61 * * * *", jitter: long}',
        'timeout: 1 hour',
        'waves: []',
      ]).map((each) => each.split(': ')[0])
    const others = [
      'fleet.yaml:7:21 fleet-schedule',
      'fleet.yaml:7:43 wrong-type',
      'fleet.yaml:8:12 wrong-type',
      'fleet.yaml:9:3 unknown-field',
    ]
    expect(of('keys')).toEqual(['fleet.yaml:5:26 fleet-key', ...others])
    expect(of('kyes')).toEqual(['fleet.yaml:6:3 unknown-field', ...others])
  })

  it('may be in a separate folder: its paths start there', () => {
    const cwd = folderWith({ 'ops/fleet.yaml': fleetText('areas: [{name: a, project: ../shop}]', 'records: state') })
    expect(readFleet('ops/fleet.yaml', { cwd }).fleet).toMatchObject({
      ...{ dir: 'ops', records: 'ops/state', areas: [{ project: 'shop' }] },
    })
  })
})

describe('a mistake in a fleet is reported at its position', () => {
  const one = 'areas: [{name: a}]'

  it.each<[string, readonly string[], string]>([
    ['no areas', ['keys: {}'], 'fleet.yaml:5:3 missing-field: the fleet file lacks spec.areas'],
    ['an empty list', ['areas: []'], 'fleet.yaml:5:10 fleet-areas: the fleet has no area'],
    [
      'an infinite rate',
      [one, 'keys: {k: {requestsPerSecond: 1e400}}'],
      'fleet.yaml:6:33 wrong-type: spec.keys.k.requestsPerSecond takes a number, and the number 1e400 is written',
    ],
    ['an unknown key', [one, 'driftt: {}'], 'fleet.yaml:6:3 unknown-field: spec has no field "driftt"'],
    [
      'an unknown key of an area',
      ['areas: [{name: a, lables: {}}]'],
      'fleet.yaml:5:21 unknown-field: the area has no field "lables"',
    ],
    ['an area without a name', ['areas: [{project: a}]'], 'fleet.yaml:5:11 missing-field: the area lacks name'],
    [
      'areas with names as keys, whatever waves contain',
      ['areas: {a: {project: shop}, b: {labels: {ring: x}}}', 'rollout: {waves: [{labels: {ring: x}}, {}]}'],
      'fleet.yaml:5:11 wrong-type: spec.areas takes a list, and a mapping of names is written',
    ],
    [
      'an area that cannot be read, with the only label of a wave',
      [
        'areas: [{name: a}, {name: b, key: k, lables: {}, labels: {ring: x}}]',
        'keys: {k: {}}',
        'rollout: {waves: [{labels: {ring: x}}, {}]}',
      ],
      'fleet.yaml:5:40 unknown-field: the area has no field "lables"',
    ],
    [
      'a label that is not text',
      ['areas: [{name: a, labels: {ring: 1}}]'],
      'fleet.yaml:5:36 wrong-type: labels.ring takes a text, and the number 1 is written',
    ],
    [
      'a key that is not declared',
      ['areas: [{name: a, key: shard}]', 'keys: {shared: {}}'],
      'fleet.yaml:5:26 fleet-key: there is no key "shard" in spec.keys of the fleet',
    ],
    [
      'a key without areas',
      [one, 'keys: {shared: {}}'],
      'fleet.yaml:6:10 warning fleet-key: no area has the key "shared"',
    ],
    [
      'no waves at all',
      [one, 'rollout: {waves: []}'],
      'fleet.yaml:6:20 invalid-value: spec.rollout.waves takes a list with at least one entry, and an empty one is',
    ],
    [
      'a word instead of a boolean',
      [one, 'rollout: {waves: [{approve: maybe}]}'],
      'fleet.yaml:6:31 wrong-type: spec.rollout.waves.0.approve takes true or false, and a text is written',
    ],
    [
      'a rate of 0',
      [one, 'keys: {k: {requestsPerSecond: 0}}'],
      'fleet.yaml:6:33 invalid-value: spec.keys.k.requestsPerSecond takes a number above 0, and the number 0 is',
    ],
    [
      'the same name twice',
      ['areas: [{name: a}, {name: a}]'],
      'fleet.yaml:5:29 fleet-area-twice: there are two areas "a"',
    ],
    [
      'a wave without an area',
      [one, 'rollout: {waves: [{labels: {ring: x}}, {}]}'],
      'fleet.yaml:6:21 fleet-wave: the wave has no area: no area has its labels, or earlier waves have them all',
    ],
    [
      'a wave after all areas',
      [one, 'rollout: {waves: [{}, {}]}'],
      'fleet.yaml:6:25 fleet-wave: the wave has no area: no area has its labels, or earlier waves have them all',
    ],
    [
      'a wave after a percentage that takes all areas of a small fleet',
      ['areas: [{name: a}, {name: b}]', 'rollout: {waves: [{percent: 60}, {}]}'],
      'fleet.yaml:6:36 warning fleet-wave: the wave has no area: no area has its labels, or earlier waves have them all',
    ],
    [
      'a wave after a percentage, with a label that no area has',
      ['areas: [{name: a}, {name: b}]', 'rollout: {waves: [{percent: 50}, {labels: {ring: x}}, {}]}'],
      'fleet.yaml:6:36 fleet-wave: the wave has no area: no area has its labels, or earlier waves have them all',
    ],
    [
      'areas without a wave',
      ['areas: [{name: a}, {name: b}]', 'rollout: {waves: [{percent: 50}]}'],
      'fleet.yaml:6:12 warning fleet-wave: 1 area in no wave: b',
    ],
    [
      'a percentage above 100',
      [one, 'rollout: {waves: [{percent: 101}]}'],
      'fleet.yaml:6:31 invalid-value: spec.rollout.waves.0.percent takes a number above 0 up to 100, and',
    ],
    [
      'a bad bake',
      [one, 'rollout: {waves: [{bake: soon}]}'],
      'fleet.yaml:6:28 wrong-type: spec.rollout.waves.0.bake takes a duration, such as 30s, 20m or 2h, and "soon" is written',
    ],
    [
      'a bad cron line',
      [one, 'drift: {schedule: "61 * * * *"}'],
      'fleet.yaml:6:21 fleet-schedule: "61 * * * *" is not a schedule: "61" is no minute',
    ],
    [
      'an unknown time zone',
      [one, 'drift: {schedule: "0 0 * * *", timezone: Europe/Berln}'],
      'fleet.yaml:6:44 fleet-schedule: there is no time zone "Europe/Berln"',
    ],
    [
      'too much jitter',
      [one, 'drift: {schedule: "*/10 * * * *", jitter: 11m}'],
      'fleet.yaml:6:45 fleet-schedule: the jitter 11m is longer than what lies between two runs, 10 minutes',
    ],
    [
      'a missing file',
      ['areas: areas/*.yaml'],
      'fleet.yaml:5:10 missing-file: areas/*.yaml: no file fits this pattern',
    ],
    [
      'one missing file of several',
      ['areas: [{name: a}, areas/b.yaml]'],
      'fleet.yaml:5:22 missing-file: areas/b.yaml: there is no such file or folder',
    ],
    ['no time at all', [one, 'timeout: 0s'], 'fleet.yaml:6:12 invalid-value: spec.timeout is 0s, and may be from'],
    ['too much time', [one, 'timeout: 99999999h'], 'fleet.yaml:6:12 invalid-value: spec.timeout is 99999999h, and'],
    [
      'a wave without an end',
      [one, 'rollout: {waves: [{bake: 8761h}]}'],
      'fleet.yaml:6:28 invalid-value: spec.rollout.waves.0.bake is 8761h, and may be a year at most',
    ],
    [
      'a proxy with a name instead of an address',
      [one, 'serve: {userHeader: X-User, trustedProxies: [10.0.0.5, "::1", proxy.local]}'],
      'fleet.yaml:6:65 invalid-value: spec.serve.trustedProxies takes addresses, and "proxy.local" is not one',
    ],
    [
      'proxies as a subnet',
      [one, 'serve: {userHeader: X-User, trustedProxies: 10.0.0.0/8}'],
      'fleet.yaml:6:47 invalid-value: spec.serve.trustedProxies takes addresses, and "10.0.0.0/8" is not one',
    ],
    [
      'a header name that is not allowed',
      [one, 'serve: {userHeader: "X User", trustedProxies: 10.0.0.5}'],
      'fleet.yaml:6:23 wrong-type: spec.serve.userHeader takes the name of a header',
    ],
    [
      'a header that no trusted proxy sends',
      [one, 'serve: {userHeader: X-User}'],
      'fleet.yaml:6:23 warning fleet-serve: without spec.serve.trustedProxies nobody can decide anything on the pages',
    ],
    [
      'proxies without a header for the user',
      [one, 'serve: {trustedProxies: [10.0.0.5]}'],
      'fleet.yaml:6:27 warning fleet-serve: without spec.serve.userHeader nobody can decide',
    ],
  ])('%s', (_, spec, expected) => {
    expect(problemsOf(spec)).toContainEqual(expect.stringContaining(expected))
  })

  it.each([
    ['', 'an empty one'],
    ['two\\nlines', 'one with a line break'],
    ['half\\ud83d', 'one with the character U+D83D'],
    ['x'.repeat(201), 'one of 201 characters'],
  ])('a key with such a name: %s', (name, found) => {
    const rule = 'a name of at most 200 characters that are all visible'
    expect(problemsOf([one, `keys: {"${name}": {concurrency: 1}}`])).toEqual([
      `fleet.yaml:6:10 wrong-type: a key of spec.keys takes ${rule}, and ${found} is written`,
    ])
  })

  it.each(['nul\\0', 'half\\ud83d', 'two\\nlines', 'x'.repeat(201)])('a name that no database accepts: %s', (name) => {
    expect(problemsOf([`areas: [{name: "${name}", project: shop}]`])).toEqual([
      expect.stringMatching(
        /^fleet\.yaml:\d+:18 wrong-type: name takes a name of at most 200 characters that are all visible, other than \. and \.\.,/,
      ),
    ])
  })

  it.each(['.', '..'])('a name that no page can have: %s', (name) => {
    const refused =
      /wrong-type: (?:metadata\.)?name takes a name of at most 200 characters that are all visible, other than \. and \.\.,/
    expect(problemsOf([`areas: [{name: "${name}"}]`])).toEqual([expect.stringMatching(refused)])
    const files = { 'area.yaml': areaText(JSON.stringify(name), '{}') }
    expect(problemsOf(['areas: area.yaml'], files)).toEqual([expect.stringMatching(refused)])
  })

  it('a number that is too small, once, and not also as a wrong type', () => {
    expect(problemsOf(['areas: [{name: a, key: k}]', 'keys: {k: {requestsPerDay: 0.5}}'])).toEqual([
      'fleet.yaml:6:30 wrong-type: spec.keys.k.requestsPerDay takes a whole number, and the number 0.5 is written',
    ])
  })

  it('a file of areas with another content', () => {
    const files = { 'areas/a.yaml': 'apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: a}\n' }
    expect(problemsOf(['areas: areas/a.yaml'], files)).toEqual([
      'areas/a.yaml:2:7 unknown-kind: a file of spec.areas has "Role"',
    ])
  })

  it('labels of an area that are in its metadata', () => {
    const text =
      'apiVersion: gatewright/v1\nkind: Area\nmetadata: {name: a, labels: {ring: canary}}\nspec: {project: shop}\n'
    expect(read(['areas: areas/a.yaml'], { 'areas/a.yaml': text }).problems).toMatchObject([
      { message: 'metadata has no field "labels"', hint: 'write it in spec: {labels: …}' },
    ])
  })

  it('an empty file of areas', () => {
    const { problems } = read(['areas: areas/a.yaml'], { 'areas/a.yaml': '# later\n' })
    expect(problems).toMatchObject([
      {
        ...{ code: 'unknown-kind', message: 'a file of spec.areas has no document' },
        ...{ place: { file: 'areas/a.yaml', line: 1, column: 1 }, hint: expect.stringContaining('kind: Area') },
      },
    ])
  })

  it('a fleet file of another kind, or none', () => {
    const cwd = folderWith({
      'other.yaml': 'kind: Project\n',
      'list.yaml': '- a\n',
      'empty.yaml': '',
      'broken.yaml': 'a: [',
    })
    const codes = (file: string) => readFleet(file, { cwd }).problems.map(({ code }) => code)
    expect(codes('other.yaml')).toContain('unknown-kind')
    expect(codes('list.yaml')).toEqual(['wrong-type'])
    expect(codes('empty.yaml')).toEqual(['unknown-kind'])
    expect(codes('broken.yaml').length).toBeGreaterThan(0)
    expect(codes('nowhere.yaml')).toEqual(['missing-fleet'])
    expect(readFleet('other.yaml', { cwd }).fleet).toBeUndefined()
  })

  it('displays no login where it has no meaning', () => {
    const { problems } = read([
      'areas: [{name: a, password: canary-1, key: {token: canary-2}}, {name: b, credentials: canary-3}]',
      'keys: {k: {apiSecret: canary-4, password: [canary-5]}, l: canary-6}',
      'serve: {credentials: {token: canary-7}, username: canary-8}',
      'rollout: {waves: [{token: canary-9}, canary-10]}',
    ])
    expect(problems.length).toBeGreaterThan(8)
    expect(JSON.stringify(problems.map(({ place }) => place?.frame))).not.toMatch(/canary-/)
  })

  it('displays no login', () => {
    const { problems } = read([
      'areas: [{name: a, credentials: {apiSecret: canary-1}, tokn: canary-2}]',
      'keys: {k: {credentials: {apiKey: canary-3}, requestsPerSecond: -1}}',
    ])
    expect(problems.length).toBeGreaterThan(2)
    const shown = JSON.stringify(problems.map(({ message, hint, place }) => [message, hint, place?.frame]))
    expect(shown).not.toMatch(/canary-/)
    expect(shown).toContain('an environment variable, such as ${env:SHARED_KEY}')
  })
})
