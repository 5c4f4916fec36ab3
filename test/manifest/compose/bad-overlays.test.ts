import { describe, expect, test } from 'vitest'
import { projectText } from '../../kit/manifests.js'
import { embedded, type World } from '../../kit/world.js'

/** Bad values, defaults, patches and environments: each is reported once, at its position, with advice. */

const project = projectText(`  values:
    stage: {type: string, enum: [DEV, PRD]}
    hosts: {type: array, items: {type: string}, default: [a.example.com]}
    qps: 100
  defaults:
    Endpoint: {requestProtocol: rest}
  environments:
    dev: {values: {stage: DEV}}
    prod:
      values: {stage: PRD}
      patches:
        - {target: Service/Orders/Endpoint/upload, merge: {highSecurity: true}}
`)

const manifest = `apiVersion: gatewright/v1
kind: Service
metadata: {name: Orders}
spec:
  description: "\${value:stage} orders"
  qpsLimitOverall: "\${value:qps}"
  endpoints:
    - name: upload
      publicDomains: ["\${value:hosts}"]
      supportedHttpMethods: [post]
`

type Case = readonly [name: string, from: string, to: string, ...reported: readonly string[]]

/** The text to replace, its replacement, and the expected problem: code, position, words; after a bar, the suggestion. */
const cases: readonly Case[] = [
  [
    'a placeholder that is the name of a value',
    '${value:stage}',
    '${stage}',
    'unknown-placeholder manifests/a.yaml:5:17 this is not a known placeholder | did you mean ${value:stage}? Write $${ for a literal ${',
  ],
  [
    'a placeholder in capitals',
    '${value:stage}',
    '${VALUE:stage}',
    'unknown-placeholder manifests/a.yaml:5:17 this is not a known placeholder | did you mean ${value:stage}? Write $${ for a literal ${',
  ],
  [
    'a variable in capitals',
    '${value:stage} orders',
    '${ENV:X} ${value:stage}',
    'unknown-placeholder manifests/a.yaml:5:17 this is not a known placeholder | did you mean ${env:NAME}? Write $${ for a literal ${',
  ],
  [
    'a target that nothing matches',
    'Service/Orders/Endpoint/upload,',
    'Service/Orders/Endpoint/uplaod,',
    'patch-no-target gatewright.yaml:17:20 no object of environment prod matches Service/Orders/Endpoint/uplaod (in prod) | did you mean "Service/Orders/Endpoint/upload"?',
  ],
  [
    'a target of another kind of address',
    'Service/Orders/Endpoint/upload,',
    'Servce/Orders,',
    'bad-address gatewright.yaml:17:20 "Servce/Orders" is not the address of an object (in prod)',
  ],
  [
    'no target',
    'target: Service/Orders/Endpoint/upload, ',
    '',
    'bad-patch gatewright.yaml:17:11 the patch has no target (in prod)',
  ],
  [
    'a target with an unknown kind',
    'Service/Orders/Endpoint/upload,',
    '{kind: Endpint},',
    'unknown-kind gatewright.yaml:17:27 there is no kind "Endpint" (in prod) | did you mean "Endpoint"?',
  ],
  [
    'a target with an unknown key',
    'Service/Orders/Endpoint/upload,',
    '{kind: Endpoint, label: {a: b}},',
    'unknown-field gatewright.yaml:17:37 target has no field "label" (in prod) | did you mean "labels"?',
  ],
  [
    'objects that a broken target would match without its mistake',
    '{target: Service/Orders/Endpoint/upload, merge: {highSecurity: true}}',
    '{target: {kind: Service, nmae: Nope}, omit: true}',
    'unknown-field gatewright.yaml:17:36 target has no field "nmae" (in prod) | did you mean "name"?',
  ],
  [
    'an expectation that is not met',
    'upload, merge',
    'upload, expect: 2, merge',
    'patch-target-count gatewright.yaml:17:60 Service/Orders/Endpoint/upload matches 1 object, and the patch expects 2 (in prod)',
  ],
  [
    'an invalid expectation',
    'upload, merge',
    'upload, expect: many, merge',
    'wrong-type gatewright.yaml:17:60 expect takes a number of objects, such as 1, "1+" or "0+", and "many" is written (in prod)',
  ],
  [
    'a patch without effect',
    '{highSecurity: true}',
    '{requestProtocol: rest}',
    'warning patch-no-effect gatewright.yaml:17:11 the patch of Service/Orders/Endpoint/upload changes nothing (in prod)',
  ],
  [
    'an empty patch',
    ', merge: {highSecurity: true}',
    '',
    'bad-patch gatewright.yaml:17:11 the patch says nothing to do (in prod)',
  ],
  [
    'a patch with an unknown key',
    'merge:',
    'marge:',
    'unknown-field gatewright.yaml:17:52 a patch has no field "marge" (in prod) | did you mean "merge"?',
  ],
  [
    'patches that are not a list',
    '- {target: Service/Orders/Endpoint/upload, merge: {highSecurity: true}}',
    '{target: Service/Orders/Endpoint/upload, merge: {highSecurity: true}}',
    'wrong-type gatewright.yaml:17:9 patches takes a list, and a mapping is written (in prod)',
  ],
  [
    'a test that fails',
    'merge: {highSecurity: true}',
    'json: [{op: test, path: /requestProtocol, value: soap}]',
    'patch-failed gatewright.yaml:17:59 /requestProtocol has another value than the patch expects (in prod)',
  ],
  [
    'a test of a missing field',
    'merge: {highSecurity: true}',
    'json: [{op: test, path: /cors/maxAge, value: 1}]',
    'patch-failed gatewright.yaml:17:59 the object has nothing at /cors/maxAge (in prod)',
  ],
  ...['__proto__/x', 'toString/x', 'cors/__proto__'].map(
    (path): Case => [
      `a path through what objects inherit: ${path}`,
      'merge: {highSecurity: true}',
      `json: [{op: add, path: /${path}, value: 1}]`,
      `patch-failed gatewright.yaml:17:59 the object has nothing at /${path} (in prod)`,
    ],
  ),
  ...['{op: replace, path: /toString, value: 1}', '{op: remove, path: /toString}'].map(
    (operation): Case => [
      `a field that every object inherits: ${operation}`,
      'merge: {highSecurity: true}',
      `json: [${operation}]`,
      'patch-failed gatewright.yaml:17:59 the object has nothing at /toString (in prod)',
    ],
  ),
  [
    'a move of a missing field',
    'merge: {highSecurity: true}',
    'json: [{op: move, from: /cors, path: /requestProtocol}]',
    'patch-failed gatewright.yaml:17:59 the object has nothing at /cors (in prod)',
  ],
  [
    'unset of fields that no kind has',
    'merge: {highSecurity: true}',
    'unset: [/requestProtocol, /corss, /cors/maxage]',
    'bad-pointer gatewright.yaml:17:78 "/corss" points to no field (in prod) | did you mean "/cors"?',
    'bad-pointer gatewright.yaml:17:86 "/cors/maxage" points to no field (in prod) | did you mean "/cors/maxAge"?',
  ],
  [
    'an empty target',
    'target: Service/Orders/Endpoint/upload,',
    'target: {},',
    'bad-patch gatewright.yaml:17:20 the target tells no objects (in prod)',
  ],
  [
    'invalid labels of a target',
    'target: Service/Orders/Endpoint/upload,',
    'target: {labels: [team]},',
    'wrong-type gatewright.yaml:17:29 target.labels takes a mapping of texts, and a list is written (in prod)',
  ],
  [
    'a missing path',
    'merge: {highSecurity: true}',
    'json: [{op: remove, path: /cors}]',
    'patch-failed gatewright.yaml:17:59 the object has nothing at /cors (in prod)',
  ],
  [
    'an unknown operation',
    'merge: {highSecurity: true}',
    'json: [{op: put, path: /cors, value: {}}]',
    'bad-patch gatewright.yaml:17:59 op is one of add, remove, replace, move, copy, test (in prod)',
  ],
  [
    'a path through a list without a test',
    'merge: {highSecurity: true}',
    'json: [{op: replace, path: /supportedHttpMethods/0, value: get}]',
    'bad-patch gatewright.yaml:17:59 /supportedHttpMethods/0 leads through an entry of a list, which may be another one tomorrow (in prod)',
  ],
  [
    'a copy from the entry of a list without a test',
    'merge: {highSecurity: true}',
    'json: [{op: copy, from: /publicDomains/0, path: /trafficManagerDomain}]',
    'bad-patch gatewright.yaml:17:59 /publicDomains/0 leads through an entry of a list, which may be another one tomorrow (in prod)',
  ],
  [
    'an unknown field in a merge',
    '{highSecurity: true}',
    '{highSecurty: true}',
    'unknown-field gatewright.yaml:17:60 Endpoint has no field "highSecurty" (in prod) | did you mean "highSecurity"?',
  ],
  [
    'an unknown field in a JSON Patch',
    'merge: {highSecurity: true}',
    'json: [{op: add, path: /highSecurty, value: true}]',
    'unknown-field gatewright.yaml:17:59 Endpoint has no field "highSecurty" (in prod) | did you mean "highSecurity"?',
  ],
  [
    'a wrong type in a merge',
    '{highSecurity: true}',
    '{numberOfHttpRedirectsToFollow: many}',
    'wrong-type gatewright.yaml:17:91 Endpoint.numberOfHttpRedirectsToFollow takes a whole number, and "many" is written (in prod)',
  ],
  [
    'a wrong enum in a merge',
    '{highSecurity: true}',
    '{requestProtocol: rst}',
    'unknown-value gatewright.yaml:17:77 Endpoint.requestProtocol does not take "rst" (in prod) | did you mean "rest"?',
  ],
  [
    'an object in a merge',
    'Service/Orders/Endpoint/upload, merge: {highSecurity: true}',
    'Service/Orders, merge: {endpoints: [{name: x}]}',
    'layer-creates gatewright.yaml:17:44 Service.endpoints holds objects, and neither defaults nor patches create objects (in prod)',
  ],
  [
    'an object in a JSON Patch',
    'Service/Orders/Endpoint/upload, merge: {highSecurity: true}',
    'Service/Orders, json: [{op: add, path: /endpoints/-, value: {name: x}}]',
    'layer-creates gatewright.yaml:17:43 Service.endpoints holds objects, and neither defaults nor patches create objects (in prod)',
  ],
  [
    'the name in a merge',
    '{highSecurity: true}',
    '{name: other}',
    'layer-names gatewright.yaml:17:60 Endpoint.name is the name of the object, and neither defaults nor patches can name it (in prod)',
  ],
  [
    'the name in a JSON Patch',
    'merge: {highSecurity: true}',
    'json: [{op: replace, path: /name, value: other}]',
    'layer-names gatewright.yaml:17:59 Endpoint.name is the name of the object, and neither defaults nor patches can name it (in prod)',
  ],
  [
    'the name moved away in a JSON Patch',
    'merge: {highSecurity: true}',
    'json: [{op: move, from: /name, path: /cors}]',
    'layer-names gatewright.yaml:17:59 Endpoint.name is the name of the object, and neither defaults nor patches can name it (in prod)',
  ],
  [
    'objects removed by unset',
    'Service/Orders/Endpoint/upload, merge: {highSecurity: true}',
    'Service/Orders, unset: [/endpoints]',
    'layer-creates gatewright.yaml:17:44 Service.endpoints holds objects, and neither defaults nor patches create objects (in prod)',
  ],
  [
    'unset of a name',
    'merge: {highSecurity: true}',
    'unset: [/name]',
    'layer-names gatewright.yaml:17:60 Endpoint.name is the name of the object, and neither defaults nor patches can name it (in prod)',
  ],
  [
    'unset of a text that is not a pointer',
    'merge: {highSecurity: true}',
    'unset: [cors]',
    'bad-patch gatewright.yaml:17:60 "cors" is not a JSON Pointer (in prod)',
  ],
  [
    'unset of an unknown field',
    'merge: {highSecurity: true}',
    'unset: [/corz]',
    'bad-pointer gatewright.yaml:17:60 "/corz" points to no field (in prod) | did you mean "/cors"?',
  ],
  [
    'unset of a field that is not written',
    'merge: {highSecurity: true}',
    'unset: [/cors]',
    'warning patch-no-effect gatewright.yaml:17:11 the patch of Service/Orders/Endpoint/upload changes nothing (in prod)',
  ],
  [
    'omit with another value than true',
    'merge: {highSecurity: true}',
    'omit: yes',
    'wrong-type gatewright.yaml:17:58 omit takes true or false, and "yes" is written (in prod)',
  ],
  [
    'a default of an unknown field',
    '{requestProtocol: rest}',
    '{requestProtcol: rest}',
    'unknown-field gatewright.yaml:11:16 Endpoint has no field "requestProtcol" | did you mean "requestProtocol"?',
  ],
  [
    'a default of an unknown kind',
    'Endpoint: {',
    'Endpont: {',
    'unknown-kind gatewright.yaml:11:5 there is no kind "Endpont" | did you mean "Endpoint"?',
  ],
  [
    'a default of a wrong type',
    '{requestProtocol: rest}',
    '{highSecurity: maybe}',
    'wrong-type gatewright.yaml:11:30 Endpoint.highSecurity takes true or false, and "maybe" is written',
  ],
  [
    'a default that creates',
    '{requestProtocol: rest}',
    '{methods: [{name: m}]}',
    'layer-creates gatewright.yaml:11:16 Endpoint.methods holds objects, and neither defaults nor patches create objects',
  ],
  [
    'a default that names',
    '{requestProtocol: rest}',
    '{name: m}',
    'layer-names gatewright.yaml:11:16 Endpoint.name is the name of the object, and neither defaults nor patches can name it',
  ],
  [
    'an enum that one environment violates',
    'values: {stage: PRD}',
    'values: {stage: PROD}',
    'unknown-value gatewright.yaml:15:23 the value "stage" does not take "PROD" (in prod) | did you mean "PRD"?',
  ],
  [
    'a field type that one environment violates',
    'values: {stage: PRD}',
    'values: {stage: PRD, qps: many}',
    'wrong-type gatewright.yaml:15:33 the value "qps" takes a whole number, and a text is written (in prod)',
  ],
  [
    'a default of another type, though every environment gives the value',
    'qps: 100',
    'qps: {type: integer, default: "5"}',
    'wrong-type gatewright.yaml:9:35 the value "qps" takes a whole number, and a text is written',
  ],
  [
    'a value with only a name, which no environment gives',
    'qps: 100',
    'qps:',
    'value-missing manifests/a.yaml:6:20 environment dev gives no value "qps", which has no default (in dev)',
    'value-missing manifests/a.yaml:6:20 environment prod gives no value "qps", which has no default (in prod)',
  ],
  [
    'a description that is not a text',
    'qps: 100',
    'qps: {default: 100, description: 5}',
    'wrong-type gatewright.yaml:9:38 description of the value "qps" takes a text, and the number 5 is written',
  ],
  [
    'an enum of another type',
    'qps: 100',
    'qps: 100\n    old: {type: string, enum: [1, 2], default: "1"}',
    'wrong-type gatewright.yaml:10:32 enum of the value "old" takes a text, and the number 1 is written',
  ],
  [
    'an enum of lists',
    'qps: 100',
    'qps: {default: 100, enum: [100, [200]]}',
    'wrong-type gatewright.yaml:9:37 enum of the value "qps" takes a whole number, and a list is written',
  ],
  [
    'an enum for a list',
    'items: {type: string}',
    'enum: [a]',
    'wrong-type gatewright.yaml:8:33 the type of the value "hosts", which has enum, takes string, integer, number or boolean, and array is written',
  ],
  [
    'a number with too many digits',
    'qps: 100',
    'qps: 9007199254740993',
    'wrong-type gatewright.yaml:9:10 the value "qps" takes a whole number of at most 9007199254740991, and the number 9007199254740993 is written',
  ],
  [
    'a hexadecimal number with too many digits, in a mapping',
    'qps: 100',
    'qps: 100\n    old: {type: object, default: {a: [0x20000000000001]}}',
    'wrong-type gatewright.yaml:10:39 the value "old" takes a whole number of at most 9007199254740991, and the number 0x20000000000001 is written',
    'warning value-unused gatewright.yaml:10:5 nothing uses the value "old"',
  ],
  [
    'a number with too many digits, in an operation',
    'merge: {highSecurity: true}',
    'json: [{op: add, path: /eav, value: {id: 9007199254740993}}]',
    'wrong-type gatewright.yaml:17:93 value of the operation at /eav takes a whole number of at most 9007199254740991, and the number 9007199254740993 is written (in prod)',
  ],
  [
    'a pointer to a child',
    'Service/Orders/Endpoint/upload, merge: {highSecurity: true}',
    'Service/Orders, unset: [/endpoints/0]',
    'layer-creates gatewright.yaml:17:44 Service.endpoints holds objects, and neither defaults nor patches create objects (in prod)',
  ],
  [
    'labels of a target that are not texts',
    'Service/Orders/Endpoint/upload,',
    '{kind: Service, labels: {a: null, b: [c], d: 1}},',
    'wrong-type gatewright.yaml:17:48 target.labels.a takes a text, and nothing is written (in prod)',
    'wrong-type gatewright.yaml:17:57 target.labels.b takes a text, and a list is written (in prod)',
    'wrong-type gatewright.yaml:17:65 target.labels.d takes a text, and the number 1 is written (in prod)',
  ],
  [
    'an empty enum',
    'qps: 100',
    'qps: {default: 100, enum: []}',
    'wrong-type gatewright.yaml:9:31 enum of the value "qps" takes a list of at least one value, and an empty one is written',
  ],
  [
    'another key than the type for the entries of a list',
    'items: {type: string}',
    'items: {type: string, enum: [a]}',
    'unknown-field gatewright.yaml:8:48 items of the value "hosts" has no field "enum"',
  ],
  [
    'entries of a value that is not a list',
    'qps: 100',
    'qps: {default: 100, items: {type: integer}}',
    'wrong-type gatewright.yaml:9:32 the type of the value "qps", which has items, takes array, and integer is written',
  ],
  [
    'an enum that is violated by an environment that does not use the value',
    'qps: 100',
    'qps: 100\n    old: {default: a, enum: [b]}',
    'unknown-value gatewright.yaml:10:20 the value "old" does not take "a" | did you mean "b"?',
    'warning value-unused gatewright.yaml:10:5 nothing uses the value "old"',
  ],
  [
    'a variable of PostgreSQL in a value',
    'qps: 100',
    'qps: "${env:PGPASSWORD}"',
    'reserved-variable gatewright.yaml:9:11 PGPASSWORD may not be used here',
  ],
  [
    'a variable of PostgreSQL in a default',
    '{requestProtocol: rest}',
    '{requestPathAlias: "/${env:PGUSER}"}',
    'reserved-variable gatewright.yaml:11:36 PGUSER may not be used here',
  ],
  [
    'a variable of PostgreSQL in a patch',
    '{highSecurity: true}',
    '{requestPathAlias: "/${env:PGUSER}"}',
    'reserved-variable gatewright.yaml:17:80 PGUSER may not be used here (in prod)',
  ],
  [
    'a number of an enum that an environment gives in quotes',
    'qps: 100\n  defaults:\n    Endpoint: {requestProtocol: rest}\n  environments:\n    dev: {values: {',
    'qps: {enum: [100, 500]}\n  defaults:\n    Endpoint: {requestProtocol: rest}\n  environments:\n    dev: {values: {qps: "100", ',
    'wrong-type gatewright.yaml:13:25 the value "qps" takes one of 100, 500, and a text is written (in dev)',
    'value-missing manifests/a.yaml:6:20 environment prod gives no value "qps", which has no default (in prod)',
  ],
  [
    'a field type that a value of one environment violates',
    'qps: 100',
    'qps: {}',
    'value-missing manifests/a.yaml:6:20 environment dev gives no value "qps", which has no default (in dev)',
    'value-missing manifests/a.yaml:6:20 environment prod gives no value "qps", which has no default (in prod)',
  ],
  [
    'an undeclared value',
    'value:stage}',
    'value:stag}',
    'value-unknown manifests/a.yaml:5:17 there is no value "stag" | did you mean "stage"?',
    'warning value-unused gatewright.yaml:7:5 nothing uses the value "stage"',
  ],
  [
    'an undeclared value in an environment',
    '{stage: PRD}',
    '{stage: PRD, host: [b]}',
    'value-unknown gatewright.yaml:15:28 the value "host" is given, and spec.values does not declare it (in prod) | did you mean "hosts"?',
  ],
  [
    'a value that nothing uses',
    '    qps: 100',
    '    qps: 100\n    old: 1',
    'warning value-unused gatewright.yaml:10:5 nothing uses the value "old"',
  ],
  [
    'a value that an environment does not give',
    'values: {stage: PRD}',
    'values: {}',
    'value-missing manifests/a.yaml:5:17 environment prod gives no value "stage", which has no default (in prod)',
  ],
  [
    'a mistyped name of a value that an environment gives',
    'values: {stage: PRD}',
    'values: {stgae: PRD}',
    'value-unknown gatewright.yaml:15:16 the value "stgae" is given, and spec.values does not declare it (in prod) | did you mean "stage"?',
  ],
  [
    'a manifest that is not read because of a duplicate key',
    '  endpoints:\n    - name: upload\n',
    '  qpsLimitOverall: 5\n  endpoints:\n    - name: upload\n',
    'duplicate-key manifests/a.yaml:7:3 the key "qpsLimitOverall" is written twice in one mapping',
  ],
  [
    'values that use each other',
    'qps: 100',
    'qps: "${value:other}"\n    other: "${value:qps}"',
    'value-circular gatewright.yaml:10:12 the value "qps" uses itself: qps → other → qps',
  ],
  [
    'unused values that use each other',
    '    qps: 100',
    '    qps: 100\n    old: "${value:other}"\n    other: "${value:old}"',
    'warning value-unused gatewright.yaml:10:5 nothing uses the value "old"',
    'warning value-unused gatewright.yaml:11:5 nothing uses the value "other"',
    'value-circular gatewright.yaml:11:12 the value "old" uses itself: old → other → old',
  ],
  [
    'an undeclared value in one that nothing uses',
    '    qps: 100',
    '    qps: 100\n    old: "${value:hots}"',
    'warning value-unused gatewright.yaml:10:5 nothing uses the value "old"',
    'value-unknown gatewright.yaml:10:10 there is no value "hots" | did you mean "hosts"?',
  ],
  [
    'a list inside a text',
    '${value:stage} orders',
    '${value:hosts} orders',
    'value-in-text manifests/a.yaml:5:17 the value "hosts" is a list, which cannot be part of a text',
    'warning value-unused gatewright.yaml:7:5 nothing uses the value "stage"',
  ],
  [
    'a list instead of a text',
    '"${value:stage} orders"',
    '"${value:hosts}"',
    'wrong-type manifests/a.yaml:5:16 Service.description takes a text, and a list is written',
    'warning value-unused gatewright.yaml:7:5 nothing uses the value "stage"',
  ],
  [
    'an entry of a list of another type',
    'default: [a.example.com]',
    'default: [5]',
    'wrong-type gatewright.yaml:8:59 the value "hosts" takes a list of which each entry is a text, and the number 5 is written',
  ],
  [
    'an unknown type of a value',
    'type: array',
    'type: list',
    'unknown-value gatewright.yaml:8:19 the type of "hosts" does not take "list"',
  ],
  [
    'an unknown key of a value',
    'default: [a',
    'defalt: [a',
    'unknown-field gatewright.yaml:8:49 the value "hosts" has no field "defalt" | did you mean "default"?',
  ],
  [
    'values that are not a mapping',
    'values: {stage: PRD}',
    'values: [stage]',
    'wrong-type gatewright.yaml:15:15 values of environment prod takes a mapping, and a list is written (in prod)',
  ],
  [
    'an unknown key of an environment',
    'values: {stage: PRD}',
    'valus: {stage: PRD}',
    'unknown-field gatewright.yaml:15:7 environment prod has no field "valus" | did you mean "values"?',
  ],
  [
    'an invalid environment',
    'dev: {values: {stage: DEV}}',
    'dev: DEV',
    'wrong-type gatewright.yaml:13:10 environments.dev takes a mapping, and a text is written',
  ],
  [
    'an undeclared environment in metadata',
    '{name: Orders}',
    '{name: Orders, environments: [deve]}',
    'unknown-environment manifests/a.yaml:3:41 there is no environment "deve" | did you mean "dev"?',
  ],
  [
    'an undeclared environment in the metadata of an inline child',
    '- name: upload',
    '- name: upload\n      metadata: {environments: ["!deve"]}',
    'unknown-environment manifests/a.yaml:9:33 there is no environment "deve" | did you mean "dev"?',
  ],
  [
    'metadata.environments that exclude all',
    '- name: upload',
    '- name: upload\n      metadata: {environments: [dev, "!dev"]}',
    'patch-no-target gatewright.yaml:17:20 no object of environment prod matches Service/Orders/Endpoint/upload (in prod)',
    'warning in-no-environment manifests/a.yaml:9:33 Service/Orders/Endpoint/upload is in none of the environments',
  ],
  [
    'metadata.without with a text that is not a pointer',
    '- name: upload',
    '- name: upload\n      metadata: {without: [cors]}',
    'bad-pointer manifests/a.yaml:9:28 "cors" points to no field | did you mean "/cors"?',
  ],
  [
    'metadata.without with an unknown field',
    '- name: upload',
    '- name: upload\n      metadata: {without: [/requestProtokol, /cors/maxage]}',
    'bad-pointer manifests/a.yaml:9:28 "/requestProtokol" points to no field | did you mean "/requestProtocol"?',
    'bad-pointer manifests/a.yaml:9:46 "/cors/maxage" points to no field | did you mean "/cors/maxAge"?',
  ],
  [
    'metadata.defaults of kinds that are not children',
    '{name: Orders}',
    '{name: Orders, defaults: {Plan: {rateLimitCeiling: 1}, Service: {description: x}}}',
    'unknown-kind manifests/a.yaml:3:37 metadata.defaults of Service/Orders are for objects in it, and no Plan can be in it',
    'unknown-kind manifests/a.yaml:3:66 metadata.defaults of Service/Orders are for objects in it, and no Service can be in it',
  ],
  [
    'metadata.defaults of an unknown field',
    '{name: Orders}',
    '{name: Orders, defaults: {Endpoint: {corss: {}}}}',
    'unknown-field manifests/a.yaml:3:48 Endpoint has no field "corss" | did you mean "cors"?',
  ],
  [
    'a number of a guard below zero',
    'values: {stage: PRD}',
    'values: {stage: PRD}\n      guard: {deletes: -1}',
    'wrong-type gatewright.yaml:16:24 guard.deletes takes a whole number from 0 on, and the number -1 is written (in prod)',
  ],
  [
    'an unknown key of a guard',
    'values: {stage: PRD}',
    'values: {stage: PRD}\n      guard: {brnch: main}',
    'unknown-field gatewright.yaml:16:15 guard of environment prod has no field "brnch" (in prod) | did you mean "branch"?',
  ],
]

