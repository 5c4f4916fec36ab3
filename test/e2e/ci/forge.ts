import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Call, Served } from './served.js'

/**
 * `gh`, `curl` and `npm` as the workflows call them. GitHub and GitLab are two lists; the program's package is a folder of
 * modules.
 */

export interface Entry {
  /** For a comment. */
  readonly id?: number
  /** For an issue. */
  readonly number?: number
  readonly state: string
  /** On GitHub: a bot, or a person with a login. */
  readonly user?: { readonly type: string; readonly login: string }
  /** On GitLab. */
  readonly author?: { readonly id: number }
  readonly title?: string
  readonly body?: string
}

/** The data of GitHub and GitLab. */
export interface Forge {
  comments: readonly Entry[]
  issues: readonly Entry[]
}

export function forgePrograms(forge: Forge, modules: string): Readonly<Record<string, Served>> {
  const served =
    (program: (call: Call) => string): Served =>
    (call) => {
      try {
        return Promise.resolve({ code: 0, stdout: program(call), stderr: '' })
      } catch (error) {
        if (!(error instanceof Failed)) throw error
        return Promise.resolve({ code: 1, stdout: '', stderr: `${error.message}\n` })
      }
    }
  return {
    gh: served((call) => gh(forge, call)),
    curl: served((call) => curl(forge, call)),
    npm: served((call) => npm(modules, call)),
  }
}

class Failed extends Error {}

const fail = (reason: string): never => {
  throw new Failed(reason)
}

function gh(forge: Forge, call: Call): string {
  if (!call.env.GH_TOKEN)
    fail('gh: To use GitHub CLI in a GitHub Actions workflow, set the GH_TOKEN environment variable.')
  const isWorkflow = call.env.GH_TOKEN === 'github-token'
  if (call.args.includes('user')) return isWorkflow ? fail('gh: Resource not accessible (HTTP 403)') : 'robot\n'
  const user = isWorkflow ? { type: 'Bot', login: 'github-actions[bot]' } : { type: 'User', login: 'robot' }
  const [path = ''] = call.args.filter((word) => word.startsWith('repos/'))
  const [method = 'GET'] = after(call, '--method')
  const set = fields(call, ['-F', '-f'])
  if ((set.body ?? '').length > 65_536) fail('HTTP 422: body is too long (maximum is 65536 characters)')
  const [, list, id] =
    /^repos\/acme\/shop\/issues(?:\/\d+)?\/(comments)(?:\/(\d+))?(?:\?.*)?$/.exec(path) ??
    /^repos\/acme\/shop\/(issues)(?:\/(\d+))?(?:\?.*)?$/.exec(path) ??
    fail(`HTTP 404: ${path}`)
  const name = list === 'issues' ? 'issues' : 'comments'
  const [filter = '.'] = after(call, '--jq')
  if (method === 'GET')
    return filtered(
      forge[name].filter(({ state }) => state === 'open'),
      filter,
      call.env,
    )
  change(forge, name, id, { user, ...set })
  return ''
}

function curl(forge: Forge, call: Call): string {
  if (!after(call, '--header').includes('PRIVATE-TOKEN: gitlab-token'))
    fail('curl: (22) The requested URL returned error: 401')
  const [url = ''] = call.args.filter((word) => word.startsWith('https://'))
  const [method = 'GET'] = after(call, '--request')
  if (url === 'https://gitlab.example/api/v4/user') return '{"id":42}'
  const [, id, query] =
    /^https:\/\/gitlab\.example\/api\/v4\/projects\/7\/merge_requests\/3\/notes(?:\/(\d+))?(?:\?(.*))?$/.exec(url) ??
    fail(`curl: (22) The requested URL returned error: 404: ${url}`)
  const notes = forge.comments.filter(({ author }) => author)
  if (method === 'GET') return JSON.stringify(pageOf(notes, new URLSearchParams(query)))
  const isOwn = id === undefined || notes.some((each) => each.id === Number(id) && each.author?.id === 42)
  if (!isOwn) fail('curl: (22) The requested URL returned error: 403')
  change(forge, 'comments', id, { author: { id: 42 }, ...fields(call, ['--data-urlencode']) })
  return ''
}

