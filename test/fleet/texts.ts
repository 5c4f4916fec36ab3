/** A fleet file with this spec, as lines of YAML that are indented below it. */
export const fleetText = (...spec: readonly string[]): string =>
  [
    'apiVersion: gatewright/v1',
    'kind: Fleet',
    'metadata: {name: brands}',
    'spec:',
    ...spec.map((line) => `  ${line}`),
    '',
  ].join('\n')

/** A file of one area. */
export const areaText = (name: string, spec: string): string =>
  `apiVersion: gatewright/v1\nkind: Area\nmetadata: {name: ${name}}\nspec: ${spec}\n`