const read = (from: string, to: string) => {
  const world = embedded()
  const all = project + manifest
  expect(all.split(from).length, `"${from}" stands there`).toBeGreaterThan(1)
  world.write(
    'gatewright.yaml',
    project.replace(from, () => to),
  )
  world.write(
    'manifests/a.yaml',
    manifest.replace(from, () => to),
  )
  return problemsIn(world)
}

async function problemsIn(world: World): Promise<readonly string[]> {
  const { stdout } = await world.run(['validate', '-o', 'json'])
  const { diagnostics } = JSON.parse(stdout) as {
    readonly diagnostics: readonly {
      readonly code: string
      readonly severity: string
      readonly message: string
      readonly hint: string
      readonly file?: string
      readonly line?: number
      readonly column?: number
    }[]
  }
  return diagnostics
    .filter(({ code }) => code !== 'missing-on-create')
    .map(({ severity, code, file, line, column, message, hint }) => {
      const suggestion = hint.startsWith('did you mean') ? ` | ${hint}` : ''
      return `${severity === 'error' ? '' : `${severity} `}${code} ${file}:${line}:${column} ${message}${suggestion}`
    })
}

test('the unchanged project has no problems', async () => {
  expect(await read('DEV, PRD', 'DEV, PRD')).toEqual([])
})

