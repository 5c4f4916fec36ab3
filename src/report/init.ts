import type { InitDocument, StarterResult } from '../documents/init.js'
import { groupBy } from '../json/groups.js'
import { jsonText } from '../json/json.js'
import type { Colours } from './colours.js'
import { exportText } from './export.js'
import type { Report } from './problems.js'
import { alignedLines } from './table.js'

interface TextForm {
  readonly colours: Colours
  /** Where the files are, as the user named it. */
  readonly directory: string
  readonly isSet: (variable: string) => boolean
}

export const initJson = (init: InitDocument): Report => ({ output: jsonText(init) })

/** What was written, what was kept, and what to do next. */
export function initText(init: InitDocument, { colours, directory, isSet }: TextForm): Report {
  const made = init.files.filter(({ action }) => action !== 'kept')
  const kept = init.files.filter(({ action }) => action === 'kept')
  const blocks = [
    ...(made.length === 0 ? [] : [[colours.bold('Written:'), ...fileLines(made)].join('\n')]),
    ...(kept.length === 0 ? [] : [[colours.bold('Kept, they were there already:'), ...fileLines(kept)].join('\n')]),
    ...(init.export ? [exportText(init.export, isSet).output.trimEnd()] : []),
    [colours.bold('Next:'), ...nextSteps(directory, init)].join('\n'),
  ]
  return { output: `${blocks.join('\n\n')}\n` }
}

/** Files of one folder that serve one purpose stand on one line. */
function fileLines(files: readonly StarterResult[]): readonly string[] {
  const groups = groupBy(files, (file) => file.about)
  return alignedLines(
    [...groups.values()].map((group) => {
      const [first] = group
      const path = group.length === 1 ? (first?.path ?? '') : `${folderOf(first?.path ?? '')} (${group.length} files)`
      const added = first?.action === 'added to' ? ' (lines added)' : ''
      return [`  ${path}${added}`, first?.about ?? '']
    }),
  )
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

function nextSteps(directory: string, init: InitDocument): readonly string[] {
  const here = directory === '.' ? [] : [`cd ${directory}`]
  return [
    ...here.map((command) => `  ${command}`),
    ...alignedLines(init.export ? adoptingSteps : startingSteps),
    ...(init.variables.length === 0 ? [] : [`  Set these secrets in your CI system: ${init.variables.join(', ')}.`]),
  ]
}

const startingSteps = [
  ['  gatewright validate', '# checks the manifests, offline'],
  ['  gatewright platform --auto-approve', '# a local platform to try things on: it prints the variables to export'],
  ['  gatewright plan', '# shows what would change'],
  ['  gatewright apply', '# shows it, asks, changes it'],
]

const adoptingSteps = [
  ['  gatewright validate', '# checks the manifests, offline'],
  ['  gatewright plan', '# shows that nothing would change'],
  ['  git add .', '# from now on git says what is desired'],
  ['  gatewright drift', '# shows who changed something outside git'],
]
