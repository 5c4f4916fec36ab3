import type { InitDocument, StarterResult } from '../documents/init.js'
import { groupBy } from '../json/groups.js'
import { exportText, isNothingExported } from './export.js'
import type { Report } from './problems.js'
import { alignedLines, type TableForm, type TextForm, wrappedText } from './table.js'

interface InitForm extends TextForm {
  /** The folder of the files, as the user named it. */
  readonly directory: string
  readonly isSet: (variable: string) => boolean
  /** Whether git has the remote where the workflows keep the records. */
  readonly hasOrigin: boolean
}

/** The written files, the kept files, and the next steps. */
export function initText(init: InitDocument, { colours, columns, isSet, ...form }: InitForm): Report {
  const made = init.files.filter(({ action }) => action !== 'kept')
  const kept = init.files.filter(({ action }) => action === 'kept')
  const ci = ciSteps(init)
  const blocks = [
    ...(made.length === 0 ? [] : [[colours.bold('Written:'), ...fileLines(made, { columns })].join('\n')]),
    ...(kept.length === 0
      ? []
      : [[colours.bold('Already there, not touched:'), ...fileLines(kept, { columns })].join('\n')]),
    ...(init.export ? [exportText(init.export, isSet).output.trimEnd()] : []),
    [colours.bold('Next:'), ...nextSteps(init, form)].join('\n'),
    ...(ci.length === 0 ? [] : [[colours.bold('Then for CI (docs/how-to/ci.md says more):'), ...ci].join('\n')]),
  ]
  return { output: `${blocks.join('\n\n')}\n` }
}

/** Files in one folder with the same purpose share one line. */
function fileLines(files: readonly StarterResult[], form: TableForm): readonly string[] {
  const groups = groupBy(files, (file) => file.about)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    const path = group.length === 1 ? (first?.path ?? '') : `${folderOf(first?.path ?? '')} (${group.length} files)`
    const added = first?.action === 'added to' ? ' (lines added)' : ''
    return [`  ${path}${added}`, ...wrappedText(first?.about ?? '', { ...form, margin: 4 })]
  })
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

type StepsForm = Pick<InitForm, 'directory' | 'hasOrigin'>

function nextSteps(init: InitDocument, { directory, hasOrigin }: StepsForm): readonly string[] {
  const here = directory === '.' ? [] : [`  cd ${directory}`]
  return [...here, ...alignedLines(stepsOf(init, hasOrigin))]
}

function stepsOf(init: InitDocument, hasOrigin: boolean): readonly (readonly string[])[] {
  if (!init.export) return startingSteps(init)
  const isEmpty = isNothingExported(init.export.diagnostics)
  return isEmpty
    ? [['  gatewright explain', '# lists the kinds; write manifests of them'], ...startingSteps(init)]
    : adoptingSteps(init, hasOrigin)
}

const startingSteps = ({ ci, environments: [first] = [] }: InitDocument) => [
  ['  gatewright validate', '# checks the manifests, offline'],
  ['  gatewright platform --auto-approve', '# to try it out; prints variables'],
  ...(ci === 'none' ? [] : [['  export GATEWRIGHT_RECORDS=file:.gatewright', '# keeps trials out of git']]),
  ...(first === undefined ? [] : [[`  export GATEWRIGHT_ENV=${first}`, '# or -e with each command']]),
  ['  gatewright plan', '# shows what would change'],
  ['  gatewright apply', '# shows it, asks, changes it'],
]

const adoptingSteps = ({ ci }: InitDocument, hasOrigin: boolean) => [
  ['  gatewright validate', '# checks the manifests, offline'],
  ...(ci === 'none' || hasOrigin
    ? []
    : [['  export GATEWRIGHT_RECORDS=file:.gatewright', '# until git has a remote for them']]),
  ['  gatewright plan', '# shows that nothing would change'],
  ['  git add .', '# from now on git says what is desired'],
  ['  gatewright drift', '# shows who changed something outside git'],
]

/** The steps for CI that files cannot do. */
function ciSteps({
  ci,
  environments,
  files,
  variables,
  secrets,
  program,
  repository,
}: InitDocument): readonly string[] {
  const isKept = (path: string) => files.some((file) => file.path === path && file.action === 'kept')
  switch (ci) {
    case 'none':
      return []
    case 'github':
      return numbered([
        installStep(program, isKept('package.json')),
        ...(repository ? [`Move .github to ${repository}, set working-directory and paths in the files.`] : []),
        ...environmentSteps(environments),
        listStep('Set these variables:', variables),
        listStep('Set these secrets:', secrets),
      ])
    case 'gitlab':
      return numbered([
        installStep(program, isKept('package.json')),
        ...(repository ? [`Move .gitlab and .gitlab-ci.yml to ${repository}, and adapt their paths.`] : []),
        ...(isKept('.gitlab-ci.yml')
          ? ['Check that .gitlab-ci.yml has include: [{local: .gitlab/gatewright.yml}]']
          : []),
        ...protectedSteps(environments),
        'Let the job token push (CI/CD settings): the records are refs.',
        listStep('Set these CI/CD variables:', variables),
        listStep('Set these, masked and hidden:', [...secrets, commentToken]),
      ])
  }
}

/** The environments with their reviewers, and the secrets for their jobs. */
function environmentSteps(environments: readonly string[] = []): readonly string[] {
  if (environments.length === 0) return ['Create the environment "production"; its required reviewers approve applies.']
  return [
    `Create the environments ${environments.join(', ')}: reviewers approve applies.`,
    `Make ${environments.map((name) => `${name}-plan`).join(', ')}, without reviewers.`,
    'Set the following for each; for plans, use a read-only login.',
  ]
}

function protectedSteps(environments: readonly string[] = []): readonly string[] {
  const last = environments.at(-1)
  if (last === undefined) return ['Protect the environment "production": who may deploy there approves.']
  return [
    `Protect the environments ${environments.join(', ')}: who may deploy approves.`,
    `Give variables a scope: ${last}* is ${last}, and ${last}-plan for plans and drift.`,
  ]
}

const installStep = (program: string, hasPackage: boolean): string =>
  hasPackage
    ? `npm install --save-dev --save-exact ${program}; commit the lock file.`
    : 'npm install; commit package-lock.json.'

const commentToken = 'GITLAB_TOKEN'

/** How to get the secrets that nobody issues. */
const origins: Readonly<Record<string, string>> = {
  GATEWRIGHT_FINGERPRINT_KEY: '# create it once: openssl rand -hex 32',
  [commentToken]: '# a project access token (api), for comments',
}

const listStep = (head: string, names: readonly string[]): string =>
  [head, ...alignedLines(names.map((name) => [`       ${name}`, origins[name] ?? '']))].join('\n')

const numbered = (steps: readonly string[]): readonly string[] => steps.map((step, index) => `  ${index + 1}. ${step}`)
