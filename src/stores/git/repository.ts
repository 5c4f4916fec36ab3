import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { pid } from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { codeOf } from '../../files/system-error.js'
import { machineMark, processExists } from '../../files/this-machine.js'
import {
  gitFailed,
  gitMissing,
  gitNoRemote,
  gitNoRepository,
  gitRefused,
  gitTooOld,
} from '../../problems/git-records.js'
import { ProblemError } from '../../problems/problem.js'
import { type GitInput, git, type Said, withoutLogins } from './program.js'

/** The remote of a repository, and what was fetched of it. What fails is a ProblemError that shows no login. */
export interface Remote {
  /** Its name and its address without login. */
  readonly where: string
  /** Fetches what is below `refs/…/`; gives the commit of each ref. */
  readonly fetch: (refs: string) => Promise<ReadonlyMap<string, string>>
  /** The files of a commit that was fetched or made here: path to blob. */
  readonly files: (commit: string) => Promise<ReadonlyMap<string, string>>
  /** The texts of blobs, in their order. */
  readonly read: (blobs: readonly string[]) => Promise<readonly string[]>
  /** A new commit, not pushed yet. */
  readonly commit: (commit: NewCommit) => Promise<string>
  /** Moves a ref of the remote from one commit to another, if it is at the first. `tries`: how often a failure is tried again. */
  readonly push: (ref: string, move: Move, tries?: 'once') => Promise<Pushed>
  readonly close: () => void
}

interface NewCommit {
  readonly parent: string | undefined
  /** What differs from the parent: new texts; undefined removes a file, or a folder. */
  readonly files: ReadonlyMap<string, string | undefined>
  readonly message: string
  /** `none`: it has the files of the parent, and does not follow it. */
  readonly history?: 'none'
}

interface Move {
  /** Undefined: the ref does not exist yet. */
  readonly from: string | undefined
  readonly to: string
}

/** `moved`: the ref is at another commit, which somebody else has pushed, or a push of ours that was thought to have failed. */
type Pushed = { readonly is: 'pushed' } | { readonly is: 'moved'; readonly at: string | undefined }

export interface RemoteTiming {
  /** Before a failure is tried again. */
  readonly pausesMs: readonly number[]
  /** How long git may take for one fetch or push. */
  readonly limitMs: number
}

const localLimitMs = 120_000

/** Opens the remote of the repository that a folder is in. Nothing in that repository is written, nor anything fetched yet. */
export async function openRemote(folder: string, name: string, timing: RemoteTiming): Promise<Remote> {
  const { root, config } = await repositoryAround(folder)
  const url = config.findLast(([key]) => key === `remote.${name}.url`)?.[1]
  if (url === undefined) throw new ProblemError([gitNoRemote(name, remotesIn(config))])
  const where = `${name} (${withoutLogins(url)})`
  let own: Promise<string> | undefined
  const trees = new Map<string, ReadonlyMap<string, string>>()
  let drafts = 0
  let closed = false

  const ownFolder = (): Promise<string> => {
    own ??= ownRepository(config)
    return own
  }
  const local = async (args: readonly string[], stdin?: Buffer | string): Promise<Buffer> => {
    const said = await run(args, { stdin, limitMs: localLimitMs })
    if (said.code !== 0) throw new ProblemError([gitFailed(where, wordsOf(said))])
    return said.out
  }
  const run = async (args: readonly string[], { stdin, limitMs }: Pick<GitInput, 'stdin' | 'limitMs'>) => {
    const folder = await ownFolder()
    if (closed) throw new ProblemError([gitFailed(where, 'it was closed')])
    return started(args, { cwd: root, env: settingsFor(config, name, folder), stdin, limitMs })
  }
  /** Asks the remote; where that fails it is tried again, except where the remote says no. */
  const remotely = async (
    args: readonly string[],
    tries: 'once' | undefined,
    isDone = ({ code }: Said) => code === 0,
  ): Promise<Said> => {
    for (const pause of [...(tries === 'once' ? [] : timing.pausesMs), undefined]) {
      const said = await run(args, timing)
      if (isDone(said)) return said
      if (pause === undefined || isRefusal(said)) throw failure(where, said, 'fetch')
      await setTimeout(pause)
    }
    throw new Error('not reached')
  }
  const whereIs = async (ref: string, tries: 'once' | undefined): Promise<string | undefined> => {
    const { out } = await remotely(['ls-remote', name, ref], tries)
    const lines = out.toString('utf8').split('\n')
    return lines.map((line) => line.split('\t')).find(([, found]) => found === ref)?.[0]
  }

  return {
    where,
    fetch: async (refs) => {
      const quietly = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-gc', '--no-recurse-submodules']
      const fetched = await remotely(
        ['fetch', ...quietly, '--depth=1', '--prune', name, `+${refs}*:${refs}*`],
        undefined,
        // Where no ref is to be fetched it ends with 1, without a word.
        ({ code, err }) => code === 0 || (code === 1 && err === ''),
      )
      if (fetched.code === 1 && (await remotely(['ls-remote', name, `${refs}*`], undefined)).out.length > 0) {
        throw failure(where, fetched, 'fetch')
      }
      const folder = await ownFolder()
      const names = existsSync(join(folder, refs))
        ? readdirSync(join(folder, refs), { recursive: true, withFileTypes: true })
        : []
      // Nothing packs them there.
      const files = names.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
      return new Map(
        files.map((file): [string, string] => [
          relative(folder, file).replaceAll('\\', '/'),
          readFileSync(file, 'utf8').trim(),
        ]),
      )
    },
    files: async (commit) => {
      const known = trees.get(commit)
      if (known) return known
      const listed = await local(['ls-tree', '-r', '-z', '--full-tree', commit])
      const lines = listed.toString('utf8').split('\0').filter(Boolean)
      const files = new Map(lines.map((line) => [line.slice(line.indexOf('\t') + 1), line.split(/[ \t]/)[2] ?? '']))
      trees.set(commit, files)
      return files
    },
    read: async (blobs) =>
      blobs.length === 0 ? [] : textsIn(await local(['cat-file', '--batch'], `${blobs.join('\n')}\n`), blobs.length),
    commit: async (commit) => {
      drafts += 1
      const isAlone = commit.history === 'none' && commit.parent !== undefined
      const named = isAlone ? await local(['rev-parse', `${commit.parent}^{tree}`]) : undefined
      const start = { draft: drafts, tree: named?.toString('utf8').trim() }
      const said = await local(['fast-import', '--quiet', '--done', '--force'], importOf(commit, start))
      return said.toString('utf8').trim()
    },
    push: async (ref, { from, to }, tries) => {
      const lease = `--force-with-lease=${ref}:${from ?? ''}`
      const pauses = [...(tries === 'once' ? [] : timing.pausesMs), undefined]
      for (const pause of pauses) {
        const said = await run(['push', '--porcelain', '--no-verify', lease, name, `${to}:${ref}`], timing)
        if (said.code === 0) return { is: 'pushed' }
        // Whatever was said, or was lost on its way: the ref tells what has happened.
        const at = isRefusal(said) ? from : await whereIs(ref, tries).catch(() => from)
        if (at === to) return { is: 'pushed' }
        if (at !== from) return { is: 'moved', at }
        if (pause === undefined || isRefusal(said)) throw failure(where, said, 'push')
        await setTimeout(pause)
      }
      throw new Error('not reached')
    },
    close: () => {
      closed = true
      own?.then((folder) => rmSync(folder, { recursive: true, force: true })).catch(() => undefined)
    },
  }
}

