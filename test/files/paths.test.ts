import { describe, expect, it, test } from 'vitest'
import { join, normalizePath } from '../../src/files/paths.js'
import { embedded } from '../kit/world.js'

test.each([
  ['.', '.'],
  ['./a/./b/', 'a/b'],
  ['a/../b', 'b'],
  ['../../a', '../../a'],
  ['/a/..', '/'],
  ['a\\b', 'a/b'],
])('%s has one spelling: %s', (written, normal) => {
  expect(normalizePath(written)).toBe(normal)
})

test.each([
  ['p', '.', 'p'],
  ['p', '../p/a', 'p/a'],
  ['..', '../a', '../../a'],
  ['p', '/a', '/a'],
])('below %s, %s is %s', (folder, path, expected) => {
  expect(join(folder, path)).toBe(expected)
})

describe('a project whose manifest folder is the project folder itself', () => {
  it.each(['.', './', '../shop', 'sub/..'])('%s does not read the project file as a manifest', async (path) => {
    const world = embedded()
    world.write('shop/sub/.keep', '')
    world.write(
      'shop/gatewright.yaml',
      `apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: x}\nspec: {manifests: ["${path}"]}\n`,
    )
    world.write('shop/role.yaml', 'apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: R}\nspec: {nme: x}\n')
    const { json } = await world.run(['validate', '-C', 'shop', '-o', 'json'])
    expect(json().diagnostics).toMatchObject([{ code: 'unknown-field', file: 'shop/role.yaml' }])
  })
})
