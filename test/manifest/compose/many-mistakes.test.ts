import { describe, expect, test } from 'vitest'
import { projectText } from '../../kit/manifests.js'
import { embedded } from '../../kit/world.js'

/** With 1,000 known names, the limit of 200,000 comparisons is reached after 201 unknown ones. */
const range = Array.from({ length: 1000 }, (_, index) => index)
const mapping = (entry: (index: number) => string): string => `{${range.map(entry).join(', ')}}`
const services = (description: (index: number) => string): string =>
  range.map((index) => `${head}{name: service ${index}}\nspec: {description: ${description(index)}}\n`).join('---\n')
const head = 'apiVersion: gatewright/v1\nkind: Service\nmetadata: '

/** How many problems of the code there are, and how many of them have a suggestion. */
async function found(code: string, project: string, manifests: string): Promise<readonly [number, number]> {
  const world = embedded()
  world.write('gatewright.yaml', projectText(project))
  world.write('manifests/a.yaml', manifests)
  const { stdout } = await world.run(['validate', '-e', 'dev', '-o', 'json'])
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; hint?: string }[] }
  const hints = diagnostics.flatMap((each) => (each.code === code ? [each.hint ?? ''] : []))
  expect(Math.max(...hints.map(({ length }) => length))).toBeLessThan(200)
  return [hints.length, hints.filter((hint) => hint.startsWith('did you mean')).length]
}

describe('1,000 misspelt names among 1,000 known ones', () => {
  test('of used values have suggestions at first', async () => {
    const project = `  values: ${mapping((index) => `value${index}: a`)}\n  environments: {dev: {}}\n`
    const manifests = services((index) => `"\${value:vlaue${index}}"`)
    expect(await found('value-unknown', project, manifests)).toEqual([1000, 201])
  })

  test('of given values have suggestions at first', async () => {
    const declared = mapping((index) => `value${index}: {type: string}`)
    const given = mapping((index) => `vlaue${index}: a`)
    const project = `  values: ${declared}\n  environments: {dev: {values: ${given}}}\n`
    const manifests = services((index) => `"\${value:value${index}}"`)
    expect(await found('value-unknown', project, manifests)).toEqual([1000, 201])
  })

  test('of targets of patches have suggestions at first', async () => {
    const patches = range.map((index) => `{target: Service/servcie ${index}, merge: {description: b}}`)
    const project = `  environments: {dev: {patches: [${patches.join(', ')}]}}\n`
    expect(
      await found(
        'patch-no-target',
        project,
        services(() => 'a'),
      ),
    ).toEqual([1000, 201])
  })
})
