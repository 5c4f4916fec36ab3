import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gitFailed, gitNoRemote } from '../../problems/git-records.js'
import { ProblemError } from '../../problems/problem.js'
import { localLimitMs, ownRepository, remotesIn, repositoryAround, settingsFor, started } from './clone.js'
import { type GitInput, type GitResult, withoutLogins } from './program.js'
import { gitFailure, gitWords, isGitRefusal } from './words.js'

/** The remote of a repository, and what was fetched from it. Every error is a ProblemError that shows no login. */
export interface Remote {
  /** Its name, and its address without the login. */
  readonly where: string
  /** Fetches the refs below `refs/…/`; returns the commit of each ref. */
  readonly fetch: (refs: string) => Promise<ReadonlyMap<string, string>>
  /** The files of a commit that was fetched or created here: path to blob. undefined if it is not a commit. */
  readonly files: (commit: string) => Promise<TreeFiles | undefined>
  /** The texts of blobs, in their order. */
  readonly read: (blobs: readonly string[]) => Promise<readonly string[]>
  /** Creates a commit, which is not pushed yet. */
  readonly commit: (commit: NewCommit) => Promise<string>
  /**
   * Moves a ref of the remote from one commit to another, if it is at the first. `tries`: `once` if a failure must not be tried
   * again.
   */
  readonly push: (ref: string, move: RefMove, tries?: 'once') => Promise<Pushed>
  readonly close: () => void
}

type TreeFiles = ReadonlyMap<string, string>

interface NewCommit {
  readonly parent: string | undefined
  /** The differences from the parent: new texts; undefined removes a file, or a folder. */
  readonly files: ReadonlyMap<string, string | undefined>
  readonly message: string
  /** `none`: the commit has the files of the parent, but does not follow it. */
  readonly history?: 'none'
}

interface RefMove {
  /** undefined: the ref does not exist yet. */
  readonly from: string | undefined
  readonly to: string
}

/** `moved`: the ref is at another commit. Somebody else has pushed it, or a push of ours that seemed to have failed. */
type Pushed = { readonly is: 'pushed' } | { readonly is: 'moved'; readonly at: string | undefined }

export interface RemoteTiming {
  /** The pauses before a failure is tried again. */
  readonly pausesMs: readonly number[]
  /** How long git may take for one fetch or push. */
  readonly limitMs: number
}

/** Opens the remote of the repository that contains a folder. It writes nothing in that repository, and fetches nothing yet. */
export async function openRemote(folder: string, name: string, timing: RemoteTiming): Promise<Remote> {
  const { root, config } = await repositoryAround(folder)
  const url = config.findLast(([key]) => key === `remote.${name}.url`)?.[1]
  if (url === undefined) throw new ProblemError([gitNoRemote(name, remotesIn(config))])
  return new OpenRemote({ root, config, name, where: `${name} (${withoutLogins(url)})`, timing })
}

interface RemoteInput extends Pick<Remote, 'where'>, Awaited<ReturnType<typeof repositoryAround>> {
  readonly name: string
  readonly timing: RemoteTiming
}

/**
 * Everything that is fetched or created is in a repository of our own. It is created when it is first needed, and removed at the
 * end.
 */
class OpenRemote implements Remote {
  readonly where: string
  readonly #input: RemoteInput
  /** Two calls may ask for the same tree at the same time. */
  readonly #trees = new Map<string, Promise<TreeFiles | undefined>>()
  /** Small texts, such as the project of the records, which every commit has. They are read only once: a blob never changes. */
  readonly #small = new Map<string, string>()
  #own: Promise<string> | undefined
  #drafts = 0
  #closed = false

  constructor(input: RemoteInput) {
    this.where = input.where
    this.#input = input
  }

