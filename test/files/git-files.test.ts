import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { gitFiles } from '../../src/files/git-files.js'
import { headOf } from '../../src/files/git-head.js'
import { git } from '../kit/git.js'

/** The files of a commit: as they were then, whatever is in the folder now. */

let dir = ''

const committed: Readonly<Record<string, string | Buffer>> = {
  'gatewright.yaml': 'kind: Project\n',
  'manifests/a.yaml': 'a: 1\n',
  'manifests/same.yaml': 'a: 1\n',
  'manifests/deep/ä b.yml': '# Grüße\r\nb: 2',
  'manifests/empty.json': '',
  'manifests/bytes.yaml': Buffer.from([0x61, 0xff]),
  'manifests/big.yaml': `# ${'x'.repeat(2 ** 20)}\n`,
  'manifests/.hidden/h.yaml': 'h: 1\n',
  'node_modules/n.yaml': 'n: 1\n',
  'text.txt': 'a text\n',
  'other/o.yaml': 'o: 1\n',
}

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'gatewright-test-'))
  git(dir, 'init', '-q')
  for (const [name, content] of Object.entries(committed)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), content)
  }
  symlinkSync('/etc/passwd', join(dir, 'link.yaml'))
  git(dir, 'add', '-A')
  git(dir, 'commit', '-qm', 'all')
  rmSync(join(dir, 'manifests'), { recursive: true })
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

describe('gitFiles', () => {
  test('returns the files of the commit', () => {
    const files = gitFiles('HEAD', dir, dir)
    for (const [name, content] of Object.entries(committed)) {
      const failure = typeof content === 'string' ? undefined : 'it is not UTF-8 text'
      expect(files.readText(name), name).toMatchObject(failure === undefined ? { text: content } : { failure })
    }
    expect(files.readText('manifests/none.yaml')).toEqual({ failure: 'it is not in HEAD' })
    expect(files.readText('manifests')).toEqual({ failure: 'it is not in HEAD' })
    expect(files.readText('manifests/big.yaml', { largest: 2 ** 20, pipes: 'refuse' })).toEqual({
      failure: 'it is larger than 1 MB',
    })
    // A link is returned as its text in git.
    expect(files.readText('link.yaml')).toEqual({ text: '/etc/passwd' })
    expect(files.list('manifests')).toEqual([
      ...['a.yaml', 'big.yaml', 'bytes.yaml', 'deep/ä b.yml', 'empty.json', 'same.yaml'],
    ])
    expect(['manifests', 'manifests/a.yaml', 'nothing'].map((path) => files.exists(path))).toEqual([
      ...['folder', 'file', 'no'],
    ])
  })

  test('finds a folder of the repository from any working directory', () => {
    const files = gitFiles('HEAD', join(dir, 'other'), dirname(dir))
    expect(files.list(join(dir, 'other'))).toEqual(['o.yaml'])
    expect(files.readText(join(dir, 'other', 'o.yaml'))).toEqual({ text: 'o: 1\n' })
    expect(files.readText(join(dir, 'text.txt'))).toEqual({ text: 'a text\n' })
  })

  test('finds the folder through a link, and in a separate work tree', () => {
    const [link, tree] = [join(dir, '.git', 'link'), join(dir, '.git', 'tree')]
    symlinkSync(join(dir, 'other'), link)
    git(dir, 'worktree', 'add', '-q', '--detach', tree)
    expect(gitFiles('HEAD', link, link).readText('o.yaml')).toEqual({ text: 'o: 1\n' })
    expect(gitFiles('HEAD', join(tree, 'other'), tree).readText('other/o.yaml')).toEqual({ text: 'o: 1\n' })
  })

  test('finds the folder in a work tree that only the environment names', () => {
    const tree = mkdtempSync(join(tmpdir(), 'gatewright-test-'))
    mkdirSync(join(tree, 'other'))
    vi.stubEnv('GIT_DIR', join(dir, '.git'))
    vi.stubEnv('GIT_WORK_TREE', tree)
    try {
      const files = gitFiles('HEAD', join(tree, 'other'), tree)
      expect(files.list('other')).toEqual(['o.yaml'])
      expect(files.readText('other/o.yaml')).toEqual({ text: 'o: 1\n' })
    } finally {
      vi.unstubAllEnvs()
      rmSync(tree, { recursive: true })
    }
  })

  test('starts two processes for all manifests, not one for each, and none for known files', () => {
    const bin = join(dir, '.git', 'counting')
    const calls = join(bin, 'calls')
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    mkdirSync(bin)
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$1" >> ${calls}\nexec ${real} "$@"\n`)
    chmodSync(join(bin, 'git'), 0o755)
    vi.stubEnv('PATH', `${bin}${delimiter}${process.env.PATH}`)
    try {
      const files = gitFiles('HEAD', dir, dir)
      for (const name of ['gatewright.yaml', ...files.list('manifests').map((each) => `manifests/${each}`)])
        if (!name.includes('big')) files.readText(name)
      const started = () => readFileSync(calls, 'utf8').trim().split('\n')
      expect(started()).toEqual(['ls-tree', 'cat-file', 'cat-file'])
      // A file that is known to be as in the commit is not read.
      gitFiles('HEAD', dir, dir, new Map([['gatewright.yaml', String(committed['gatewright.yaml'])]])).readText(
        'gatewright.yaml',
      )
      expect(started().slice(3)).toEqual(['ls-tree'])
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('uses the given text of a file if the commit has exactly that text', () => {
    const told = new Map([
      ['gatewright.yaml', String(committed['gatewright.yaml'])],
      ['manifests/a.yaml', `${String(committed['manifests/a.yaml'])}# changed\n`],
      ['manifests/none.yaml', 'none: 1\n'],
    ])
    const [alone, knowing] = [gitFiles('HEAD', dir, dir), gitFiles('HEAD', dir, dir, told)]
    for (const path of [...told.keys(), 'text.txt']) expect(knowing.readText(path), path).toEqual(alone.readText(path))
  })

  test('refuses a reference that git does not know', () => {
    for (const reference of ['nonsense', '--git-dir', ''])
      expect(() => gitFiles(reference, dir, dir)).toThrow(`git knows no commit "${reference}" here`)
  })
})

test('a repository of another user is reported as that, not as a commit that is missing', () => {
  vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1')
  try {
    expect(() => gitFiles('HEAD', dir, dir)).toThrow(`git does not read ${dir}, because it belongs to another user`)
    expect(headOf(dir)).toEqual({ is: 'refused', folder: dir })
  } finally {
    vi.unstubAllEnvs()
  }
})

test('without the program git, there is no message about the commit', () => {
  vi.stubEnv('PATH', '/nowhere')
  try {
    expect(() => gitFiles('HEAD', dir, dir)).toThrow(
      'files of a commit need the program git, which cannot be started (ENOENT)',
    )
  } finally {
    vi.unstubAllEnvs()
  }
})