test.each(cases)('%s', async (_, from, to, ...told) => {
  expect(await read(from, to)).toEqual(told)
})

describe('a wrong default is reported at its place, whatever takes it:', () => {
  const above = (fields: string) => `values: {stage: PRD}\n      defaults: {Endpoint: {${fields}}}`
  test.each<Case>([
    [
      'a value that no object takes',
      'Endpoint: {requestProtocol: rest}',
      'Plan: {rateLimitPeriod: dya}',
      'unknown-value gatewright.yaml:11:29 Plan.rateLimitPeriod does not take "dya" | did you mean "day"?',
    ],
    [
      'types that no object takes',
      'Endpoint: {requestProtocol: rest}',
      'Package: {nearQuotaThreshold: high, description: [a]}',
      'wrong-type gatewright.yaml:11:35 Package.nearQuotaThreshold takes a whole number, and "high" is written',
      'wrong-type gatewright.yaml:11:54 Package.description takes a text, and a list is written',
    ],
    [
      'a value that the object covers',
      'Endpoint: {requestProtocol: rest}',
      'Endpoint: {supportedHttpMethods: [gett]}',
      'unknown-value gatewright.yaml:11:39 Endpoint.supportedHttpMethods does not take "gett" | did you mean "get"?',
    ],
    [
      'a field that the platform sets, and one that is written elsewhere',
      'Endpoint: {requestProtocol: rest}',
      'Service: {created: x}\n    Member: {packageKeys: []}',
      'ignored-field gatewright.yaml:11:15 Service.created is set by the platform and ignored in requests',
      'read-only-field gatewright.yaml:12:14 Member.packageKeys cannot be written here: keys are written in the application that they belong to',
    ],
    [
      'a member of a field',
      'Endpoint: {requestProtocol: rest}',
      'Package: {}\n    Endpoint: {cors: {maxage: 5}}',
      'unknown-field gatewright.yaml:12:23 Endpoint.cors has no field "maxage" | did you mean "maxAge"?',
    ],
    [
      'a value of an environment that the object covers',
      'values: {stage: PRD}',
      above('supportedHttpMethods: [put, 5]'),
      'unknown-value gatewright.yaml:16:57 Endpoint.supportedHttpMethods does not take "5" (in prod)',
    ],
    [
      'a value in metadata.defaults that no child takes',
      '{name: Orders}',
      '{name: Orders, defaults: {Method: {sampleJsonResponse: [a]}}}',
      'wrong-type manifests/a.yaml:3:66 Method.sampleJsonResponse takes a text, and a list is written',
    ],
  ])('%s', async (_, from, to, ...told) => {
    expect(await read(from, to)).toEqual(told)
  })

  test.each([
    ['an object', manifest],
    ['an object of another environment', manifest.replace('{name: Orders}', '{name: Orders, environments: [prod]}')],
  ])('but %s may allow unknown members', async (_, text) => {
    const world = embedded()
    const extra = text.replace('name: upload', 'name: upload\n      metadata: {extraFields: true}')
    world.write('gatewright.yaml', project.replace('requestProtocol: rest', 'cors: {maxage: 5}'))
    world.write('manifests/a.yaml', extra)
    expect((await problemsIn(world)).map((each) => each.split(' | ')[0])).toEqual([
      expect.stringMatching(/^warning extra-field gatewright.yaml:11:23 /),
    ])
  })
})

