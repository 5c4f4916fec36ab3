import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { nameFault, nameWords } from '../../catalog/schema-parts.js'
import { initProject } from '../../engine/init.js'
import { checkedUrl } from '../../engine/settings.js'
import type { Answers, EnvironmentAnswers } from '../../engine/starter/answers.js'
import { jsonText } from '../../json/json.js'
import { ProblemError } from '../../problems/problem.js'
import { badUsage } from '../../problems/project.js'
import { initText } from '../../report/init.js'
import { textForm } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { InitOptions } from '../options.js'
import { type Asking, asking, NoAnswer, silent } from '../question.js'
import { showRemarks } from '../show.js'
import { programVersion } from '../version.js'

/** `init`: creates a new project. On a terminal, it asks for everything that no option gives. Existing files are kept. */
export async function initCommand(options: InitOptions, io: Io): Promise<number> {
  const answers = await answersOf(options, resolve(io.cwd, options.directory), io)
  if (answers === 'none') return io.signal.aborted ? exit.interrupted : exit.done
  const { document, hasOrigin, problems } = await initProject(options, answers, io)
  showRemarks(problems, options, io)
  const { directory } = options
  const isSet = (name: string) => io.env[name] !== undefined
  const form = { ...textForm(io.stdout, options, io), directory, isSet, hasOrigin }
  io.stdout.write(options.output === 'json' ? jsonText(document) : initText(document, form).output)
  return exit.done
}

async function answersOf(options: InitOptions, folder: string, io: Io): Promise<Answers | 'none'> {
  if (options.example && options.export) {
    throw new ProblemError([badUsage('--example and --export are two starts', 'leave out one of the two')])
  }
  const { ask, choose, close } = options.yes ? silent : asking(io)
  try {
    const name = checkedName(options.name ?? (await ask('Name of the project', usualName(folder))))
    const askFor = askUntilValid(ask, io)
    const askUrl = (of: string) => askFor(`Address of ${of} (empty: from GATEWRIGHT_URL)`, urlFault)
    const askArea = (of: string) => askFor(`${of} (empty: from GATEWRIGHT_AREA)`, areaFault)
    const names = environmentsIn(options)
    const environments: EnvironmentAnswers[] = []
    for (const each of names) {
      const url = options.url === undefined ? await askUrl(`the platform of ${each}`) : ''
      environments.push({
        name: each,
        url: url ? checkedUrl(url) : undefined,
        area: (await askArea(`Customer area of ${each}`)) || undefined,
      })
    }
    const isOne = names.length === 0
    const url = options.url ?? (isOne ? await askUrl('the platform') : '')
    const area = options.area ?? (isOne ? await askArea('Customer area') : '')
    const requested = options.export ? 'export' : undefined
    const content =
      (options.example ? 'example' : requested) ?? (await choose('Start with', 'example', ['example', 'export']))
    const usual = existsSync(join(folder, '.gitlab-ci.yml')) ? 'gitlab' : 'github'
    const ci = options.ci ?? (await choose('CI workflows for', usual, ['github', 'gitlab', 'none']))
    return {
      name,
      url: url ? checkedUrl(url) : undefined,
      area: area || undefined,
      environments,
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

/** The name of the folder, unless it is no valid name of a project (A442). */
const usualName = (folder: string): string => {
  const name = basename(folder)
  return nameFault(name) === undefined ? name : 'project'
}

function checkedName(name: string): string {
  const refuse = (message: string) => new ProblemError([badUsage(message, 'gatewright init --name shop')])
  if (name.trim() === '') throw refuse('--name is empty')
  const fault = nameFault(name)
  if (fault !== undefined) throw refuse(`--name takes ${nameWords}, and this is ${fault}`)
  return name
}

/** The environments in `--env dev,staging,prod`. */
function environmentsIn({ environments, area, export: isExport }: InitOptions): readonly string[] {
  const names = environments.flatMap((each) => each.split(',')).map((name) => name.trim())
  const usage = 'gatewright init --env dev,staging,prod'
  const refuse = (message: string, hint: string) => new ProblemError([badUsage(message, hint)])
  for (const [index, name] of names.entries()) {
    if (!/^[A-Za-z][\w-]*$/.test(name)) throw refuse(`--env: "${name}" is no name of an environment`, usage)
    if (names.indexOf(name) !== index) throw refuse(`--env names ${name} twice`, usage)
  }
  if (names.length > 0 && isExport) {
    throw refuse(
      '--export writes one area, without environments: it takes no --env',
      'if the area holds several stages: gatewright export --stages DEV,QA,PRD',
    )
  }
  if (names.length > 0 && area !== undefined) {
    throw refuse('--area is one area, and --env names several environments', 'write the areas into gatewright.yaml')
  }
  return names
}

/** Repeats the question until the answer is empty or valid, and shows each fault. */
const askUntilValid =
  (ask: Asking['ask'], io: Io) =>
  async (question: string, faultOf: (answer: string) => string | undefined): Promise<string> => {
    for (;;) {
      const answer = await ask(question, '')
      const fault = answer === '' ? undefined : faultOf(answer)
      if (fault === undefined) return answer
      io.stderr.write(`${fault}\n`)
    }
  }

/** Why a text is not the URL of a platform, in the same words as in other commands. */
function urlFault(text: string): string | undefined {
  try {
    checkedUrl(text)
    return undefined
  } catch (error) {
    if (error instanceof ProblemError)
      return error.problems.map(({ message, hint }) => `${message}: ${hint}`).join('\n')
    throw error
  }
}

/** By the document, an area is a UUID. Options and variables are not checked, because other platforms may differ. */
const areaFault = (text: string): string | undefined =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
    ? undefined
    : `an area is a UUID, such as ${exampleArea}; leave it empty to give it by GATEWRIGHT_AREA`

const exampleArea = '0b34c5b1-5ac7-4a2e-b2a0-5e1c2f8b0d6e'