  async fetch(refs: string): Promise<ReadonlyMap<string, string>> {
    const quietly = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-gc', '--no-recurse-submodules']
    const { name } = this.#input
    const fetchOnce = () =>
      this.#remotely(
        ['fetch', ...quietly, '--depth=1', '--prune', name, `+${refs}*:${refs}*`],
        undefined,
        // If there is no ref to fetch, git ends with 1 and without a message.
        ({ code }) => code === 0 || code === 1,
      )
    const hasRefs = async () => (await this.#remotely(['ls-remote', name, `${refs}*`], undefined)).out.length > 0
    // Another runner may create the first ref in between: the next fetch finds it.
    for (let left = 3; (await fetchOnce()).code !== 0 && (await hasRefs()); left -= 1) {
      if (left === 0) throw gitFailure(this.where, await fetchOnce(), 'fetch')
    }
    return refsIn(await this.#ownFolder(), refs)
  }

  files(commit: string): Promise<TreeFiles | undefined> {
    const known = this.#trees.get(commit)
    if (known) return known
    const listing = this.#filesIn(commit)
    this.#trees.set(commit, listing)
    listing.catch(() => this.#trees.delete(commit))
    return listing
  }

  async #filesIn(commit: string): Promise<TreeFiles | undefined> {
    const listed = await this.#run(['ls-tree', '-r', '-z', '--full-tree', `${commit}^{commit}`], {
      limitMs: localLimitMs,
    })
    if (listed.code !== 0) {
      const type = await this.#locally(['cat-file', '-t', `${commit}^{}`])
      if (type.toString('utf8').trim() !== 'commit') return undefined
      throw new ProblemError([gitFailed(this.where, gitWords(listed))])
    }
    const lines = listed.out.toString('utf8').split('\0').filter(Boolean)
    return new Map(lines.map((line) => [line.slice(line.indexOf('\t') + 1), line.split(/[ \t]/)[2] ?? '']))
  }

  async read(blobs: readonly string[]): Promise<readonly string[]> {
    const requested = blobs.filter((blob) => !this.#small.has(blob))
    if (requested.length === 0) return blobs.map((blob) => this.#small.get(blob) ?? '')
    const texts = textsInAnswer(
      await this.#locally(['cat-file', '--batch'], `${requested.join('\n')}\n`),
      requested.length,
    )
    if (!texts) throw new ProblemError([gitFailed(this.where, 'git does not give what it has fetched')])
    const found = new Map(requested.map((blob, index) => [blob, texts[index] ?? '']))
    for (const [blob, text] of found) if (text.length <= smallText) this.#small.set(blob, text)
    return blobs.map((blob) => found.get(blob) ?? this.#small.get(blob) ?? '')
  }

  async commit(commit: NewCommit): Promise<string> {
    this.#drafts += 1
    const draft = this.#drafts
    const isAlone = commit.history === 'none' && commit.parent !== undefined
    const named = isAlone ? await this.#locally(['rev-parse', `${commit.parent}^{tree}`]) : undefined
    const start = { draft, tree: named?.toString('utf8').trim() }
    const result = await this.#locally(['fast-import', '--quiet', '--done', '--force'], importOf(commit, start))
    return result.toString('utf8').trim()
  }

  async push(ref: string, { from, to }: RefMove, tries?: 'once'): Promise<Pushed> {
    const { name, timing } = this.#input
    const lease = `--force-with-lease=${ref}:${from ?? ''}`
    for (const pause of this.#pauses(tries)) {
      const result = await this.#run(['push', '--porcelain', '--no-verify', lease, name, `${to}:${ref}`], timing)
      if (result.code === 0) return { is: 'pushed' }
      // The ref shows what has happened, whatever git reported, and even if the answer was lost. Servers may warn strangers in
      // words that look like a refusal.
      const at = await this.#whereIs(ref, tries).catch(() => from)
      if (at === to) return { is: 'pushed' }
      if (at !== from) return { is: 'moved', at }
      if (pause === undefined || isGitRefusal(result)) throw gitFailure(this.where, result, 'push')
      await setTimeout(pause)
    }
    throw new Error('not reached')
  }

  close(): void {
    this.#closed = true
    this.#own?.then((folder) => rmSync(folder, { recursive: true, force: true })).catch(() => undefined)
  }

  #ownFolder(): Promise<string> {
    this.#own ??= ownRepository(this.#input.config)
    return this.#own
  }

  /** The pause before each further try; undefined after the last one. */
  #pauses(tries: 'once' | undefined): readonly (number | undefined)[] {
    return [...(tries === 'once' ? [] : this.#input.timing.pausesMs), undefined]
  }

  async #whereIs(ref: string, tries: 'once' | undefined): Promise<string | undefined> {
    const { out } = await this.#remotely(['ls-remote', this.#input.name, ref], tries)
    const lines = out.toString('utf8').split('\n')
    return lines.map((line) => line.split('\t')).find(([, found]) => found === ref)?.[0]
  }

  /** Contacts the remote; a failure is tried again, except a refusal. */
  async #remotely(
    args: readonly string[],
    tries: 'once' | undefined,
    isDone = ({ code }: GitResult) => code === 0,
  ): Promise<GitResult> {
    for (const pause of this.#pauses(tries)) {
      const result = await this.#run(args, this.#input.timing)
      if (isDone(result)) return result
      if (pause === undefined || isGitRefusal(result)) throw gitFailure(this.where, result, 'fetch')
      await setTimeout(pause)
    }
    throw new Error('not reached')
  }

  async #locally(args: readonly string[], stdin?: Buffer | string): Promise<Buffer> {
    const result = await this.#run(args, { stdin, limitMs: localLimitMs })
    if (result.code !== 0) throw new ProblemError([gitFailed(this.where, gitWords(result))])
    return result.out
  }

  async #run(args: readonly string[], { stdin, limitMs }: Pick<GitInput, 'stdin' | 'limitMs'>): Promise<GitResult> {
    const { root, config, name } = this.#input
    const folder = await this.#ownFolder()
    if (this.#closed) throw new ProblemError([gitFailed(this.where, 'it was closed')])
    return started(args, { cwd: root, env: settingsFor(config, name, folder), stdin, limitMs })
  }
}

const smallText = 1_000

/** The refs of a repository without packed refs, and their commits. */
function refsIn(folder: string, refs: string): ReadonlyMap<string, string> {
  const names = existsSync(join(folder, refs))
    ? readdirSync(join(folder, refs), { recursive: true, withFileTypes: true })
    : []
  const files = names.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
  return new Map(
    files.map((file): [string, string] => [
      relative(folder, file).replaceAll('\\', '/'),
      readFileSync(file, 'utf8').trim(),
    ]),
  )
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

/** The answers of `cat-file --batch`: `NAME blob SIZE`, the bytes, a line end. undefined if the answer has another form. */
function textsInAnswer(answer: Buffer, count: number): readonly string[] | undefined {
  const texts: string[] = []
  let at = 0
  for (let index = 0; index < count; index += 1) {
    const end = answer.indexOf(10, at)
    const size = Number(answer.subarray(at, end).toString('utf8').split(' ')[2])
    if (!Number.isInteger(size) || end === -1 || end + 1 + size >= answer.length) return undefined
    texts.push(answer.subarray(end + 1, end + 1 + size).toString('utf8'))
    at = end + 1 + size + 1
  }
  return texts
}