test('a value that only an unknown environment gives is not reported as missing', async () => {
  const world = embedded()
  world.write('gatewright.yaml', project.replace('requestProtocol: rest', "requestPathAlias: '/${value:stage}'"))
  const run = await world.run(['validate', '-e', 'pord', '-o', 'json'])
  expect(run.json()).toMatchObject({ diagnostics: [{ code: 'unknown-environment', hint: 'did you mean "prod"?' }] })
})

test('if a manifest cannot be read, no patch is reported to find nothing, and its values are not reported as unused', async () => {
  expect(await read('supportedHttpMethods: [post]', 'supportedHttpMethods: [post')).toEqual([
    expect.stringContaining('yaml-syntax manifests/a.yaml:10:34 '),
  ])
})

test.each([
  [
    'a misspelt kind',
    'kind: Service\nmetadata: {name: Orders}',
    'kind: Servce\nmetadata: {name: Orders}',
    'unknown-kind',
  ],
  [
    'another version',
    'v1\nkind: Service\nmetadata: {name: Orders}',
    'v2\nkind: Service\nmetadata: {name: Orders}',
    'unknown-api-version',
  ],
  ['something else than a list', '    - name: upload\n      pub', '    upload:\n      pub', 'wrong-type'],
  ['a misspelt list', '  endpoints:', '  endpoint:', 'unknown-field'],
  ['a misspelt name', '{name: Orders}', '{nane: Orders}', 'unknown-metadata'],
])(
  'if a document has %s, no patch is reported to find nothing, and its values are not reported as unused',
  async (_, from, to, code) => {
    const told = await read(from, to)
    expect(told[0]).toMatch(new RegExp(`^${code} manifests/a.yaml:`))
    expect(told.filter((each) => /^(?:patch-no-target|value-unused)/.test(each))).toEqual([])
  },
)

