import { expect, test } from 'vitest'
import { gitVariables } from '../../src/files/git-variables.js'

test.each<[string, string, Record<string, string | undefined>, Record<string, string>]>([
  ['no variable', '/shop', { GIT_DIR: '', GIT_EDITOR: 'vi' }, {}],
  [
    'a hook of a work tree',
    '/shop',
    { GIT_DIR: '.git', GIT_INDEX_FILE: '.git/index' },
    { GIT_DIR: '/shop/.git', GIT_WORK_TREE: '/shop', GIT_INDEX_FILE: '/shop/.git/index' },
  ],
  [
    'a work tree that is named',
    '/shop/hooks',
    { GIT_DIR: '/shop/.git', GIT_WORK_TREE: '..' },
    { GIT_DIR: '/shop/.git', GIT_WORK_TREE: '/shop' },
  ],
  ['a hook of a repository without a work tree', '/shop.git', { GIT_DIR: '.' }, { GIT_DIR: '/shop.git' }],
])('%s', (_, cwd, env, expected) => {
  expect(gitVariables(env, cwd)).toEqual(expected)
})
