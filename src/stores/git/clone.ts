import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { env, pid } from 'node:process'
import { folderForGit } from '../../files/repository.js'
import { codeOf, reasonOf } from '../../files/system-error.js'
import { machineMark, processExists } from '../../files/this-machine.js'
import { gitMissing, gitNoRepository, gitNoTemporary, gitTooOld } from '../../problems/git-records.js'
import { ProblemError } from '../../problems/problem.js'
import { type GitInput, type GitResult, git } from './program.js'
import { gitWords } from './words.js'

/** For processes that contact no other machine. */
export const localLimitMs = 120_000

/** All settings that apply in a repository, in the order of git: a later one wins. */
type Config = readonly (readonly [key: string, value: string])[]

/** The top folder of the repository, and all settings that apply in it. */
export async function repositoryAround(folder: string): Promise<{ readonly root: string; readonly config: Config }> {
  const cwd = folderForGit(folder)
  if (cwd === undefined) throw new ProblemError([gitNoRepository(folder, 'there is none')])
  const input: GitInput = { cwd, env: unset, limitMs: localLimitMs }
  const [version, place, list] = await Promise.all([
    started(['--version'], input),
    started(['rev-parse', '--show-cdup'], input),
    started(['config', '--list', '-z'], input),
  ])
  const says = version.out.toString('utf8').trim()
  if (isTooOld(says)) throw new ProblemError([gitTooOld(says)])
  if (place.code !== 0 || list.code !== 0) {
    throw new ProblemError([gitNoRepository(folder, gitWords(place.code === 0 ? list : place))])
  }
  const entries = list.out.toString('utf8').split('\0').slice(0, -1)
  const config = entries.map((entry): [string, string] => {
    const end = entry.indexOf('\n')
    return end === -1 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)]
  })
  return { root: resolve(cwd, place.out.toString('utf8').trim()), config }
}

/** Only git 2.32 and later can take all settings from variables. */
function isTooOld(says: string): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(says) ?? []
  return Number(major) < 2 || (Number(major) === 2 && Number(minor) < 32)
}

export const remotesIn = (config: Config): readonly string[] => [
  ...new Set(config.flatMap(([key]) => /^remote\.(.+)\.url$/.exec(key)?.[1] ?? [])),
]

/**
 * A repository of our own, without a working tree. If one commit were fetched into the user's repository, that one would become
 * shallow, and everything fetched and created there would stay.
 */
export async function ownRepository(config: Config): Promise<string> {
  try {
    return await makeRepository(config)
  } catch (cause) {
    throw new ProblemError([gitNoTemporary(tmpdir(), reasonOf(cause))], { cause })
  }
}

async function makeRepository(config: Config): Promise<string> {
  sweep(tmpdir())
  const folder = mkdtempSync(join(tmpdir(), `${ownStart()}${pid}-`))
  const format = config.findLast(([key]) => key === 'extensions.objectformat')?.[1]
  await Promise.all([mkdir(join(folder, 'objects')), mkdir(join(folder, 'refs'))])
  await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n')
  await writeFile(
    join(folder, 'config'),
    format === undefined
      ? '[core]\n\trepositoryformatversion = 0\n\tbare = true\n'
      : `[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = ${format}\n`,
  )
  await writeFile(join(folder, 'none'), '')
  await writeFile(join(folder, 'global'), safeFolders(config))
  return folder
}

/** If the remote is a folder, git starts processes there that get no settings in variables. */
const safeFolders = (config: Config): string =>
  config
    .flatMap(([key, value]) => (key === 'safe.directory' ? `[safe]\n\tdirectory = ${quoted(value)}\n` : []))
    .join('')

const quoted = (value: string): string => `"${value.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`

/** The machine is a part of the name: other containers may use the same folder. */
const ownStart = (): string => `gatewright-git-${machineMark()}-`

/** Removes what killed processes have left. */
function sweep(folder: string): void {
  const start = ownStart()
  for (const name of readdirSync(folder)) {
    const [, writer] = name.startsWith(start) ? (/^(\d+)-/.exec(name.slice(start.length)) ?? []) : []
    if (writer === undefined || processExists(Number(writer))) continue
    try {
      rmSync(join(folder, name), { recursive: true, force: true })
    } catch {
      // It may belong to another user.
    }
  }
}

/**
 * The user's settings that are needed to reach the remote, as they apply in the user's repository: CI systems write logins there,
 * some of them only for that folder. They are passed in variables, not in a file, because they contain tokens. Hooks are left
 * out.
 */
export function settingsFor(config: Config, name: string, folder: string): Record<string, string | undefined> {
  const ways = /^(http|https|credential|url|ssh|protocol|safe)\.|^core\.(sshcommand|askpass|gitproxy)$/
  const ofRemote = /^(url|pushurl|proxy|proxyauthmethod|uploadpack|receivepack|vcs)$/
  const start = `remote.${name}.`
  const kept = config.filter(
    ([key]) => ways.test(key) || (key.startsWith(start) && ofRemote.test(key.slice(start.length))),
  )
  // A setting takes precedence over that variable.
  const hasSsh = env.GIT_SSH !== undefined || kept.some(([key]) => key === 'core.sshcommand')
  const all: Config = [
    ...(hasSsh ? [] : [['core.sshcommand', 'ssh -o BatchMode=yes -o ConnectTimeout=15 -o LogLevel=ERROR'] as const]),
    ...kept,
    ['core.hookspath', join(folder, 'none')],
  ]
  return {
    ...Object.fromEntries(all.map(([key], index) => [`GIT_CONFIG_KEY_${index}`, key])),
    ...Object.fromEntries(all.map(([, value], index) => [`GIT_CONFIG_VALUE_${index}`, value])),
    GIT_CONFIG_COUNT: String(all.length),
    GIT_CONFIG_PARAMETERS: undefined,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: join(folder, 'global'),
    ...unset,
    GIT_DIR: folder,
    GIT_WORK_TREE: undefined,
    GIT_COMMON_DIR: undefined,
  }
}

/**
 * git sets these variables for its hooks. If a hook calls this program, the repository is meant, and not what the hook is about.
 * GIT_CONFIG applies only to `git config`, which would then show other settings than fetch and push use.
 */
const unset: Readonly<Record<string, undefined>> = {
  GIT_CONFIG: undefined,
  GIT_INDEX_FILE: undefined,
  GIT_OBJECT_DIRECTORY: undefined,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: undefined,
  GIT_QUARANTINE_PATH: undefined,
  GIT_NAMESPACE: undefined,
  GIT_SHALLOW_FILE: undefined,
}

export async function started(args: readonly string[], input: GitInput): Promise<GitResult> {
  try {
    return await git(args, input)
  } catch (cause) {
    throw new ProblemError([gitMissing(codeOf(cause))], { cause })
  }
}
