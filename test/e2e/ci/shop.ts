import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type RunningPlatform, startPlatform } from '../../../src/platform/listen.js'
import { installPackage } from '../packed.js'

/** A team's repository with a bare remote, a platform, and a CI system that runs shell steps in fresh clones. */

interface Comment {
  readonly id: number
  readonly body: string
}

interface Issue {
  readonly number: number
  readonly state: string
  readonly title: string
  readonly body: string
}

/** What the stubs keep for GitHub and GitLab. */
interface Forge {
  readonly comments: readonly Comment[]
  readonly issues: readonly Issue[]
}

export interface Shop {
  readonly platform: RunningPlatform
  /** That of an environment; without environments there is one. */
  readonly platformOf: (environment: string) => RunningPlatform
  /** The working copy of a member of the team. */
  readonly dir: string
  readonly write: (path: string, text: string) => void
  readonly git: (...args: readonly string[]) => string
  /** Commits all there is and pushes it to a branch of the remote. */
  readonly push: (branch: string) => void
  /** A clone of a branch without its history, as CI systems make it. */
  readonly checkout: (branch: string) => string
  readonly forge: () => Forge
  /** Runs a script as CI systems do, with just these variables beside those of the machine. */
  readonly shell: (script: string, cwd: string, env: Readonly<Record<string, string>>) => Promise<Ended>
  readonly temporary: () => string
}

interface Ended {
  readonly code: number | null
  readonly output: string
}

/** `init` with the installed package in a new repository, committed and pushed to main. */
export async function shopWith(ci: 'github' | 'gitlab' | 'none', environments: readonly string[] = []): Promise<Shop> {
  const home = mkdtempSync(join(tmpdir(), 'gatewright-ci-'))
  const platform = await startPlatform({ autoApprove: true, idSeed: 'ci' })
  const others = await Promise.all(environments.slice(1).map(() => startPlatform({ autoApprove: true, idSeed: 'ci' })))
  const platforms = new Map([platform, ...others].map((each, index) => [environments[index] ?? '', each]))
  onTestFinished(async () => {
    await Promise.all([platform, ...others].map((each) => each.close()))
    rmSync(home, { recursive: true, force: true })
  })
  const [dir, remote, bin, state] = ['shop', 'remote.git', 'bin', 'state.json'].map((name) => join(home, name)) as [
    string,
    string,
    string,
    string,
  ]
  for (const folder of [dir, bin]) mkdirSync(folder)
  await installPackage(home)
  for (const name of ['gh', 'curl', 'npm']) symlinkSync(join(import.meta.dirname, 'stub.mjs'), join(bin, name))
  writeFileSync(state, '{"comments": [], "issues": []}')
  const machine = {
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    TMPDIR: home,
    ...{ GIT_CONFIG_NOSYSTEM: '1', npm_config_update_notifier: 'false' },
    ...{ STUB_STATE: state, STUB_MODULES: join(home, 'node_modules') },
  }
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=dev', '-c', 'user.email=dev@example.com', ...args], {
      cwd: dir,
      env: machine,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  git('init', '--quiet', '--bare', '--initial-branch=main', remote)
  git('init', '--quiet', '--initial-branch=main')
  git('remote', 'add', 'origin', remote)
  let folders = 0
  const temporary = (): string => {
    folders += 1
    const folder = join(home, `runner-${folders}`)
    mkdirSync(folder)
    return folder
  }
  const shop: Shop = {
    platform,
    platformOf: (environment) => platforms.get(environment) ?? platform,
    dir,
    git,
    temporary,
    write: (path, text) => {
      mkdirSync(dirname(join(dir, path)), { recursive: true })
      writeFileSync(join(dir, path), text)
    },
    push: (branch) => {
      git('add', '--all')
      git('commit', '--quiet', '--allow-empty', '--message', 'a change')
      git('push', '--quiet', '--force', 'origin', `HEAD:${branch}`)
    },
    checkout: (branch) => {
      const workspace = join(temporary(), 'workspace')
      git('clone', '--quiet', '--depth=1', '--no-local', `--branch=${branch}`, remote, workspace)
      return workspace
    },
    forge: () => JSON.parse(readFileSync(state, 'utf8')) as Forge,
    shell: (script, cwd, env) => shell(script, cwd, { ...machine, ...env }),
  }
  const made = await shop.shell(
    `${join(home, 'node_modules/.bin/gatewright')} init --yes --name shop --ci ${ci} ${environments.length > 0 ? `--env ${environments.join(',')}` : ''}`,
    dir,
    {},
  )
  if (made.code !== 0) throw new Error(made.output)
  // What `npm install` writes; the stub of npm has just this package.
  shop.write('package-lock.json', '{"lockfileVersion": 3}\n')
  shop.push('main')
  return shop
}

/** The script in a file, run with the flags of both systems. */
async function shell(script: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Ended> {
  const file = join(mkdtempSync(join(env.HOME ?? '', 'step-')), 'script.sh')
  writeFileSync(file, script)
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', file], { cwd, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, output }
}
