import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { areaText, fleetText } from '../fleet/texts.js'
import { folderWith } from '../kit/folder.js'
import { opened } from '../kit/opened.js'
import { ageKey, sealedAge } from '../kit/sealed.js'
import { gatewright } from './run.js'

const project = (spec = '{platform: {area: a9}}') =>
  `apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: shop}\nspec: ${spec}\n`
const role = (name: string) => `apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: "${name}"}\n`
const shop = { 'shop/gatewright.yaml': project(), 'shop/roles.yaml': role('Support') }

/** Runs a command of a fleet in a folder. */
function fleet(spec: readonly string[], files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const cwd = folderWith({ 'gatewright.fleet.yaml': fleetText(...spec), ...files })
  return gatewright(['fleet', ...args], { cwd })
}

interface Told {
  readonly diagnostics: readonly {
    readonly code: string
    readonly severity: string
    readonly message: string
    readonly file?: string
    readonly line?: number
    readonly column?: number
  }[]
}

/** The output of `fleet validate`, as `severity code message`. */
async function validated(spec: readonly string[], files: Readonly<Record<string, string>>, env = {}) {
  const cwd = folderWith({ 'gatewright.fleet.yaml': fleetText(...spec), ...files })
  const { exitCode, stdout } = await gatewright(['fleet', 'validate', '-o', 'json'], { cwd, env })
  const { diagnostics } = JSON.parse(stdout) as Told
  return { exitCode, told: diagnostics.map(({ code, severity, message }) => `${severity} ${code}: ${message}`) }
}

test('an interrupted fleet validate reports the interruption, and not a problem of an area', async () => {
  const cwd = folderWith({ 'gatewright.fleet.yaml': fleetText('areas: [{name: a, project: shop}]'), ...shop })
  const run = await gatewright(['fleet', 'validate'], { cwd, signal: AbortSignal.abort() })
  expect(run).toEqual({ exitCode: 130, stdout: '', stderr: 'interrupted\n' })
})

describe('fleet list', () => {
  const two = ['areas: [{name: b, project: shop, labels: {ring: canary}}, {name: a, project: shop}]']

  it('displays the areas in the order of the fleet', async () => {
    const { stdout, exitCode } = await fleet(two, shop, 'list')
    expect(exitCode).toBe(0)
    expect(stdout.split('\n').slice(0, 5)).toEqual([
      'Fleet brands: 2 areas',
      '',
      'area  project  environment  key  wave  labels',
      'b     shop                       1     ring=canary',
      'a     shop                       1',
    ])
  })

  it('has only the selected ones', async () => {
    const { stdout } = await fleet(two, shop, 'list', '-o', 'json', '-l', 'ring=canary')
    expect(JSON.parse(stdout)).toMatchObject({ format: 'gatewright.fleet-list/1', areas: [{ name: 'b', wave: 1 }] })
    const none = await fleet(two, shop, 'list', '--select', 'c*')
    expect(none).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('no area of the fleet fits --select c*'),
    })
  })

  it('-o matrix is one line of jobs with names that are safe in scripts', async () => {
    const odd = ['areas: [{name: "a; rm -rf $(x)", project: shop}, {name: b, project: shop}]']
    const { stdout } = await fleet(odd, shop, 'list', '-o', 'matrix')
    expect(stdout.trimEnd()).not.toContain('\n')
    expect(JSON.parse(stdout)).toEqual({
      include: [
        { FLEET_JOB: '1/2', FLEET_NAME: 'a-rm--rf-x-' },
        { FLEET_JOB: '2/2', FLEET_NAME: 'b' },
      ],
    })
    const packed = await fleet(odd, shop, 'list', '-o', 'matrix', '--jobs', '1')
    expect(JSON.parse(packed.stdout)).toEqual({ include: [{ FLEET_JOB: '1/1', FLEET_NAME: 'a-rm--rf-x--and-1-more' }] })
  })

  it('refuses a name with control characters for a terminal, and does not print it', async () => {
    const run = await fleet(['areas: [{name: "a\\e[31m\\nb", project: shop}]'], shop, 'list')
    expect(run).toMatchObject({ exitCode: 1, stdout: '' })
    expect(run.stderr).toContain('a name of at most 200 characters that are all visible')
    expect(run.stderr).not.toContain('\u001b[31m')
  })

  it('accepts the file of -f, but only one', async () => {
    const cwd = folderWith({ 'ops/f.yaml': fleetText(...two), ...shop })
    expect(await gatewright(['fleet', 'list', '-f', 'ops/f.yaml'], { cwd })).toMatchObject({ exitCode: 0 })
    expect(await gatewright(['fleet', 'list', '-f', 'a', '-f', 'b'], { cwd })).toMatchObject({ exitCode: 1 })
    expect(await gatewright(['fleet', 'list'], { cwd })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('gatewright.fleet.yaml: there is no such file'),
    })
  })
})

