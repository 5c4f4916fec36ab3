import { describe, expect, test } from 'vitest'
import { document, manifestText, projectText } from '../kit/manifests.js'
import { opened } from '../kit/opened.js'
import { embedded, environment } from '../kit/world.js'

const project = projectText(`  values: {everywhere: a, inProd: 5, nowhere: x, stage: {type: string}}
  environments:
    dev: {values: {stage: DEV}}
    prod:
      values: {stage: PRD}
      patches: [{target: "Service/* API", merge: {qpsLimitOverall: "\${value:inProd}"}}]
`)

function shop(text = project) {
  const world = embedded()
  world.write('gatewright.yaml', text)
  world.declare(document('Service', '${value:stage} API', { description: '${value:everywhere}' }))
  return world
}

const codesOf = (stdout: string) =>
  (JSON.parse(stdout) as { readonly diagnostics: readonly { code: string; message: string }[] }).diagnostics.map(
    ({ code, message }) => `${code}: ${message}`,
  )

test('validate checks every environment, and reports a value that none of them uses', async () => {
  const { exitCode, stdout } = await shop().run(['validate', '-o', 'json'])
  expect([exitCode, codesOf(stdout)]).toEqual([0, ['value-unused: nothing uses the value "nowhere"']])
})

test('for one environment, or for a part of the manifests, it reports no unused values', async () => {
  const world = shop()
  world.write('manifests/other.yaml', manifestText([document('Role', 'R')]))
  for (const words of [
    ['-e', 'dev'],
    ['-f', 'manifests/other.yaml'],
  ]) {
    expect(codesOf((await world.run(['validate', ...words, '-o', 'json'])).stdout)).toEqual([])
  }
})

test('a problem in only one environment is reported with its name', async () => {
  const world = shop(project.replace('{stage: DEV}', '{}').replace(', nowhere: x', ''))
  const { exitCode, stdout } = await world.run(['validate', '-o', 'json'])
  expect([exitCode, codesOf(stdout)]).toEqual([
    1,
    [expect.stringMatching(/^value-missing: environment dev gives no value "stage".* \(in dev\)$/)],
  ])
})

test('commands that connect to an area need the name of one environment', async () => {
  const { exitCode, stdout } = await shop().run(['plan', '-o', 'json'])
  expect([exitCode, codesOf(stdout)]).toEqual([1, [expect.stringContaining('environment-not-chosen')]])
})

describe('variables that are not set here, for the area or its records', () => {
  const { GATEWRIGHT_URL, GATEWRIGHT_AREA } = environment
  const prod = `platform: {url: ${GATEWRIGHT_URL}, area: ${GATEWRIGHT_AREA}, credentials: {apiKey: "\${env:PROD_KEY}"}}`
  const shop = () => {
    const world = embedded()
    const environments = `  environments: {dev: {}, prod: {${prod}, records: "postgres://me:\${env:WORD}@db.example/x"}}\n`
    world.write('gatewright.yaml', project.replace(/ {2}values: .*/s, environments))
    world.declare(document('Role', 'R'))
    return world
  }

  test.each([
    ['validate'],
    ['render', '-e', 'prod'],
    ['explain', 'Role/R', '-e', 'prod'],
    ['diff', '-e', 'dev', '-e', 'prod'],
    ['promote', 'dev', 'prod'],
  ])('%s needs none of them', async (...args) => {
    expect(await shop().run(args, { env: {} })).toMatchObject({ exitCode: 0 })
  })

  test.each([
    ['plan', ['PROD_KEY', 'WORD']],
    ['get Role', ['PROD_KEY']],
    ['history', ['WORD']],
  ])('%s needs those that it uses', async (line, names) => {
    const { exitCode, stderr } = await shop().run([...line.split(' '), '-e', 'prod'], { env: { WORD: '' } })
    const missing = names.map((name) => `error: the environment variable ${name} is not set [unset-variable]`)
    expect([exitCode, missing.some((each) => stderr.includes(each))]).toEqual([1, true])
  })
})

test('a path in the project file that does not exist is reported at its position', async () => {
  const area = embedded()
  area.declare(document('Role', 'R'))
  area.write(
    'gatewright.yaml',
    'apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: p}\nspec:\n  manifests: [manifests, nowhere]\n' +
      '  policies:\n    - none/*.yaml\n  environments: [dev.yaml]\n',
  )
  const { exitCode, stderr } = await area.run(['validate'])
  expect([exitCode, stderr.match(/^\S+ error: .*/gm)]).toEqual([
    1,
    ['gatewright.yaml:8:18: error: dev.yaml: there is no such file or folder [missing-file]'],
  ])
  area.write('dev.yaml', 'apiVersion: gatewright/v1\nkind: Environment\nmetadata: {name: dev}\n')
  expect((await area.run(['validate'])).stdout.match(/^\S+ error: .*/gm)).toEqual([
    'gatewright.yaml:5:26: error: nowhere: there is no such file or folder [missing-file]',
    'gatewright.yaml:7:7: error: none/*.yaml: no file fits this pattern [missing-file]',
  ])
})

