import { expect, test } from 'vitest'
import { embedded } from '../kit/world.js'

/** The problems that validate reports for a project with the environments dev and qa, and `more`. */
async function told(
  manifests: string,
  { dev = 'here', qa = 'here', settings = '', more = '' } = {},
): Promise<readonly string[]> {
  const platform = (area: string) =>
    area === '' ? '{}' : `{platform: {url: "http://platform.example", area: ${area}}}`
  const on = embedded()
  on.project(`  values: {word: {type: string, default: same}}
${settings}  environments:
    dev: ${platform(dev).replace(/}$/, ', values: {word: one}}').replace('{, ', '{')}
    qa: ${platform(qa).replace(/}$/, ', values: {word: two}}').replace('{, ', '{')}
${more}`)
  on.write('manifests/all.yaml', manifests)
  const { diagnostics } = (await on.run(['validate', '-o', 'json'])).json()
  return diagnostics
    .filter(({ code }) => code === 'environments-disagree')
    .map((each) => {
      const {
        severity,
        message,
        line,
        column,
        related = [],
      } = each as typeof each & {
        readonly line: number
        readonly column: number
        readonly related?: readonly { readonly line: number; readonly column: number }[]
      }
      return [severity, `${line}:${column}`, ...related.map((other) => `${other.line}:${other.column}`), message].join(
        ' ',
      )
    })
}

const service = (spec: string, metadata = '') =>
  `apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: Orders${metadata}}\nspec: ${spec}\n---\n`

const uses = '{qpsLimitOverall: 5, description: "in ${value:word}"}'

test('environments of one area may have the same value for a field, but not different values', async () => {
  expect(await told(service('{description: same}'))).toEqual([])
  const words = 'environments dev and qa are one area, and have different values of Service/Orders description'
  expect(await told(service(uses))).toEqual([`error 4:28 ${words}`])
  const apart =
    service('{description: one}', ', environments: [dev]') + service('{description: two}', ', environments: [qa]')
  expect(await told(apart)).toEqual([`error 9:8 4:8 ${words}`])
})

test('if two of three environments disagree with the third, only one pair is reported', async () => {
  const more = '    prod: {platform: {url: "http://platform.example", area: here}, values: {word: three}}\n'
  const of = (names: string, spec: string) => service(spec, `, environments: [${names}]`)
  const some = of('dev', '{qpsLimitOverall: 5}') + of('qa', '{description: two}') + of('prod', '{description: three}')
  const words = (one: string) => new RegExp(`environments ${one} and prod are one area, and have different values`)
  expect(await told(some, { more })).toEqual([expect.stringMatching(words('qa'))])
  expect(await told(of('dev, qa', '{description: one}') + of('prod', '{description: three}'), { more })).toEqual([
    expect.stringMatching(words('dev')),
  ])
})

test('a field that only one of them writes is not reported', async () => {
  const oauth = (members: string) => `{securityProfile: {oauth: {accessTokenTtl: 5, ${members}}}}`
  const both = (one: string, two: string) =>
    service(oauth(one), ', environments: [dev]') + service(oauth(two), ', environments: [qa]')
  expect(await told(both('macAlgorithm: a', 'accessTokenType: mac'))).toEqual([])
  expect(await told(both('grantTypes: [implicit, password]', 'grantTypes: [password, implicit]'))).toEqual([])
  expect(await told(both('macAlgorithm: a', 'macAlgorithm: b'))).toEqual([
    expect.stringMatching(/different values of Service\/Orders securityProfile\/oauth\/macAlgorithm$/),
  ])
})

test('environments of different areas may disagree, and so may areas that only variables name', async () => {
  expect(await told(service(uses), { qa: 'there' })).toEqual([])
  expect(await told(service(uses), { dev: '', qa: '' })).toEqual([])
  const settings = '  platform: {url: "http://platform.example", area: here}\n'
  expect(await told(service(uses), { dev: '', qa: '', settings })).toHaveLength(1)
})

test('a whole list without the objects that the other environment declares is reported, but separate documents are not', async () => {
  const inside = service('{endpoints: [{name: "${value:word} orders"}]}')
  expect(await told(inside)).toEqual([
    expect.stringMatching(
      /^warning .* the list Service\/Orders endpoints of dev lacks what qa declares: Service\/Orders\/Endpoint\/two orders$/,
    ),
    expect.stringMatching(/^warning .* of qa lacks what dev declares: Service\/Orders\/Endpoint\/one orders$/),
  ])
  const alone = 'apiVersion: gatewright/v1\nkind: Endpoint\nmetadata: {service: Orders, name: "${value:word} orders"}\n'
  expect(await told(service('{description: same}') + alone)).toEqual([])
})
