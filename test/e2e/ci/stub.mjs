#!/usr/bin/env node
/**
 * `gh`, `curl` and `npm` as the workflows call them, by the name that they are called by. GitHub and GitLab are a JSON file of
 * comments and issues (STUB_STATE); what is there of the program's package is a folder of modules (STUB_MODULES).
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'

const args = process.argv.slice(2)
const { STUB_STATE, STUB_MODULES } = process.env
const state = () => JSON.parse(readFileSync(STUB_STATE, 'utf8'))
const fail = (reason) => {
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}

/** The words after an option, wherever it stands. */
const after = (option) => args.flatMap((word, index) => (args[index - 1] === option ? [word] : []))

/** `name=value`, `name=@file`, and curl's `name@file`. */
const fields = (options) =>
  Object.fromEntries(
    options.flatMap(after).map((field) => {
      const [, name, sign, value] = /^(\w+)(=@|@|=)(.*)$/s.exec(field) ?? fail(`no field: ${field}`)
      return [name, sign === '=' ? value : readFileSync(value, 'utf8')]
    }),
  )

function change(list, id, key, set) {
  const all = state()
  const found = all[list].find((each) => each[key] === id)
  if (id !== undefined && !found) fail(`HTTP 404: no ${list} ${id}`)
  if (found) Object.assign(found, set)
  else all[list].push({ [key]: 100 + all[list].length, state: 'open', user: { type: 'Bot' }, ...set })
  writeFileSync(STUB_STATE, JSON.stringify(all))
}

/** With jq if it is here, as gh has it built in; else the one selection that the workflows make. */
function filtered(list, filter) {
  const { error, status, stdout, stderr } = spawnSync('jq', ['-r', filter], {
    input: JSON.stringify(list),
    encoding: 'utf8',
  })
  if (!error) return status === 0 ? stdout : fail(stderr)
  const [, word = '', key] = /startswith\((.*?)\).*\| \.(\w+)$/.exec(filter) ?? fail(`unknown filter: ${filter}`)
  const marker = word === 'env.MARKER' ? process.env.MARKER : JSON.parse(word)
  return list
    .filter(({ user, body }) => user.type === 'Bot' && (body ?? '').startsWith(marker))
    .map((each) => `${each[key]}\n`)
    .join('')
}

const stubs = {
  gh: () => {
    if (!process.env.GH_TOKEN)
      fail('gh: To use GitHub CLI in a GitHub Actions workflow, set the GH_TOKEN environment variable.')
    const [path = ''] = args.filter((word) => word.startsWith('repos/'))
    const [method = 'GET'] = after('--method')
    const set = fields(['-F', '-f'])
    if ((set.body ?? '').length > 65_536) fail('HTTP 422: body is too long (maximum is 65536 characters)')
    const [, list, id] =
      /^repos\/acme\/shop\/issues(?:\/\d+)?\/(comments)(?:\/(\d+))?(?:\?.*)?$/.exec(path) ??
      /^repos\/acme\/shop\/(issues)(?:\/(\d+))?(?:\?.*)?$/.exec(path) ??
      fail(`HTTP 404: ${path}`)
    const key = list === 'issues' ? 'number' : 'id'
    const [filter = '.'] = after('--jq')
    if (method === 'GET')
      process.stdout.write(
        filtered(
          state()[list].filter(({ state }) => state === 'open'),
          filter,
        ),
      )
    else change(list, id === undefined ? undefined : Number(id), key, set)
  },
  curl: () => {
    if (!after('--header').includes('PRIVATE-TOKEN: gitlab-token'))
      fail('curl: (22) The requested URL returned error: 401')
    const [url = ''] = args.filter((word) => word.startsWith('https://'))
    const [method = 'GET'] = after('--request')
    const [, id] =
      /^https:\/\/gitlab\.example\/api\/v4\/projects\/7\/merge_requests\/3\/notes(?:\/(\d+))?(?:\?.*)?$/.exec(url) ??
      fail(`curl: (22) The requested URL returned error: 404: ${url}`)
    if (method === 'GET') process.stdout.write(JSON.stringify(state().comments))
    else change('comments', id === undefined ? undefined : Number(id), 'id', fields(['--data-urlencode']))
  },
  npm: () => {
    const { version } = JSON.parse(readFileSync(`${STUB_MODULES}/gatewright/package.json`, 'utf8'))
    if (args[0] === 'install') {
      if (args.at(-1) !== `gatewright@${version}`) fail(`npm error no such version: ${args.at(-1)}`)
      const [folder = '.'] = after('--prefix')
      mkdirSync(folder, { recursive: true })
      symlinkSync(STUB_MODULES, `${folder}/node_modules`)
      return
    }
    if (args[0] !== 'ci') fail(`npm: unknown command ${args[0]}`)
    if (!existsSync('package-lock.json'))
      fail('npm error The `npm ci` command can only install with an existing package-lock.json')
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
    if (devDependencies.gatewright !== version)
      fail(`npm error no such version: gatewright@${devDependencies.gatewright}`)
    symlinkSync(STUB_MODULES, 'node_modules')
  },
}

stubs[basename(process.argv[1])]()