test('a failed test operation reports both positions', async () => {
  const world = embedded()
  const failing = 'json: [{op: test, path: /requestProtocol, value: soap}]'
  world.write('gatewright.yaml', project.replace('merge: {highSecurity: true}', failing))
  world.write('manifests/a.yaml', manifest)
  const { stdout } = await world.run(['validate'])
  expect(stdout).toContain('gatewright.yaml:17:59')
  expect(stdout).toMatch(
    /gatewright\.yaml:11:16.*the field is written here|the field is written here.*gatewright\.yaml:11:16/,
  )
})

test.each([
  [
    'an unknown key',
    'spec: {valus: {stage: PRD}}',
    'unknown-field environments/prod.yaml:4:8 environment prod has no field "valus"',
  ],
  [
    'an unknown key beside the spec',
    'values: {stage: PRD}',
    'unknown-key environments/prod.yaml:4:1 a manifest has no key "values"',
  ],
  [
    'a spec that is not a mapping',
    'spec: PRD',
    'wrong-type environments/prod.yaml:4:7 spec of environment prod takes a mapping, and a text is written',
  ],
  ['another kind', 'spec: {}', 'unknown-kind environments/prod.yaml:2:7 a file of spec.environments has "Enviroment"'],
])('in a separate file: %s', async (name, spec, told) => {
  const world = embedded()
  const kind = name === 'another kind' ? 'Enviroment' : 'Environment'
  const inFiles = project
    .slice(0, project.indexOf('  environments:'))
    .replace('stage: {type: string, enum: [DEV, PRD]}', 'stage: DEV')
  world.write('gatewright.yaml', `${inFiles}  environments: environments/*.yaml\n`)
  world.write('manifests/a.yaml', manifest)
  world.write('environments/prod.yaml', `apiVersion: gatewright/v1\nkind: ${kind}\nmetadata: {name: prod}\n${spec}\n`)
  expect((await problemsIn(world)).map((each) => each.split(' | ')[0])).toEqual([told])
})