type Config = readonly (readonly [key: string, value: string])[]

/** The top folder of the repository, and all settings that hold in it. */
async function repositoryAround(folder: string): Promise<{ readonly root: string; readonly config: Config }> {
  const input: GitInput = { cwd: folder, env: unset, limitMs: localLimitMs }
  const [version, place, list] = await Promise.all([
    started(['--version'], input),
    started(['rev-parse', '--show-cdup'], input),
    started(['config', '--list', '-z'], input),
  ])
  const says = version.out.toString('utf8').trim()
  if (isTooOld(says)) throw new ProblemError([gitTooOld(says)])
  if (place.code !== 0 || list.code !== 0) {
    throw new ProblemError([gitNoRepository(folder, wordsOf(place.code === 0 ? list : place))])
  }
  const entries = list.out.toString('utf8').split('\0').slice(0, -1)
  const config = entries.map((entry): [string, string] => {
    const end = entry.indexOf('\n')
    return end === -1 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)]
  })
  return { root: resolve(folder, place.out.toString('utf8').trim()), config }
}

/** Since 2.32 settings may come from variables alone. */
function isTooOld(says: string): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(says) ?? []
  return Number(major) < 2 || (Number(major) === 2 && Number(minor) < 32)
}

const remotesIn = (config: Config): readonly string[] => [
  ...new Set(config.flatMap(([key]) => /^remote\.(.+)\.url$/.exec(key)?.[1] ?? [])),
]

/**
 * A repository of our own, without a working tree: to fetch one commit into the user's would make that one shallow, and what is
 * fetched and made there would stay.
 */
async function ownRepository(config: Config): Promise<string> {
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
  return folder
}

/** The machine is part of the name: other containers may work in the same folder. */
const ownStart = (): string => `gatewright-git-${machineMark()}-`

