import { parseJson } from '../../json/json.js'
import { gitFailed, gitRecordsDamaged, gitRecordsNoCommit, gitRecordsOutOfPlace } from '../../problems/git-records.js'
import { ProblemError } from '../../problems/problem.js'
import { recordsFormatTooNew } from '../../problems/records.js'
import { type Grouped, grouped } from '../grouped.js'
import { nameAndEnvironment, type ProjectKey } from '../record.js'
import { isMap, isProjectKey } from '../shape.js'
import type { AreaView } from './area.js'
import { projectFile, projectRef } from './layout.js'
import type { Remote } from './repository.js'

/** The files of one project's records at one commit. */
export interface Pages {
  readonly paths: readonly string[]
  /** The texts of files, in their order; empty if a file does not exist. */
  readonly read: (paths: readonly string[]) => Promise<readonly string[]>
  /** The values in the lines of a file. Throws a ProblemError that names the first line with another value. */
  readonly lines: <Value>(path: string, text: string, is: TypeGuard<Value>) => readonly Value[]
  /** The value of a file with one line. Throws the same error, also if there is no line. */
  readonly line: <Value>(path: string, text: string, is: TypeGuard<Value>) => Value
}

type TypeGuard<Value> = (value: unknown) => value is Value

/** A write on top of the current content. Its files are asked for again if somebody else was faster. */
interface BookWrite {
  /** New texts by path; undefined removes a file. */
  readonly files: (pages: Pages) => Promise<Changed>
  /** Called when the files that were returned last are at the remote. */
  readonly done?: () => void
  readonly message: string
  /** The ref loses its history except for this commit, if the host allows that. */
  readonly history?: 'removed'
}

export type Changed = ReadonlyMap<string, string | undefined>

/** The records of one project: one ref, moved by commits. */
export interface Book {
  readonly pages: () => Promise<Pages>
  /** Resolves when the write is at the remote. Writes during a push go together into the next push. */
  readonly write: (writing: BookWrite) => Promise<void>
  readonly finished: () => Promise<void>
}

const format = 'gatewright.records/1'

export function bookOf(remote: Remote, area: AreaView, ref: string, key: ProjectKey): Book {
  const writeOn = async (writings: readonly BookWrite[], from: string | undefined): Promise<Changed> => {
    const files = new Map<string, string | undefined>()
    if (from === undefined) files.set(projectFile, `${JSON.stringify({ format, key })}\n`)
    const pages = await pagesAt(remote, ref, from)
    for (const writing of writings) {
      for (const [path, text] of await writing.files(withFiles(pages, files))) files.set(path, text)
    }
    return files
  }
  const pushAlone = async (commit: Parameters<Remote['commit']>[0], from: string | undefined) => {
    const to = await remote.commit({ ...commit, history: 'none' })
    return { to, pushed: await remote.push(ref, { from, to }) }
  }
  const writes: Grouped<BookWrite> = grouped(async (writings) => {
    let refs = await area.now()
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const from = refs.get(ref)
      const files = await writeOn(writings, from)
      if (files.size === 0) return
      const message = [...new Set(writings.map((writing) => writing.message))].join('; ')
      const commit = { parent: from, files, message }
      const isAlone = writings.some(({ history }) => history === 'removed')
      const alone = isAlone && (await pushAlone(commit, from).catch(unlessRefused))
      const to = alone ? alone.to : await remote.commit(commit)
      const pushed = alone ? alone.pushed : await remote.push(ref, { from, to })
      if (pushed.is === 'pushed') {
        area.moved(ref, to)
        for (const { done } of writings) done?.()
        return
      }
      refs = await area.fetch()
    }
    throw new ProblemError([gitFailed(remote.where, `others move ${ref} all the time`)])
  })
  return {
    pages: async () => pagesAt(remote, ref, (await area.now()).get(ref)),
    write: (writing) => writes.add(writing),
    finished: () => writes.finished(),
  }
}

const attempts = 20

/** Some hosts accept only a commit that follows the one before it. */
function unlessRefused(error: unknown): undefined {
  const isRefused = error instanceof ProblemError && error.problems.some(({ code }) => code === 'git-refused')
  if (!isRefused) throw error
}

/** The pages of any project's ref. Throws a ProblemError if they are not what this program writes. */
export async function pagesAt(remote: Remote, ref: string, commit: string | undefined): Promise<Pages> {
  const files = commit === undefined ? new Map<string, string>() : await remote.files(commit)
  if (!files) throw new ProblemError([gitRecordsNoCommit(remote.where, ref)])
  const damaged = (path: string, line: number) => new ProblemError([gitRecordsDamaged(remote.where, ref, path, line)])
  const readAs = <Value>(path: string, text: string, number: number, is: TypeGuard<Value>): Value => {
    const value = parseJson(text)
    if (is(value)) return value
    throw damaged(path, number)
  }
  const pages: Pages = {
    paths: [...files.keys()],
    read: async (paths) => {
      const blobs = paths.flatMap((path) => files.get(path) ?? [])
      const texts = [...(await remote.read(blobs))]
      return paths.map((path) => (files.has(path) ? (texts.shift() ?? '') : ''))
    },
    lines: (path, text, is) =>
      text.split('\n').flatMap((line, index) => (line === '' ? [] : [readAs(path, line, index + 1, is)])),
    line: (path, text, is) => readAs(path, text, 1, is),
  }
  if (commit === undefined) return pages
  const [text = ''] = await pages.read([projectFile])
  const head = pages.line(projectFile, text, isHead)
  if (head.format !== format)
    throw new ProblemError([recordsFormatTooNew(`the git remote ${remote.where}`, head.format)])
  if (projectRef(head.key) !== ref) {
    const writtenFor = { ...head.key, ...nameAndEnvironment(head.key) }
    throw new ProblemError([gitRecordsOutOfPlace(remote.where, ref, writtenFor)])
  }
  return pages
}

const isHead = (value: unknown): value is { readonly format: string; readonly key: ProjectKey } =>
  isMap(value) && typeof value.format === 'string' && isProjectKey(value.key)

/** The pages with files that are not written yet. */
function withFiles(pages: Pages, files: Changed): Pages {
  const left = pages.paths.filter((path) => !files.has(path))
  const added = [...files].flatMap(([path, text]) => (text === undefined ? [] : [path]))
  return {
    ...pages,
    paths: [...left, ...added],
    read: async (paths) => {
      const texts = [...(await pages.read(paths.filter((path) => !files.has(path))))]
      return paths.map((path) => (files.has(path) ? (files.get(path) ?? '') : (texts.shift() ?? '')))
    },
  }
}