test.each([
  [
    '[{name: dev}]',
    'wrong-type gatewright.yaml:12:18 a list of environments takes the names of files, and a mapping is written',
  ],
  ['e/*.yaml', 'duplicate-key e/b.yaml:3:12 the environment "prod" has two documents'],
])('a file that is not a list of environments: %s', async (environments, told) => {
  const world = embedded()
  const before = project.slice(0, project.indexOf('  environments:'))
  world.write('gatewright.yaml', `${before}  environments: ${environments}\n`)
  world.write('manifests/a.yaml', manifest)
  for (const file of ['a', 'b']) world.write(`e/${file}.yaml`, environmentDocument('  values: {stage: PRD}\n'))
  expect((await problemsIn(world)).map((each) => each.split(' | ')[0])).toEqual([told])
})

describe('one rule for names of projects and environments', () => {
  const rule = 'a name of at most 200 characters that are all visible'
  const names = [
    ['empty', '', 'an empty one'],
    ['half of a character', 'half\\ud83d', 'one with the character U+D83D'],
    ['a control character', 'bell\\u0007', 'one with the character U+0007'],
    ['two lines', 'two\\nlines', 'one with a line break'],
    ['the direction reversed', 'prod\\u202e', 'one with the character U+202E'],
    ['very long', 'x'.repeat(201), 'one of 201 characters'],
  ] as const

  test.each(names)('an environment: %s', async (_, name, found) => {
    const world = embedded()
    const others = '  environments:\n'
    const environments = project.indexOf(others)
    const written = `${others}    "${name}": {values: {stage: QA}}\n`
    world.write(
      'gatewright.yaml',
      `${project.slice(0, environments)}${written}${project.slice(environments + others.length)}`,
    )
    world.write('manifests/a.yaml', manifest)
    const told = (await problemsIn(world)).map((each) => each.split(' | ')[0])
    expect(told).toEqual([
      `wrong-type gatewright.yaml:13:5 the name of an environment takes ${rule}, and ${found} is written`,
    ])
    world.write('gatewright.yaml', `${project.slice(0, environments)}  environments: e.yaml\n`)
    world.write('e.yaml', environmentDocument('').replace('name: prod', `name: "${name}"`))
    const inFile = (await problemsIn(world)).map((each) => each.split(' | ')[0])
    expect(inFile).toContain(`wrong-type e.yaml:3:18 metadata.name takes ${rule}, and ${found} is written`)
  })

  test.each(names.slice(1))('a project: %s', async (_, name, found) => {
    const world = embedded()
    world.write('gatewright.yaml', `apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: "${name}"}\n`)
    world.write('manifests/a.yaml', 'apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: R}\n')
    const told = (await problemsIn(world)).map((each) => each.split(' | ')[0])
    expect(told).toEqual([`wrong-type gatewright.yaml:3:18 metadata.name takes ${rule}, and ${found} is written`])
  })

  test('of 200 characters, with emoji and letters of every script', async () => {
    const world = embedded()
    const name = `ñ 日本 👩‍🚀 ${'x'.repeat(190)}`
    const head = `apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: "${name}"}\n`
    world.write('gatewright.yaml', `${head}spec: {environments: {"${name}": {}}}\n`)
    world.write('manifests/a.yaml', 'apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: R}\n')
    expect(await problemsIn(world)).toEqual([])
  })
})