test('an undeclared value does not hide other problems, and no possible secret is in the frames', async () => {
  const wrong = project.replace(
    'values: {stage: PRD}\n',
    'values: {stage: PRD, everywhere: [1], dbPassword: "tell-nobody", zz: "nor-this"}\n',
  )
  const area = shop(
    wrong.replace('values: {', 'values: {dbPassword: "and-not-this", ').replace('inProd}', 'everywhere}'),
  )
  const { exitCode, stdout, stderr } = await area.run(['validate'])
  const told = stdout + stderr
  expect(exitCode).toBe(1)
  expect(told).toContain('the value "everywhere" takes a text, and a list is written')
  expect(told).toContain('the value "zz" is given, and spec.values does not declare it')
  expect(told).toContain('dbPassword: ***, zz: ***')
  for (const secret of ['tell-nobody', 'nor-this', 'and-not-this']) expect(told).not.toContain(secret)
})

describe('a project file with mistakes in its settings', () => {
  const text = `  limit: {}
  values: {a: {type: string, default: 5}, stage: {type: string, enum: [DEV, PRD]}}
  defaults: {Endpont: {qps: 5}, Service: {description: "\${value:stage} \${env:NOT_SET}"}}
  environments:
    dev: {values: {zzz: 3, stage: "\${env:NOT_SET}"}, guard: {after: prd}}
    prod: {values: {stage: PRD}, patches: [{target: Service/A, mrge: {}}]}
`
  const ofAll = [
    'unknown-field: spec has no field "limit"',
    'wrong-type: the value "a" takes a text, and the number 5 is written',
    'unknown-kind: there is no kind "Endpont"',
  ]

  test('problems of values, defaults and every environment are reported as well', async () => {
    const { exitCode, stdout } = await shop(projectText(text)).run(['validate', '-o', 'json'])
    expect([exitCode, codesOf(stdout)]).toEqual([
      1,
      [
        ...ofAll,
        'value-unknown: the value "zzz" is given, and spec.values does not declare it (in dev)',
        'unknown-environment: there is no environment "prd" (in dev)',
        'unknown-field: a patch has no field "mrge" (in prod)',
      ],
    ])
  })

  test('problems of a selected environment are reported as well', async () => {
    const { exitCode, stdout } = await shop(projectText(text)).run(['plan', '-e', 'prod', '-o', 'json'])
    expect([exitCode, codesOf(stdout)]).toEqual([1, [...ofAll, 'unknown-field: a patch has no field "mrge"']])
  })
})

test('validate opens the file of each environment once, however many environments there are', async () => {
  const world = embedded()
  const names = Array.from({ length: 12 }, (_, index) => `e${index}`)
  world.write('gatewright.yaml', projectText('  values: {stage: {type: string}}\n  environments: [envs]\n'))
  for (const name of names) {
    world.write(
      `envs/${name}.yaml`,
      `apiVersion: gatewright/v1\nkind: Environment\nmetadata: {name: ${name}}\nspec: {values: {stage: ${name}}}\n`,
    )
  }
  world.declare(document('Role', '${value:stage}'))
  const [times, { exitCode, stdout }] = await opened('e3.yaml', () => world.run(['validate']))
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('OK: 12 objects')])
  expect(times).toBe(1)
})

test('of many environments, the text names the first ones, and JSON all', async () => {
  const world = embedded()
  const names = Array.from({ length: 12 }, (_, index) => `e${index + 10}`)
  world.project(`  environments: {${names.map((name) => `${name}: {}`).join(', ')}}\n`)
  const validated = async (wrong: number, ...options: readonly string[]) => {
    const broken = document('Role', { name: 'Q', environments: names.slice(0, wrong) }, { descripton: 'x' })
    world.declare(document('Role', 'R'), ...(wrong === 0 ? [] : [broken]))
    return (await world.run(['validate', ...options])).stdout
  }
  expect(await validated(0)).toBe('OK: 1 object in 1 file for 12 environments.\n')
  expect(await validated(11)).toContain(`(in ${names.slice(0, 10).join(', ')} and 1 more) [unknown-field]`)
  expect(await validated(11, '-o', 'json')).toContain(`(in ${names.slice(0, 11).join(', ')})`)
  expect(await validated(10)).toContain(`(in ${names.slice(0, 10).join(', ')})`)
})
