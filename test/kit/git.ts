import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A bare repository, as on a git host, and clones of it. */
export interface GitHost {
  readonly bare: string
  /** Creates a new clone in its own folder. */
  readonly clone: (...options: readonly string[]) => string
  readonly remove: () => void
}

/** Runs git as the author of the tests, and returns its output. */
export const git = (cwd: string, ...args: readonly string[]): string => gitWith(cwd, undefined, ...args)

const gitWith = (cwd: string, input: string | undefined, ...args: readonly string[]): string =>
  execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    input,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...someone },
  })

/** Adds a commit to a ref that replaces the text of a file. */
export function replaceFile(cwd: string, ref: string, path: string, text: string): void {
  const size = Buffer.byteLength(text)
  const head = `commit ${ref}\ncommitter x <x@example.com> 0 +0000\ndata 1\nx\nfrom ${ref}^0\n`
  gitWith(cwd, `${head}M 100644 inline ${path}\ndata ${size}\n${text}\n`, 'fast-import', '--quiet')
}

const someone = {
  GIT_AUTHOR_NAME: 'someone',
  GIT_AUTHOR_EMAIL: 'someone@example.com',
  GIT_COMMITTER_NAME: 'someone',
  GIT_COMMITTER_EMAIL: 'someone@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
}

let templates: { readonly bare: string; readonly clone: string } | undefined

/** A repository with two commits, so that a shallow clone has only one of them. */
export function gitHost(): GitHost {
  templates ??= makeTemplates()
  const { bare: from, clone: whole } = templates
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-host-'))
  const bare = join(dir, 'host.git')
  cpSync(from, bare, { recursive: true })
  let clones = 0
  return {
    bare,
    clone: (...options) => {
      clones += 1
      const folder = join(dir, `clone-${clones}`)
      if (clones > 1 || options.length > 0)
        git(dir, 'clone', '--quiet', '--template=', ...options, `file://${bare}`, folder)
      else {
        // A copy with another remote URL is faster than a clone.
        cpSync(whole, folder, { recursive: true })
        const config = join(folder, '.git/config')
        writeFileSync(config, readFileSync(config, 'utf8').replace(`file://${from}`, `file://${bare}`))
        git(folder, 'update-index', '--refresh')
      }
      return folder
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

function makeTemplates() {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-host-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  const [work, bare, clone] = [join(dir, 'work'), join(dir, 'host.git'), join(dir, 'clone')]
  git(dir, 'init', '--quiet', '--template=', '--initial-branch=main', work)
  for (const text of ['one', 'two']) {
    writeFileSync(join(work, 'file'), text)
    git(work, 'add', 'file')
    git(work, 'commit', '--quiet', '-m', text)
  }
  git(dir, 'clone', '--quiet', '--bare', '--template=', work, bare)
  // Compression and garbage collection are off: these repositories exist only for a short time.
  for (const name of ['core.compression', 'pack.window']) git(bare, 'config', name, '0')
  git(bare, 'config', 'receive.autogc', 'false')
  git(dir, 'clone', '--quiet', '--template=', `file://${bare}`, clone)
  return { bare, clone }
}
