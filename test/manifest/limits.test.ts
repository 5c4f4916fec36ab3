import { describe, expect, test } from 'vitest'
import { readManifests } from '../../src/manifest/read.js'
import { readYaml } from '../../src/manifest/yaml/read-yaml.js'
import { documentOf, errorsOf, filesOf, manifestsIn, manifestsOf, project, shortly, stream } from './manifests-of.js'

/** Whatever a file contains, the answer comes quickly, and says what is wrong. */

const head = 'apiVersion: gatewright/v1\n'
const eav = (value: string) => `${head}kind: Package\nmetadata: {name: P}\nspec:\n  eav: {a: ${value}}\n`
const codes = (text: string) => manifestsIn(text).problems.map(({ severity, code }) => `${severity} ${code}`)

describe('nested values', () => {
  // In addition to the four levels around it.
  test.each([
    ['lists', (levels: number) => eav('['.repeat(levels) + ']'.repeat(levels))],
    ['mappings', (levels: number) => eav(`${'{a: '.repeat(levels)}1${'}'.repeat(levels)}`)],
    ['JSON', (levels: number) => eav(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)],
    ['blocks', (levels: number) => eav('1').replace('{a: 1}', `\n    a:\n      ${'- '.repeat(levels)}x`)],
    [
      'aliases',
      (levels: number) =>
        `${head}x:\n  - &a0 [x]\n${Array.from({ length: levels }, (_, index) => `  - &a${index + 1} [*a${index}]\n`).join('')}`,
    ],
  ])('are reported if they are too deep: %s', (_, text) => {
    for (const levels of [101, 400]) expect(codes(text(levels))).toContain('error too-deep')
    for (const levels of [2, 90]) expect(codes(text(levels))).not.toContain('error too-deep')
  })

  test.each([
    ['lists', eav('['.repeat(20_000) + ']'.repeat(20_000))],
    ['lists that are not closed', eav('['.repeat(20_000))],
    ['mappings', eav(`${'{a: '.repeat(20_000)}1${'}'.repeat(20_000)}`)],
    ['keys', eav('? '.repeat(5_000))],
    ['JSON alone', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
    ['blocks', `${'- '.repeat(20_000)}x\n`],
  ])('never crash the program: 20,000 %s', (_, text) => {
    const errors = manifestsOf({ 'a.yaml': text }, { paths: ['a.yaml'] }).problems.map(shortly)
    expect(errors.some((each) => /too-deep|yaml-syntax/.test(each))).toBe(true)
  })

  test('have the same depth with an anchor as without', () => {
    for (const levels of [99, 100, 101]) {
      const text = '['.repeat(levels) + ']'.repeat(levels)
      const problems = (source: string) => readYaml({ file: 'a', text: source }).problems.map(({ code }) => code)
      expect(problems(`&x ${text}`)).toEqual(problems(text))
    }
  })
})

describe('merge keys', () => {
  test('take a mapping or a list of mappings, but no nested lists', () => {
    const text = (value: string) => `${head}kind: Package
metadata: {name: P}
spec: {eav: ${value}}
`
    expect(codes(text('{a: &a {b: c}, d: {<<: [*a, *a]}}'))).toEqual([])
    expect(codes(text('{a: &a [{b: c}], d: {<<: [*a, *a]}}'))).toEqual(['error yaml-alias'])
  })

  test('with aliases of aliases are not expanded', () => {
    const levels = Array.from({ length: 30 }, (_, level) => `  - &l${level + 1} [*l${level}, *l${level}, *l${level}]\n`)
    const text = `${head}x:\n  - &l0 [{a: 1}]\n${levels.join('')}spec: {<<: *l30}\n`
    expect(errorsOf(manifestsIn(text))).toContain('error too-large a.yaml:1:1')
  })
})

describe('large files', () => {
  test('20,000 documents in one file are read in linear time', () => {
    const documents = Array.from({ length: 20_000 }, (_, index) =>
      documentOf('Role', { name: `R${index}` }, { description: index % 2 === 0 ? 'a' : '$${b}' }),
    )
    const started = process.cpuUsage()
    expect(manifestsIn(stream(...documents)).resources).toHaveLength(20_000)
    // Only the time of this process: other load on the machine does not count.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(10_000)
  })

  test('20,000 documents with anchors are read in linear time', () => {
    const documents = Array.from({ length: 5_000 }, (_, index) =>
      documentOf('Role', { name: `R${index}` }, { description: 'a' }).replace('kind:', '"kind": &a'),
    )
    const started = process.cpuUsage()
    expect(manifestsIn(stream(...documents)).resources).toHaveLength(5_000)
    // Only the time of this process: other load on the machine does not count.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(10_000)
  })

  test('many blank lines after a block', () => {
    const text = `${head}kind: Role\nmetadata: {name: R}\nspec:\n  description: |\n    x\n${' '.repeat(300_000)}`
    expect(readManifests({ project, env: {}, files: filesOf({ 'a.yaml': text }) }).resources).toHaveLength(1)
  })
})