describe('fleet validate', () => {
  it('checks the projects of all areas, and reports success', async () => {
    const { stdout, exitCode } = await fleet(
      ['areas: [{name: a, project: shop}, {name: b, project: shop}]'],
      shop,
      'validate',
    )
    expect({ stdout, exitCode }).toEqual({ exitCode: 0, stdout: 'OK: 2 areas of 1 project.\n' })
  })

  it('finds mistakes in areas and their projects together with mistakes in the file', async () => {
    const files = { ...shop, 'broken/gatewright.yaml': project(), 'broken/x.yaml': '' }
    const { told, exitCode } = await validated(
      [
        'areas:',
        '  - {name: a, project: nowhere}',
        '  - {name: b, project: shop, environment: prod, key: slow}',
        '  - {name: c, project: broken}',
        '  - {name: d, project: shop, colour: red}',
        'timeout: soon',
        'keys: {fast: {}}',
      ],
      files,
    )
    expect(exitCode).toBe(1)
    const codes = told.map((each) => each.replace(/^\w+ ([\w-]+):.*/, '$1'))
    expect(codes).toEqual(expect.arrayContaining(['unknown-field', 'wrong-type', 'fleet-key']))
    expect(codes).toEqual(expect.arrayContaining(['missing-project', 'unknown-environment', 'empty-manifests']))
  })

  it('finds projects and environments that do not exist', async () => {
    const files = {
      ...shop,
      'staged/gatewright.yaml': project('{environments: {dev: {}, prod: {}}}'),
      'staged/roles.yaml': role('Support'),
      'empty/x': '',
    }
    const { told, exitCode } = await validated(
      [
        'areas:',
        '  - {name: a, project: nowhere}',
        '  - {name: b, project: empty}',
        '  - {name: c, project: staged, environment: prd}',
        '  - {name: d, project: staged}',
        '  - {name: e, project: shop, environment: prod}',
      ],
      files,
    )
    expect(exitCode).toBe(1)
    expect(told).toEqual([
      'error missing-project: there is no project in nowhere: there is no such folder',
      'error missing-project: there is no project in empty: it has no gatewright.yaml',
      'error unknown-environment: there is no environment "prd"',
      'error environment-not-chosen: the project of area "d" has several environments, and none is named',
      'error unknown-environment: there is no environment "prod"',
    ])
  })

  it('finds an area that differs from that of its environment', async () => {
    const files = { ...shop, 'staged/gatewright.yaml': project('{environments: {prod: {platform: {area: theirs}}}}') }
    const areas = ['ours', 'theirs'].map((id) => `  - {name: ${id}, project: staged, environment: prod, area: ${id}}`)
    const { told, exitCode } = await validated(['areas:', ...areas], { ...files, 'staged/roles.yaml': role('Support') })
    expect({ told, exitCode }).toEqual({
      told: ['error fleet-area-differs: this names another customer area than environment prod does'],
      exitCode: 1,
    })
  })

  it('reports a problem of many areas once, and a problem of some with their names', async () => {
    const files = {
      'shop/gatewright.yaml': project('{platform: {area: a9}, values: {brand: {type: string, enum: [A, B]}}}'),
      'shop/roles.yaml': `${role('${value:brand}')}spec: {descripton: x}\n`,
    }
    const areas = ['A', 'B', 'C'].map((brand) => `  - {name: ${brand}, project: shop, values: {brand: ${brand}}}`)
    const { told } = await validated(['areas:', ...areas], files)
    expect(told.filter((each) => each.includes('descripton'))).toEqual([
      expect.stringMatching(/^error unknown-field: Role has no field "descripton"( \(in A, B\))?$/),
    ])
    expect(told.filter((each) => each.includes('"C"')).length).toBeGreaterThan(0)
  })

  it('checks the settings of areas against their projects, each at its position', async () => {
    const files = {
      'shop/gatewright.yaml': project(
        '{values: {brand: {type: string}, most: 5, hosts: {type: array, items: {type: string}, default: []}, size: {enum: [S, L], default: S}}, environments: {prod: {platform: {area: a9}}}}',
      ),
      'shop/roles.yaml': role('${value:brand}'),
      'a.yaml':
        'apiVersion: gatewright/v1\nkind: Area\nmetadata: {name: f}\nspec:\n  project: shop\n  environment: prod\n  values:\n    brand: [x]\n',
    }
    const { stdout, exitCode } = await fleet(
      [
        'areas:',
        '  - {name: a, project: nowhere}',
        '  - {name: b, project: shop, environment: prd}',
        '  - {name: c, project: shop, environment: prod, values: {brand: , most: "9", hosts: [1], size: M, brnd: x}}',
        '  - {name: d, project: shop, environment: prod, values: {brand: "${env:BRAND}"}}',
        '  - a.yaml',
      ],
      files,
      'validate',
      '-o',
      'json',
    )
    const told = (JSON.parse(stdout) as Told).diagnostics
    expect(exitCode).toBe(1)
    expect(
      told
        .filter(({ severity }) => severity === 'error')
        .map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`),
    ).toEqual([
      'gatewright.fleet.yaml:6:26 there is no project in nowhere: there is no such folder',
      'gatewright.fleet.yaml:7:45 there is no environment "prd"',
      'gatewright.fleet.yaml:8:66 the value "brand" takes a text, and nothing is written',
      'gatewright.fleet.yaml:8:75 the value "most" takes a whole number, and a text is written',
      'gatewright.fleet.yaml:8:87 the value "hosts" takes a list of which each entry is a text, and the number 1 is written',
      'gatewright.fleet.yaml:8:98 the value "size" does not take "M"',
      'gatewright.fleet.yaml:8:107 the value "brnd" is given, and spec.values does not declare it',
      'a.yaml:8:12 the value "brand" takes a text, and a list is written',
      'shop/roles.yaml:3:18 a name, a reference or metadata may hold no secret: it is shown everywhere (in d)',
    ])
  })

  it('requires the identifier of each area: none comes from the environment', async () => {
    const files = {
      ...shop,
      'staged/gatewright.yaml': project('{environments: {dev: {platform: {area: a1}}, prod: {}}}'),
      'staged/roles.yaml': role('Support'),
    }
    const spec = [
      'areas:',
      '  - {name: a, project: staged, environment: dev}',
      '  - {name: b, project: staged, environment: prod}',
      '  - {name: c, project: staged, environment: prod, area: a2}',
      '  - {name: d, project: shop}',
    ]
    expect(await validated(spec, files, { GATEWRIGHT_AREA: 'of all' })).toEqual({
      exitCode: 1,
      told: ['error missing-settings: nothing names the customer area of area "b"'],
    })
  })

  it('finds entries for the same area', async () => {
    const files = {
      'one/gatewright.yaml': project('{platform: {url: "https://a.example", area: x}}'),
      'one/roles.yaml': role('Support'),
      'two/gatewright.yaml': project('{platform: {url: "https://A.example/", area: x}}'),
      'two/roles.yaml': role('Support'),
    }
    const areas = ['one', 'one', 'two'].map((folder, index) => `  - {name: a${index}, project: ${folder}}`)
    const { told } = await validated(['areas:', ...areas], files)
    expect(told).toEqual([
      'error fleet-area-twice: areas "a1" and "a0" are one: the same project, environment, platform and area',
      'warning fleet-area-twice: areas "a2" and "a0" are one area of one platform: their jobs wait for each other',
    ])
  })

  it('finds entries for the same area if a variable gives the platform', async () => {
    const files = { 'one/gatewright.yaml': project('{platform: {area: x}}'), 'one/roles.yaml': role('Support') }
    const areas = ['areas:', '  - {name: a0, project: one}', '  - {name: a1, project: one}']
    expect((await validated(areas, files, { GATEWRIGHT_URL: 'https://a.example' })).told).toEqual([
      'error fleet-area-twice: areas "a1" and "a0" are one: the same project, environment, platform and area',
    ])
  })

  it('reports the variables that an area lacks and that are set here', async () => {
    const files = {
      'shop/gatewright.yaml': project(),
      'shop/roles.yaml': `${role('Support')}spec: {description: "\${env:REGION}"}\n`,
    }
    const area = (more: string) => [`areas: [{name: a, project: shop${more}}]`]
    const lacking = await validated(area(''), files, { REGION: 'eu' })
    expect(lacking.told.join('\n')).toContain('warning fleet-variable: ${env:REGION} is set here')
    const given = await validated(area(', variables: [REG*]'), files, { REGION: 'eu' })
    expect(given).toEqual({ exitCode: 0, told: [] })
  })

  it('reports that an area lacks the key of its encrypted values, if it has any', async () => {
    const filesWith = (description: string) => ({
      'shop/gatewright.yaml': project(),
      'shop/roles.yaml': `${role('Support')}spec: {description: "${description}"}\n`,
    })
    const area = (more: string) => [`areas: [{name: a, project: shop${more}}]`]
    const sealed = filesWith(await sealedAge('open'))
    const env = { SOPS_AGE_KEY: ageKey }
    const lacking = await validated(area(''), sealed, env)
    expect(lacking).toEqual({
      exitCode: 0,
      told: [expect.stringContaining('fleet-variable: ${env:SOPS_AGE_KEY} is set')],
    })
    const fine = { exitCode: 0, told: [] }
    expect(await validated(area(', variables: [SOPS_AGE_KEY]'), sealed, env)).toEqual(fine)
    expect(await validated(area(''), filesWith('in clear'), env)).toEqual(fine)
  })

  it('reports that a rate in projects is not the rate of the key that they share', async () => {
    const withRate = (rate: number) => project(`{platform: {area: a9, requestsPerSecond: ${rate}}}`)
    const files = {
      ...{ 'fast/gatewright.yaml': withRate(4), 'slow/gatewright.yaml': withRate(1) },
      ...{ 'fast/roles.yaml': role('Support'), 'slow/roles.yaml': role('Support') },
    }
    const spec = (key: string) => [
      'areas: [{name: a, project: fast, key: shared}, {name: b, project: slow, key: shared}]',
      `keys: {shared: {${key}}}`,
    ]
    expect((await validated(spec('concurrency: 1'), files)).told).toEqual([
      'warning fleet-rate: key "shared" has no requestsPerSecond: 4 a second (a) and 1 a second (b) is set in projects, each for itself: nothing limits all of them together',
    ])
    expect((await validated(spec('requestsPerSecond: 4, concurrency: 2'), files)).told).toEqual([
      'note fleet-rate: key "shared" allows each of its areas 2 calls a second, and the project of b only 1: the slower one holds',
    ])
    expect((await validated(spec('requestsPerSecond: 1'), files)).told).toEqual([])
  })

  it('multiplies requests by areas by runs, and reports how many fit', async () => {
    // Four calls each: the token, and one page of roles; 600 areas with two calls are 1,200.
    const spec = (perDay: number, schedule: string) => [
      'areas: areas/*.yaml',
      `keys: {shared: {requestsPerDay: ${perDay}}}`,
      `drift: {schedule: "${schedule}"}`,
    ]
    const areas = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `areas/${index}.yaml`,
        areaText(`"a${index}"`, `{project: ../shop, key: shared}`),
      ]),
    )
    expect((await validated(spec(240, '0 */6 * * *'), { ...shop, ...areas })).told).toEqual([
      'note fleet-quota: key "shared": drift of 30 areas takes about 60 calls; every 6 h needs 240 of 240 calls a day',
    ])
    const { exitCode, told } = await validated(spec(150, '0 */6 * * *'), { ...shop, ...areas })
    expect({ exitCode, told }).toEqual({
      exitCode: 0,
      told: [
        'warning fleet-quota: key "shared": drift of 30 areas takes about 60 calls; every 6 h needs 240 calls of 150: every 10 h fits',
      ],
    })
    const counts = JSON.stringify({
      drift: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`a${index}`, 65])),
    })
    const real = await validated(spec(5000, '0 */6 * * *'), {
      ...{ ...shop, ...areas },
      [join('.gatewright/fleets/brands/counts.json')]: counts,
    })
    expect(real.told).toEqual([
      'warning fleet-quota: key "shared": drift of 30 areas takes about 1,950 calls; every 6 h needs 7,800 calls of 5,000: every 10 h fits',
    ])
  })

  it('can be written as reports', async () => {
    const cwd = folderWith({ 'gatewright.fleet.yaml': fleetText('areas: [{name: a, project: nowhere}]') })
    const { exitCode, stdout } = await gatewright(['fleet', 'validate', '--report', 'junit=-'], { cwd })
    expect(exitCode).toBe(1)
    expect(stdout).toContain('missing-project')
  })
})

describe('areas of one project share its reading', () => {
  const names = Array.from({ length: 12 }, (_, index) => `e${index}`)
  const environment = (name: string): string =>
    `apiVersion: gatewright/v1\nkind: Environment\nmetadata: {name: ${name}}\nspec: {platform: {area: "${name}"}}\n`
  const files = {
    'gatewright.fleet.yaml': fleetText(
      'areas:',
      ...names.map((name) => `  - {name: ${name}, project: shop, environment: ${name}}`),
    ),
    'shop/gatewright.yaml': project('{environments: [envs]}'),
    'shop/roles.yaml': role('Support'),
    ...Object.fromEntries(names.map((name) => [`shop/envs/${name}.yaml`, environment(name)])),
  }

  it('when the fleet is checked', async () => {
    const cwd = folderWith(files)
    const [times, run] = await opened('e3.yaml', () => gatewright(['fleet', 'validate'], { cwd }))
    expect([times, run]).toEqual([1, { exitCode: 0, stdout: 'OK: 12 areas of 1 project.\n', stderr: '' }])
  })

  it('when the fleet is planned', async () => {
    const cwd = folderWith(files)
    const child = () => Promise.resolve({ is: 'exited', code: 1, stdout: '', stderr: 'no' } as const)
    const [times, { exitCode }] = await opened('e3.yaml', () =>
      gatewright(['fleet', 'plan'], { cwd, children: () => Promise.resolve(child) }),
    )
    expect([times, exitCode]).toEqual([1, 1])
  })
})