test('a value on the command line without a text is refused', async () => {
  const world = embedded()
  world.write('gatewright.yaml', project)
  world.write('manifests/a.yaml', manifest)
  const { exitCode, stdout, stderr } = await world.run(['validate', '-e', 'dev', '--value', 'qps'])
  expect([exitCode, stdout, stderr]).toEqual([
    1,
    '',
    'error: --value qps gives no text [value-missing]\n  hint: write --value qps=TEXT; qps= means an empty text\n\n1 error\n',
  ])
})

test('if a value gives a number to a text field, the hint is about the value, not about its use', async () => {
  const world = embedded()
  world.write('gatewright.yaml', project)
  world.write('manifests/a.yaml', manifest.replace('"${value:stage} orders"', '"${value:qps}"'))
  const { stdout } = await world.run(['validate'])
  expect(stdout).toContain('hint: give the value as a text: in quotes, or declared with type: string')
})

test.each([
  ['Endpoint: {requestProtocol: rest}', 'SystemDomainAuthentication: {pasword: SECRET-9}'],
  ['Endpoint: {requestProtocol: rest}', 'Endpoint: {systemDomainAuthentication: {password: SECRET-9}}'],
  ['Endpoint: {requestProtocol: rest}', 'SystemDomainAuthentication: SECRET-9'],
  ['merge: {highSecurity: true}', 'merge: SECRET-9'],
  ['merge: {highSecurity: true}', 'mergee: {password: SECRET-9}'],
  ['merge: {highSecurity: true}', 'merge: {pasword: SECRET-9}'],
  ['merge: {highSecurity: true}', 'json: [{op: test, path: /password, value: SECRET-9}]'],
  ['merge: {highSecurity: true}', 'json: [{op: add, path: /pasword, value: {a: SECRET-9}}]'],
  ['merge: {highSecurity: true}', 'json: [{op: add, path: /cors, valu: SECRET-9}]'],
])('no frame displays a possible secret in a layer: %s -> %s', async (from, to) => {
  const world = embedded()
  expect(project).toContain(from)
  world.write('gatewright.yaml', project.replace(from, to))
  world.write('manifests/a.yaml', manifest)
  const { exitCode, stdout, stderr } = await world.run(['validate'])
  expect([exitCode, stdout + stderr]).toEqual([1, expect.stringContaining('***')])
  expect(stdout + stderr).not.toContain('SECRET')
})

