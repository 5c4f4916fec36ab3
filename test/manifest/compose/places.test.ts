import { expect, test } from 'vitest'
import { readProject } from '../../../src/manifest/project.js'
import { readManifests } from '../../../src/manifest/read.js'
import { filesOf } from '../manifests-of.js'

const manifests = `apiVersion: gatewright/v1
kind: Package
metadata: {name: P}
spec:
  plans: [{name: Gold, rateLimitCeiling: 10, services: [{name: S, endpoints: [{name: e}]}]}]
---
apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec:
  endpoints: [{name: e, requestPathAlias: /e, trafficManagerDomain: a.example.com}]
---
apiVersion: gatewright/v1
kind: ScheduledMaintenanceEvent
metadata: {name: Night}
spec: {startDateTime: 2027-01-01T00:00:00.000+0000, endDateTime: 2027-01-01T02:00:00.000+0000, endpoints: [{service: S, name: e}]}
---
apiVersion: gatewright/v1
kind: Member
metadata: {name: m}
spec:
  email: m@example.com
  displayName: M
  applications: [{name: A, packageKeys: [{package: P, plan: Gold, rateLimitCeiling: 5}]}]
`

/** The problems in prod after that line becomes its patch, or a default of the project. */
function problemsOf(layer: string): readonly string[] {
  const files = filesOf({
    'gatewright.yaml': `apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: shop}\nspec:\n${layer}`,
    'manifests/a.yaml': manifests,
  })
  const { project, problems } = readProject({ dir: '.', env: {}, environment: 'prod' }, files)
  const read = readManifests({ project, env: {}, files })
  return [...problems, ...read.problems]
    .filter(({ severity, code }) => severity !== 'note' && code !== 'missing-on-create')
    .map(({ code, place }) => `${code} ${place?.file}:${place?.line}:${place?.column}`)
}

const patch = (target: string, merge: string) =>
  `  environments:\n    prod:\n      patches:\n        - target: ${target}\n          merge: {${merge}}\n`

// Values are reported at the value, fields at their keys; the line of the layer is 9 for a patch, 5 for a default.
test.each([
  [
    'a wrong type in a default',
    '  defaults: {Service: {qpsLimitOverall: many}}\n  environments: {prod: {}}\n',
    ['wrong-type gatewright.yaml:5:41'],
  ],
  [
    'an unknown field in a default',
    '  defaults: {Service: {qps: 1}}\n  environments: {prod: {}}\n',
    ['unknown-field gatewright.yaml:5:24'],
  ],
  [
    'a range in a default',
    '  defaults: {Package: {nearQuotaThreshold: 101}}\n  environments: {prod: {}}\n',
    ['out-of-range gatewright.yaml:5:24'],
  ],
  ['a wrong type in a patch', patch('Service/S', 'qpsLimitOverall: many'), ['wrong-type gatewright.yaml:9:36']],
  ['a word in a patch', patch('Service/S/Endpoint/e', 'requestProtocol: rast'), ['unknown-value gatewright.yaml:9:36']],
  ['an unknown field in a patch', patch('Service/S', 'qps: 1'), ['unknown-field gatewright.yaml:9:19']],
  [
    'an unknown member in a patch',
    patch('Service/S/Endpoint/e', 'cors: {age: 1}'),
    ['unknown-field gatewright.yaml:9:26'],
  ],
  [
    'a field that manifests do not have',
    patch('Service/S', 'created: 2027-01-01'),
    ['ignored-field gatewright.yaml:9:19'],
  ],
  [
    'a required field that is unset',
    patch('Service/S/Endpoint/e', 'requestPathAlias: null'),
    ['null-on-required gatewright.yaml:9:19'],
  ],
  [
    'two moments in the wrong order',
    patch('ScheduledMaintenanceEvent/Night', 'endDateTime: 2026-01-01T00:00:00.000+0000'),
    ['not-in-order gatewright.yaml:9:19'],
  ],
  [
    'a limit of a plan below that of its key',
    patch('Package/P/Plan/Gold', 'rateLimitCeiling: 2'),
    ['limit-above-plan manifests/a.yaml:24:67'],
  ],
  [
    'a limit of a key above that of its plan',
    patch('{kind: PackageKey}', 'rateLimitCeiling: 50'),
    ['limit-above-plan gatewright.yaml:9:19'],
  ],
  [
    'a key with the address that displays its package',
    patch('Member/m/Application/A/PackageKey/P', 'rateLimitCeiling: 50'),
    ['limit-above-plan gatewright.yaml:9:19'],
  ],
  [
    'a key of another package',
    patch('Member/m/Application/A/PackageKey/Q', 'rateLimitCeiling: 50'),
    ['patch-no-target gatewright.yaml:8:19'],
  ],
])('%s is reported at the layer', (_, layer, expected) => {
  expect(problemsOf(layer)).toEqual(expected)
})

