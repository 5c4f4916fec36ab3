import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A bare repository as a host has it, and clones of it. */
export interface GitHost {
  readonly bare: string
  /** A new clone, in a folder of its own. */
  readonly clone: (...options: readonly string[]) => string
  readonly remove: () => void
}

/** Runs git as whoever wrote the tests; gives what it says. */
export const git = (cwd: string, ...args: readonly string[]): string => gitWith(cwd, undefined, ...args)

export const gitWith = (cwd: string, input: string | undefined, ...args: readonly string[]): string =>
  execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    input,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...someone },
  })

const someone = {
  GIT_AUTHOR_NAME: 'someone',
  GIT_AUTHOR_EMAIL: 'someone@example.com',
  GIT_COMMITTER_NAME: 'someone',
  GIT_COMMITTER_EMAIL: 'someone@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
}

let template: string | undefined

/** A repository with two commits, so that a shallow clone lacks one. */
export function gitHost(): GitHost {
  template ??= makeTemplate()
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-host-'))
  const bare = join(dir, 'host.git')
  cpSync(template, bare, { recursive: true })
  let clones = 0
  return {
    bare,
    clone: (...options) => {
      clones += 1
      const folder = join(dir, `clone-${clones}`)
      git(dir, 'clone', '--quiet', ...options, `file://${bare}`, folder)
      return folder
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

function makeTemplate(): string {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-host-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  const work = join(dir, 'work')
  git(dir, 'init', '--quiet', '--template=', '--initial-branch=main', work)
  for (const text of ['one', 'two']) {
    writeFileSync(join(work, 'file'), text)
    git(work, 'add', 'file')
    git(work, 'commit', '--quiet', '-m', text)
  }
  git(dir, 'clone', '--quiet', '--bare', '--template=', work, join(dir, 'host.git'))
  return join(dir, 'host.git')
}