/** GitLab has at most 100 entries on a page, and 20 if nothing else is requested. */
function pageOf(list: readonly Entry[], query: URLSearchParams): readonly Entry[] {
  const size = Math.min(Number(query.get('per_page') ?? 20), 100)
  const start = (Number(query.get('page') ?? 1) - 1) * size
  return list.slice(start, start + size)
}

function npm(modules: string, call: Call): string {
  const { args, cwd } = call
  const { version } = readJson(join(modules, 'gatewright/package.json')) as { readonly version: string }
  if (args[0] === 'install') {
    if (args.at(-1) !== `gatewright@${version}`) fail(`npm error no such version: ${args.at(-1)}`)
    const [folder = '.'] = after(call, '--prefix')
    mkdirSync(resolve(cwd, folder), { recursive: true })
    symlinkSync(modules, join(resolve(cwd, folder), 'node_modules'))
    return ''
  }
  if (args[0] !== 'ci') fail(`npm: unknown command ${args[0]}`)
  if (!existsSync(join(cwd, 'package-lock.json')))
    fail('npm error The `npm ci` command can only install with an existing package-lock.json')
  const { devDependencies } = readJson(join(cwd, 'package.json')) as {
    readonly devDependencies: Readonly<Record<string, string>>
  }
  if (devDependencies.gatewright !== version)
    fail(`npm error no such version: gatewright@${devDependencies.gatewright}`)
  symlinkSync(modules, join(cwd, 'node_modules'))
  return ''
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))

/** The words after an option, wherever it is. */
const after = ({ args }: Call, option: string): readonly string[] =>
  args.flatMap((word, index) => (args[index - 1] === option ? [word] : []))

/** `name=value`, `name=@file`, and curl's `name@file`. */
const fields = (call: Call, options: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    options
      .flatMap((option) => after(call, option))
      .map((field) => {
        const [, name = '', sign, value = ''] = /^(\w+)(=@|@|=)(.*)$/s.exec(field) ?? fail(`no field: ${field}`)
        return [name, sign === '=' ? value : readFileSync(resolve(call.cwd, value), 'utf8')]
      }),
  )

function change(forge: Forge, list: 'comments' | 'issues', id: string | undefined, set: Partial<Entry>): void {
  const key = list === 'issues' ? 'number' : 'id'
  const all = forge[list]
  if (id === undefined) {
    forge[list] = [...all, { [key]: 100 + all.length, state: 'open', ...set }]
    return
  }
  if (!all.some((each) => each[key] === Number(id))) fail(`HTTP 404: no ${list} ${id}`)
  forge[list] = all.map((each) => (each[key] === Number(id) ? { ...each, ...set } : each))
}

/** With jq if it is installed, as gh has it built in; otherwise only the one filter of the workflows. */
function filtered(list: readonly Entry[], filter: string, env: Readonly<Record<string, string>>): string {
  const input = JSON.stringify(list)
  const { error, status, stdout, stderr } = spawnSync('jq', ['-r', filter], { input, encoding: 'utf8', env })
  if (!error) return status === 0 ? stdout : fail(stderr)
  const [, word = '', key] = /startswith\((.*?)\).*\| \.(id|number)$/.exec(filter) ?? fail(`unknown filter: ${filter}`)
  const marker = word === 'env.MARKER' ? (env.MARKER ?? '') : String(JSON.parse(word))
  return list
    .filter(({ user }) => user?.type === 'Bot' || (filter.includes('env.LOGIN') && user?.login === env.LOGIN))
    .filter(({ body }) => (body ?? '').startsWith(marker))
    .map((each) => `${each[key === 'id' ? 'id' : 'number']}\n`)
    .join('')
}