test('entries beside a placeholder for several entries, or for none, are reported at their own positions', () => {
  const files = filesOf({
    'gatewright.yaml': `apiVersion: gatewright/v1
kind: Project
metadata: {name: shop}
spec: {manifests: [a.yaml], values: {two: [one, more], none: []}}
`,
    'a.yaml': `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec: {roles: ["\${value:two}", third, "\${value:none}", fourth]}
`,
  })
  const { project } = readProject({ dir: '.', env: {} }, files)
  const told = readManifests({ project, env: {}, files }).problems.map(({ message, place }) => {
    return `${/Role\/\w+/.exec(message)?.[0]} ${place?.file}:${place?.line}:${place?.column}`
  })
  expect(told).toEqual([
    'Role/third a.yaml:4:32',
    'Role/fourth a.yaml:4:56',
    'Role/one gatewright.yaml:4:44',
    'Role/more gatewright.yaml:4:49',
  ])
})

test('a value that an environment leaves empty is not allowed inside a text', () => {
  const files = filesOf({
    'gatewright.yaml': `apiVersion: gatewright/v1
kind: Project
metadata: {name: shop}
spec: {manifests: [a.yaml], values: {stage: }, environments: {dev: {values: {stage: }}}}
`,
    'a.yaml': 'apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: "S ${value:stage}"}\n',
  })
  const { project } = readProject({ dir: '.', env: {}, environment: 'dev' }, files)
  const told = readManifests({ project, env: {}, files }).problems.map(({ message }) => message)
  expect(told).toEqual(['the value "stage" is nothing, which cannot be part of a text'])
})

/** What is reported about a service whose fields have values of the project: the texts and places of each problem. */
function valueProblems(fields: string): readonly (readonly string[])[] {
  const values = 'values: {qps: many, text: 5, list: [a]}'
  const files = filesOf({
    'gatewright.yaml': `apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: shop}\nspec:\n  ${values}\n`,
    'manifests/a.yaml': `apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: S}\nspec: {${fields}}\n`,
  })
  const { project, problems } = readProject({ dir: '.', env: {} }, files)
  return [...problems, ...readManifests({ project, env: {}, files }).problems]
    .filter(({ code }) => code === 'wrong-type' || code === 'unknown-value')
    .map(({ place, related = [] }) => [
      `${place?.file}:${place?.line}:${place?.column}`,
      ...related.map(({ message, place: at }) => `${message} ${at.file}:${at.line}:${at.column}`),
    ])
}

test.each([
  ['a text for a number', 'qpsLimitOverall: "${value:qps}"', '4:25', 'the value is written here gatewright.yaml:5:17'],
  ['a number for a text', 'description: "${value:text}"', '4:21', 'the value is written here gatewright.yaml:5:29'],
  ['a list for a text', 'description: "${value:list}"', '4:21', 'the value is written here gatewright.yaml:5:38'],
])('a value that does not fit its field is reported with its own place: %s', (_, fields, place, value) => {
  expect(valueProblems(fields)).toEqual([[`manifests/a.yaml:${place}`, value]])
})

test('a wrong text in a field has no other place', () => {
  expect(valueProblems('qpsLimitOverall: many')).toEqual([['manifests/a.yaml:4:25']])
})