/** Removes what killed processes have left. */
function sweep(folder: string): void {
  const start = ownStart()
  for (const name of readdirSync(folder)) {
    const [, writer] = name.startsWith(start) ? (/^(\d+)-/.exec(name.slice(start.length)) ?? []) : []
    if (writer === undefined || processExists(Number(writer))) continue
    rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/**
 * The user's settings that lead to the remote, as they hold in the user's repository: logins of CI systems are written there,
 * some of them for that folder alone. In variables, not in a file: they hold tokens. Hooks are left out.
 */
function settingsFor(config: Config, name: string, folder: string): Record<string, string | undefined> {
  const ways = /^(http|https|credential|url|ssh|protocol|safe)\.|^core\.(sshcommand|askpass|gitproxy)$/
  const ofRemote = /^(url|pushurl|proxy|proxyauthmethod|uploadpack|receivepack|vcs)$/
  const start = `remote.${name}.`
  const kept = config.filter(
    ([key]) => ways.test(key) || (key.startsWith(start) && ofRemote.test(key.slice(start.length))),
  )
  const hasSsh = kept.some(([key]) => key === 'core.sshcommand')
  const all: Config = [
    ...(hasSsh ? [] : [['core.sshcommand', 'ssh -o BatchMode=yes -o ConnectTimeout=15'] as const]),
    ...kept,
    ['core.hookspath', join(folder, 'none')],
  ]
  return {
    ...Object.fromEntries(all.map(([key], index) => [`GIT_CONFIG_KEY_${index}`, key])),
    ...Object.fromEntries(all.map(([, value], index) => [`GIT_CONFIG_VALUE_${index}`, value])),
    GIT_CONFIG_COUNT: String(all.length),
    GIT_CONFIG_PARAMETERS: undefined,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: join(folder, 'none'),
    ...unset,
    GIT_DIR: folder,
    GIT_WORK_TREE: undefined,
    GIT_COMMON_DIR: undefined,
  }
}

/** Set by git for its hooks: whoever calls us from one means the repository, and not what the hook is about. */
const unset: Readonly<Record<string, undefined>> = {
  GIT_INDEX_FILE: undefined,
  GIT_OBJECT_DIRECTORY: undefined,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: undefined,
  GIT_QUARANTINE_PATH: undefined,
  GIT_NAMESPACE: undefined,
  GIT_SHALLOW_FILE: undefined,
}

async function started(args: readonly string[], input: GitInput): Promise<Said> {
  try {
    return await git(args, input)
  } catch (cause) {
    throw new ProblemError([gitMissing(codeOf(cause))], { cause })
  }
}

/** The input of fast-import for one commit, on a tree or on its parent; its answer is the commit's name. */
function importOf(
  { parent, files, message }: NewCommit,
  { draft, tree }: { readonly draft: number; readonly tree: string | undefined },
): Buffer {
  const seconds = Math.floor(Date.now() / 1000)
  const parts: Buffer[] = []
  const line = (text: string): void => {
    parts.push(Buffer.from(`${text}\n`))
  }
  const bytes = (text: string): void => {
    const content = Buffer.from(text)
    line(`data ${content.length}`)
    parts.push(content, Buffer.from('\n'))
  }
  line(`commit refs/drafts/${draft}`)
  line('mark :1')
  line(`committer gatewright <gatewright@localhost> ${seconds} +0000`)
  bytes(message)
  if (tree !== undefined) line(`M 040000 ${tree} ""`)
  else if (parent !== undefined) line(`from ${parent}`)
  for (const [path, text] of files) {
    if (text === undefined) line(`D ${path}`)
    else {
      line(`M 100644 inline ${path}`)
      bytes(text)
    }
  }
  line('')
  line('get-mark :1')
  line('done')
  return Buffer.concat(parts)
}

/** The answers of `cat-file --batch`: `NAME blob SIZE`, the bytes, a line end. */
function textsIn(answer: Buffer, count: number): readonly string[] {
  const texts: string[] = []
  let at = 0
  for (let index = 0; index < count; index += 1) {
    const end = answer.indexOf(10, at)
    const size = Number(answer.subarray(at, end).toString('utf8').split(' ')[2])
    if (!Number.isInteger(size)) throw new Error(`git has no ${answer.subarray(at, end).toString('utf8')}`)
    texts.push(answer.subarray(end + 1, end + 1 + size).toString('utf8'))
    at = end + 1 + size + 1
  }
  return texts
}

/** The remote has understood and says no: to ask again changes nothing. Names and addresses may be words of any kind. */
const isRefusal = (said: Said): boolean =>
  /hook declined|denied|forbidden|\b40[13]\b|not allowed|not permitted|prohibited|protected|authentication failed|could not read (username|password)|\bdeny|hidden ref/i.test(
    linesOf(said)
      .join('\n')
      .replaceAll(/'[^']*'|\S+:\/\/\S+/g, ''),
  )

function failure(where: string, said: Said, doing: 'fetch' | 'push'): ProblemError {
  const words = wordsOf(said)
  return new ProblemError([isRefusal(said) ? gitRefused(where, words, doing) : gitFailed(where, words)])
}

/** What git, or the host through it, had to say, in one line. */
function wordsOf(said: Said): string {
  if (said.code === undefined) return 'git did not answer in time'
  const words = linesOf(said).join('; ')
  return words === '' ? `git ended with exit code ${said.code}` : words.slice(0, 400)
}

/** The lines that tell something: what git said, and why a ref was rejected (the third column of a push's answer). */
function linesOf({ err, out }: Said): readonly string[] {
  const rejected = out
    .toString('utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? (line.split('\t')[2] ?? []) : []))
  const lines = err.split('\n').map((line) => line.replace(/^((fatal|error|remote): +)+/, '').trim())
  const telling = lines.filter((line) => !/^(hint:.*|To .*|Done|failed to push some refs .*|)$/.test(line))
  return [...new Set([...telling, ...rejected].map(withoutLogins))]
}
