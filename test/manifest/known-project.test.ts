import { describe, expect, test } from 'vitest'
import { KnownProject } from '../../src/manifest/known-project.js'
import { readProject } from '../../src/manifest/project.js'
import { filesOf, shortly } from './manifests-of.js'

const spec = `spec:
  platform: {url: "https://me:SECRET-9@api.example.com", credentials: {password: SECRET-9}}
  values: {stage: {type: string}, other: 1}
`
const text = `apiVersion: gatewright/v1\nkind: Project\n${spec}  environments: [envs]\n  wrong: SECRET-9\n`
const environment = (name: string, more = '') =>
  `apiVersion: gatewright/v1\nkind: Environment\nmetadata: {name: ${name}}\nspec: {values: {stage: ${name}}${more}}\n`
const texts = {
  'gatewright.yaml': text,
  'envs/dev.yaml': environment('dev', ', wrong: SECRET-9'),
  'envs/prod.yaml': environment('prod', ', platform: {area: X, credentials: {token: SECRET-9}}'),
}

/** Reads a project for each environment, and counts how often each file is read. */
function readingOf(changing: Record<string, string> = texts) {
  const read: string[] = []
  const files = filesOf(changing)
  const counting: typeof files = {
    ...files,
    readText: (path) => {
      read.push(path)
      return files.readText(path)
    },
  }
  const one = (name: string, known?: KnownProject) =>
    readProject({ dir: '.', env: {}, environment: name, known }, counting)
  return { one, read }
}

describe('a project that is read for several environments', () => {
  test('has the files of its environments read once', () => {
    const { one, read } = readingOf()
    const known = new KnownProject()
    for (const name of ['dev', 'prod', 'dev']) one(name, known)
    expect(read.filter((path) => path.startsWith('envs/'))).toEqual(['envs/dev.yaml', 'envs/prod.yaml'])
  })

  test('is the same for each of them, with the same problems and frames, as if it were read alone', () => {
    const known = new KnownProject()
    for (const name of ['dev', 'prod', 'none', 'dev']) {
      const [again, alone] = [readingOf().one(name, known), readingOf().one(name)]
      expect(again.problems.map(shortly)).toContain('error unknown-field gatewright.yaml:7:3')
      expect(again.problems).toEqual(alone.problems)
      expect(JSON.stringify(again.problems)).not.toContain('SECRET')
      expect(again.project.platform).toEqual(alone.project.platform)
      expect([...(again.project.layers?.given.keys() ?? [])]).toEqual([...(alone.project.layers?.given.keys() ?? [])])
    }
  })

  test('is read again if the project file has changed', () => {
    const changing = { ...texts }
    const known = new KnownProject()
    const { one } = readingOf(changing)
    expect(one('dev', known).project.layers?.environments).toEqual(['dev', 'prod'])
    changing['gatewright.yaml'] = text.replace('[envs]', '[envs/dev.yaml]')
    expect(one('dev', known).project.layers?.environments).toEqual(['dev'])
  })
})