const environmentDocument = (spec: string) =>
  `apiVersion: gatewright/v1\nkind: Environment\nmetadata: {name: prod}\nspec:\n${spec}`

test.each([
  ['YAML that cannot be read', '  platform: {credentials: {password: SECRET-9}\n'],
  ['an unknown key', '  platform: {credentials: {password: SECRET-9}}\n  valus: {token: SECRET-9}\n'],
  ['an unknown setting', '  platform: {credentials: {pasword: SECRET-9}}\n'],
  ['a guard that is not a mapping', '  platform: {credentials: {token: SECRET-9}}\n  guard: {planned: soon}\n'],
  ['a login', '  records: postgres://me:SECRET-9@db.example.com/a\n  guard: {planned: soon}\n'],
])('no frame displays a secret of an environment in a separate file: %s', async (_, spec) => {
  const world = embedded()
  world.write('gatewright.yaml', `${project.slice(0, project.indexOf('  environments:'))}  environments: prod.yaml\n`)
  world.write('prod.yaml', environmentDocument(spec))
  world.write('manifests/a.yaml', manifest)
  const { exitCode, stdout, stderr } = await world.run(['validate'])
  expect([exitCode, stdout + stderr]).toEqual([1, expect.stringContaining('***')])
  expect(stdout + stderr).not.toContain('SECRET')
})

test('no frame of a remark on values or patches displays literal credentials beside them', async () => {
  const world = embedded()
  const own = '  platform: {credentials: {password: SECRET-9, apiSecret: "${env:OF_CI}"}}\n  values: {left: 1}\n'
  const patches = 'patches: [{target: Service/Orders, merge: {description: x}}]'
  const prod = `{platform: {credentials: {token: SECRET-9}}, ${patches}}`
  const head = 'apiVersion: gatewright/v1\nkind: Project\nspec:\n'
  world.write('gatewright.yaml', `${head}  manifests: [manifests]\n${own}  environments:\n    prod: ${prod}\n`)
  world.write(
    'manifests/a.yaml',
    'apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: Orders}\nspec: {description: x}\n',
  )
  const { stdout, stderr } = await world.run(['validate'])
  expect(stdout + stderr).toContain('[value-unused]')
  expect(stdout + stderr).toContain('[patch-no-effect]')
  expect(stdout + stderr).toContain('{credentials: {password: ***, apiSecret: "${env:OF_CI}"}}')
  expect(stdout + stderr).not.toContain('SECRET')
})
