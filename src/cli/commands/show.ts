import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { runOf } from '../../engine/records.js'
import { planInFile } from '../../engine/saved-plan.js'
import { recordMarkdown, recordText } from '../../report/history-run.js'
import { diagnosticsText } from '../../report/problems.js'
import { textForm } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'
import { showProblems } from '../show.js'
import { showIn } from '../show-in.js'
import { showPlan } from '../show-plan.js'

interface ShowOptions extends GlobalOptions {
  /** The name of a run, or the file of a saved plan, relative to `cwd`. */
  readonly run: string
}

/** `show RUN`: shows every change of a run with its outcome and the platform's answer, or the changes of a saved plan. */
export async function showCommand(options: ShowOptions, io: Io): Promise<number> {
  if (isFile(options.run, io)) return await showSavedPlan(options.run, options, io)
  const document = await runOf(options, options.run, io)
  showIn({ text: recordText, markdown: recordMarkdown }, document, options, io)
  return exit.done
}

/** Names of runs contain no dot and no slash. */
const isFile = (text: string, { cwd }: Io): boolean =>
  text !== 'latest' && (/[./\\]/.test(text) || existsSync(resolve(cwd, text)))

async function showSavedPlan(file: string, options: GlobalOptions, io: Io): Promise<number> {
  const read = await planInFile(file, options, io)
  if (read.is === 'changed') {
    showProblems([read.problem], options, io)
    return exit.stale
  }
  if (options.output === 'text') {
    io.stderr.write(diagnosticsText(read.plan.diagnostics, textForm(io.stderr, options, io)).output)
  }
  showPlan({ document: read.plan, remarks: [] }, options, io)
  return exit.done
}
