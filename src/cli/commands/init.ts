import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { nodeFiles } from '../../manifest/files.js'
import { badUsage, ProblemError } from '../../problem.js'
import { initJson, initText, type WrittenFile } from '../../report/init.js'
import { coloursFor } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import { projectOf } from '../live-area.js'
import type { InitOptions } from '../options.js'
import { asking } from '../question.js'
import { accessOf, checkedUrl } from '../settings.js'
import { type Answers, ignoredFiles, type StarterFile, starterFiles } from '../starter/starter-files.js'
import { workflowVariables } from '../starter/workflows.js'
import { programVersion } from '../version.js'
import { writeWhole } from '../write-file.js'

/** `init`: a project to start from. On a terminal it asks what the flags do not say; files that are there are kept. */
export async function initCommand(given: InitOptions, io: Io): Promise<number> {
  const folder = resolve(io.cwd, given.directory)
  const answers = await answersOf(given, folder, io)
  if (answers === 'interrupted') return exit.interrupted
  const options = { ...given, url: answers.url, area: answers.area }
  // What an export cannot do without is asked for before anything is written.
  if (answers.content === 'export') accessOf(projectOf(options, io), options, io)
  const files = [...starterFiles(answers).map((file) => written(file, folder, io)), ignored(folder)]
  const exported = answers.content === 'export' ? await exportedArea(options, io) : undefined
  const variables = answers.ci === 'none' ? [] : workflowVariables
  const report = { files, directory: options.directory, variables, exported: exported?.output }
  io.stdout.write(
    options.output === 'json'
      ? initJson(report).output
      : initText(report, { colours: coloursFor(io.stdout, options, io) }).output,
  )
  return exported?.exitCode ?? exit.done
}

/** Runs `export` into the new project; what it would print is kept, to stand in one answer with the rest. */
async function exportedArea(options: InitOptions, io: Io): Promise<{ exitCode: number; output: string }> {
  const { exportCommand } = await import('./export.js')
  let output = ''
  const stdout = { isTTY: io.stdout.isTTY, columns: io.stdout.columns, write: (text: string) => (output += text) }
  const dir = join(options.directory, 'manifests')
  const exitCode = await exportCommand(
    { ...options, dir, kinds: [], full: false, prune: false, snapshot: undefined },
    { ...io, stdout },
  )
  return { exitCode, output }
}

async function answersOf(options: InitOptions, folder: string, io: Io): Promise<Answers | 'interrupted'> {
  const { ask, choose, close } = asking(io)
  try {
    const name = options.name ?? (await ask('Name of the project', basename(folder) || 'project'))
    if (name.trim() === '') throw new ProblemError([badUsage('--name is empty', 'gatewright init --name shop')])
    const url = options.url ?? (await ask('Address of the platform (empty: from GATEWRIGHT_URL)', ''))
    const area = options.area ?? (await ask('Customer area (empty: from GATEWRIGHT_AREA)', ''))
    const content = options.content ?? (await choose('Start with', 'example', ['example', 'export']))
    const usual = existsSync(join(folder, '.gitlab-ci.yml')) ? 'gitlab' : 'github'
    const ci = options.ci ?? (await choose('CI workflows for', usual, ['github', 'gitlab', 'none']))
    if (io.signal.aborted) return 'interrupted'
    return {
      name,
      url: url ? checkedUrl(url) : undefined,
      area: area || undefined,
      content,
      ci,
      version: programVersion(),
    }
  } finally {
    close()
  }
}

function written(file: StarterFile, folder: string, io: Io): WrittenFile {
  const { path, about } = file
  if (existsSync(join(folder, path)) || isSettled(file, folder, io)) return { path, about, action: 'kept' }
  writeWhole(join(folder, path), file.text, 'as before', path)
  return { path, about, action: 'written' }
}

/** A folder that has manifests already needs no example. */
function isSettled({ path }: StarterFile, folder: string, io: Io): boolean {
  if (!path.startsWith('manifests/')) return false
  const files = nodeFiles(io.cwd)
  const manifests = join(folder, 'manifests')
  return files.exists(manifests) === 'folder' && files.list(manifests).some((each) => /\.ya?ml$/.test(each))
}

/** Nothing in a .gitignore that is there already is touched: what it lacks is added at its end. */
function ignored(folder: string): WrittenFile {
  const { path, about, comment, lines } = ignoredFiles
  const file = join(folder, path)
  const isThere = existsSync(file)
  const bytes = isThere ? readFileSync(file) : Buffer.alloc(0)
  const present = bytes.toString('utf8')
  const known = new Set(present.split(/\r?\n/).map((line) => line.trim()))
  const missing = lines.filter((line) => !known.has(line))
  if (missing.length === 0) return { path, about, action: 'kept' }
  const gap = present === '' || present.endsWith('\n') ? '' : '\n'
  const text = `${gap}${present === '' ? '' : '\n'}${comment}\n${missing.join('\n')}\n`
  writeWhole(file, Buffer.concat([bytes, Buffer.from(text)]), 'as before', path)
  return { path, about, action: isThere ? 'added to' : 'written' }
}
