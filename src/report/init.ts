import type { Colours } from './colours.js'
import type { Report } from './problems.js'
import { alignedLines } from './table.js'

/** One file of a new project, and what became of it. */
export interface WrittenFile {
  readonly path: string
  readonly about: string
  readonly action: 'written' | 'added to' | 'kept'
}

export interface InitReport {
  readonly files: readonly WrittenFile[]
  /** Where they are, as the user named it. */
  readonly directory: string
  /** The secrets that the workflows take from the CI system. */
  readonly variables: readonly string[]
  /** What the export of the live area answered, if there was one. */
  readonly exported: string | undefined
}

export function initJson({ files, variables, exported }: InitReport): Report {
  const answer = exported === undefined ? {} : { export: JSON.parse(exported) }
  return { output: `${JSON.stringify({ format: 'gatewright.init/1', files, variables, ...answer }, null, 2)}\n` }
}

/** What was written, what was kept, and what to do next. */
export function initText(report: InitReport, { colours }: { readonly colours: Colours }): Report {
  const made = report.files.filter(({ action }) => action !== 'kept')
  const kept = report.files.filter(({ action }) => action === 'kept')
  const blocks = [
    ...(made.length === 0 ? [] : [[colours.bold('Written:'), ...fileLines(made)].join('\n')]),
    ...(kept.length === 0 ? [] : [[colours.bold('Kept, they were there already:'), ...fileLines(kept)].join('\n')]),
    ...(report.exported === undefined ? [] : [report.exported.trimEnd()]),
    [colours.bold('Next:'), ...nextSteps(report)].join('\n'),
  ]
  return { output: `${blocks.join('\n\n')}\n` }
}

/** Files of one folder that serve one purpose stand on one line. */
function fileLines(files: readonly WrittenFile[]): readonly string[] {
  const groups = new Map<string, WrittenFile[]>()
  for (const file of files) {
    const group = groups.get(file.about)
    if (group) group.push(file)
    else groups.set(file.about, [file])
  }
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

function nextSteps({ directory, variables }: InitReport): readonly string[] {
  const here = directory === '.' ? [] : [`cd ${directory}`]
  return [
    ...here.map((command) => `  ${command}`),
    ...alignedLines([
      ['  gatewright validate', '# checks the manifests, offline'],
      ['  gatewright platform --auto-approve', '# a platform to try on: it prints the variables to export'],
      ['  gatewright plan', '# shows what would change'],
      ['  gatewright apply', '# shows it, asks, changes it'],
    ]),
    ...(variables.length === 0 ? [] : [`  Set these secrets in your CI system: ${variables.join(', ')}.`]),
  ]
}
