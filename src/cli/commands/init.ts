import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { initProject } from '../../engine/init.js'
import { checkedUrl } from '../../engine/settings.js'
import type { Answers } from '../../engine/starter/starter-files.js'
import { ProblemError } from '../../problems/problem.js'
import { badUsage } from '../../problems/project.js'
import { initJson, initText } from '../../report/init.js'
import { problemsText } from '../../report/problems.js'
import { coloursFor } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { InitOptions } from '../options.js'
import { asking, NoAnswer } from '../question.js'
import { programVersion } from '../version.js'

/** `init`: a project to start from. On a terminal it asks what the flags do not say; files that are there are kept. */
export async function initCommand(options: InitOptions, io: Io): Promise<number> {
  const answers = await answersOf(options, resolve(io.cwd, options.directory), io)
  if (answers === 'none') return io.signal.aborted ? exit.interrupted : exit.done
  const { document, problems } = await initProject(options, answers, io)
  if (options.output === 'json') {
    io.stdout.write(initJson(document).output)
    return exit.done
  }
  io.stderr.write(problemsText(problems, { colours: coloursFor(io.stderr, options, io) }).output)
  const { directory } = options
  const isSet = (name: string) => io.env[name] !== undefined
  io.stdout.write(initText(document, { colours: coloursFor(io.stdout, options, io), directory, isSet }).output)
  return exit.done
}

async function answersOf(options: InitOptions, folder: string, io: Io): Promise<Answers | 'none'> {
  const { ask, choose, close } = asking(io)
  try {
    const name = options.name ?? (await ask('Name of the project', basename(folder) || 'project'))
    if (name.trim() === '') throw new ProblemError([badUsage('--name is empty', 'gatewright init --name shop')])
    const url = options.url ?? (await ask('Address of the platform (empty: from GATEWRIGHT_URL)', ''))
    const area = options.area ?? (await ask('Customer area (empty: from GATEWRIGHT_AREA)', ''))
    const asked = options.export ? 'export' : undefined
    const content =
      (options.example ? 'example' : asked) ?? (await choose('Start with', 'example', ['example', 'export']))
    const usual = existsSync(join(folder, '.gitlab-ci.yml')) ? 'gitlab' : 'github'
    const ci = options.ci ?? (await choose('CI workflows for', usual, ['github', 'gitlab', 'none']))
    return {
      name,
      url: url ? checkedUrl(url) : undefined,
      area: area || undefined,
      content,
      ci,
      version: programVersion(),
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    io.stderr.write('\nNothing was written.\n')
    return 'none'
  } finally {
    close()
  }
}
