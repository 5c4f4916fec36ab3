import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleepFor } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { fetchTransport } from '../../../src/client/fetch-transport.js'
import { type RunningPlatform, startPlatform } from '../../../src/platform/listen.js'
import { gatewright } from '../../cli/run.js'
import { installPackage } from '../packed.js'
import { type Entry, type Forge, forgePrograms } from './forge.js'
import { putProgram, type Served, serve } from './served.js'

/** A team's repository with a bare remote, a platform, and a CI system that runs shell steps in fresh clones. */

export interface Shop {
  readonly platform: RunningPlatform
  /** The platform of an environment; without environments there is only one. */
  readonly platformOf: (environment: string) => RunningPlatform
  /** The working copy of a member of the team. */
  readonly dir: string
  readonly write: (path: string, text: string) => void
  readonly git: (...args: readonly string[]) => string
  /** Commits everything and pushes it to a branch of the remote. */
  readonly push: (branch: string) => void
  /** A file of a branch. */
  readonly read: (branch: string, path: string) => string
  /** A clone of a branch without its history, as in CI systems. */
  readonly checkout: (branch: string) => string
  readonly forge: () => Forge
  /** Replaces the comments. */
  readonly comment: (comments: readonly Entry[]) => void
  /** Runs a script like CI systems, with only these variables and those of the machine. */
  readonly shell: (script: string, cwd: string, env: Readonly<Record<string, string>>) => Promise<Ended>
  readonly temporary: () => string
}

interface Ended {
  readonly code: number | null
  readonly output: string
}

/** `init` in a new repository, committed and pushed to main, with the package among the modules that npm installs. */
export async function shopWith(ci: 'github' | 'gitlab' | 'none', environments: readonly string[] = []): Promise<Shop> {
  const home = mkdtempSync(join(tmpdir(), 'gatewright-ci-'))
  const platform = await startPlatform({ autoApprove: true, idSeed: 'ci' })
  const others = await Promise.all(environments.slice(1).map(() => startPlatform({ autoApprove: true, idSeed: 'ci' })))
  const platforms = new Map([platform, ...others].map((each, index) => [environments[index] ?? '', each]))
  const [dir, remote, bin, modules] = ['shop', 'remote.git', 'bin', 'node_modules'].map((name) => join(home, name)) as [
    string,
    string,
    string,
    string,
  ]
  for (const folder of [dir, bin]) mkdirSync(folder)
  await installPackage(home)
  const forge: Forge = { comments: [], issues: [] }
  const programs = forgePrograms(forge, modules)
  const server = await serve({
    ...programs,
    gatewright: gatewrightOf(ci, join(modules, 'gatewright/dist/bin.js'), [platform, ...others]),
  })
  for (const name of Object.keys(programs)) putProgram(bin, name)
  rmSync(join(modules, '.bin/gatewright'))
  putProgram(join(modules, '.bin'), 'gatewright')
  onTestFinished(async () => {
    server.close()
    await Promise.all([platform, ...others].map((each) => each.close()))
    rmSync(home, { recursive: true, force: true })
  })
  const machine = {
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    TMPDIR: home,
    ...{ GIT_CONFIG_NOSYSTEM: '1', npm_config_update_notifier: 'false' },
    ...server.env,
  }
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=dev', '-c', 'user.email=dev@example.com', ...args], {
      cwd: dir,
      env: machine,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  // Nothing exists long enough to need compression or maintenance.
  const careless =
    '[core]\n\tcompression = 0\n[pack]\n\twindow = 0\n[gc]\n\tauto = 0\n[receive]\n\tautogc = false\n[maintenance]\n\tauto = false\n'
  writeFileSync(join(home, '.gitconfig'), careless)
  git('init', '--quiet', '--bare', '--template=', '--initial-branch=main', remote)
  appendFileSync(join(remote, 'config'), careless)
  git('init', '--quiet', '--template=', '--initial-branch=main')
  git('remote', 'add', 'origin', remote)
  let folders = 0
  const temporary = (): string => {
    folders += 1
    const folder = join(home, `runner-${folders}`)
    mkdirSync(folder)
    return folder
  }
  const clones = new Map<string, string>()
  /** A clone in which nobody works. */
  const cloneOf = (branch: string): string => {
    const commit = readFileSync(join(remote, 'refs/heads', branch), 'utf8').trim()
    const known = clones.get(`${branch} ${commit}`)
    if (known !== undefined) return known
    const clone = join(temporary(), 'clone')
    git('clone', '--quiet', '--depth=1', '--no-local', '--template=', `--branch=${branch}`, remote, clone)
    clones.set(`${branch} ${commit}`, clone)
    return clone
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
    read: (branch, path) => readFileSync(join(cloneOf(branch), path), 'utf8'),
    checkout: (branch) => {
      const workspace = join(temporary(), 'workspace')
      execFileSync('cp', ['-Rp', cloneOf(branch), workspace])
      return workspace
    },
    forge: () => ({ ...forge }),
    comment: (comments) => {
      forge.comments = comments
    },
    shell: (script, cwd, env) => shell(script, cwd, { ...machine, ...env }),
  }
  const made = await shop.shell(
    `${join(modules, '.bin/gatewright')} init --yes --name shop --ci ${ci} ${environments.length > 0 ? `--env ${environments.join(',')}` : ''}`,
    dir,
    {},
  )
  if (made.code !== 0) throw new Error(made.output)
  // The file that `npm install` writes; the npm here has only this package.
  shop.write('package-lock.json', '{"lockfileVersion": 3}\n')
  shop.push('main')
  return shop
}

/** The CI systems and commands with which the package has been started. */
const started = new Set<string>()

/**
 * The installed package for each command that a CI system calls first; after that this process, which needs a tenth of the
 * time.
 */
const gatewrightOf =
  (ci: string, installed: string, platforms: readonly RunningPlatform[]): Served =>
  async ({ args, cwd, env }) => {
    const first = `${ci} ${args[0]}`
    if (!started.has(first)) {
      started.add(first)
      return { instead: installed }
    }
    const transport = fetchTransport((url, init) => {
      const asked = platforms.find((each) => new URL(each.url).origin === new URL(url).origin)
      return asked ? asked.platform.fetch(new Request(url, init)) : Promise.reject(new Error(`no platform at ${url}`))
    })
    const { exitCode, stdout, stderr } = await gatewright(args, {
      ...{ cwd, env, now: Date.now },
      sleep: (milliseconds, signal) => sleepFor(milliseconds, undefined, { signal }),
      transport: () => Promise.resolve(transport),
    })
    return { code: exitCode, stdout, stderr }
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
