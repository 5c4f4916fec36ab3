import type { CiSystem } from '../requests.js'
import { editorStarter, schemaStarters } from './editor.js'
import { exampleStarter } from './example.js'
import { type ProjectAnswers, projectStarter } from './project.js'
import type { StarterFile } from './starter-file.js'

import { workflowStarters } from './workflows.js'

export interface Answers extends ProjectAnswers {
  readonly content: 'example' | 'export'
  readonly ci: CiSystem
  /** The version that workflows are pinned to. */
  readonly version: string
}

/** Everything that `init` writes, .gitignore apart, in the order in which it is told. */
export function starterFiles(answers: Answers): readonly StarterFile[] {
  return [
    projectStarter(answers),
    ...(answers.content === 'example' ? [exampleStarter] : []),
    ...schemaStarters(),
    editorStarter,
    ...workflowStarters(answers.ci, answers.version),
  ]
}

/** What git leaves out; added to a .gitignore that is there already. */
export const ignoredFiles = {
  path: '.gitignore',
  about: 'keeps records of this machine, saved plans, snapshots and secrets out of git',
  comment: '# gatewright: records of this machine, saved plans and snapshots, files with secrets.',
  lines: ['.gatewright/', '*.plan.json', '*.snapshot.json', '.env'],
} as const
