import { jsonText } from '../../json/json.js'
import type { Answers, Surroundings } from './answers.js'
import type { StarterFile } from './starter-file.js'
import { templates } from './templates.js'

/** The settings that the workflows read from variables of the CI system, which are visible there. */
export const workflowVariables: readonly string[] = ['GATEWRIGHT_URL', 'GATEWRIGHT_AREA', 'GATEWRIGHT_USERNAME']

/** The settings that they read from its secrets, besides the variables in the manifests. */
export const workflowSecrets: readonly string[] = [
  'GATEWRIGHT_PASSWORD',
  'GATEWRIGHT_API_KEY',
  'GATEWRIGHT_API_SECRET',
  'GATEWRIGHT_FINGERPRINT_KEY',
]

/**
 * The workflows: plan for pull requests, apply on the main branch, scheduled drift. They install the given version of the
 * program.
 */
export function ciStarters(
  { ci, version, environments }: Answers,
  { branch, paths, secrets, variables }: Surroundings,
): readonly StarterFile[] {
  if (ci === 'none') return []
  const named = [
    ...variables.map((name) => `${name}: \${{ vars.${name} }}`),
    ...secrets.map((name) => `${name}: \${{ secrets.${name} }}`),
  ]
  const none = ['# ORDERS_PASSWORD: ${{ secrets.ORDERS_PASSWORD }}']
  const changes = paths.map((path) => `- ${JSON.stringify(path)}`)
  const names = environments.map(({ name }) => name)
  const holes = {
    BRANCH: [branch],
    PATHS: changes,
    VARIABLES: named.length === 0 ? none : named,
    ...(ci === 'github' ? githubHoles(names, branch) : gitlabHoles(names)),
  }
  const applying = names.length === 0 ? 'github-one' : 'github-environments'
  return [pinnedProgram(version), ...templates(ci, holes), ...(ci === 'github' ? templates(applying, holes) : [])]
}

type Holes = Readonly<Record<string, readonly string[]>>

/** The plans and the drift of all environments run in parallel, the applies one after another. */
function githubHoles(names: readonly string[], branch: string): Holes {
  const isOne = names.length === 0
  const of = isOne ? '' : ' ${{ matrix.environment }}'
  return {
    EACH: isOne
      ? []
      : [
          `strategy: {fail-fast: false, matrix: {environment: [${names.join(', ')}]}}`,
          'environment: ${{ matrix.environment }}-plan # a login that may only read, and nobody to ask',
        ],
    ENVIRONMENT: isOne ? [] : ['GATEWRIGHT_ENV: ${{ matrix.environment }}'],
    MARK: [`<!-- gatewright plan${of} -->`],
    DRIFTMARK: [`<!-- gatewright drift${of} -->`],
    TITLE: [isOne ? 'Drift from git' : `Drift of${of} from git`],
    JOBS: names.flatMap((name, index) => [
      `${name}:`,
      ...(index === 0 ? [`  if: github.ref == 'refs/heads/${branch}'`] : [`  needs: ${names[index - 1]}`]),
      '  uses: ./.github/workflows/gatewright-environment.yaml',
      '  permissions: {contents: write} # the records are refs of this repository, beside its branches',
      `  with: {environment: ${name}, options: "\${{ inputs.options }}"}`,
      '  secrets: inherit',
    ]),
  }
}

const approval = 'protect it: Settings > CI/CD > Protected environments'

/** The same. Settings of one environment are in its jobs, common settings in jobs that these extend. */
function gitlabHoles(names: readonly string[]): Holes {
  if (names.length === 0) {
    return {
      EACH: [],
      MARK: ["'<!-- gatewright plan -->'"],
      FINALPLAN: ['gatewright-final-plan'],
      APPLY: ['gatewright-apply'],
      APPROVAL: [
        'needs: [gatewright-final-plan]',
        `environment: {name: production} # ${approval}`,
        'resource_group: gatewright # one at a time',
      ],
      JOBS: [],
    }
  }
  return {
    EACH: [
      `parallel: {matrix: [{GATEWRIGHT_ENV: [${names.join(', ')}]}]}`,
      'environment: {name: $GATEWRIGHT_ENV-plan, action: access} # a login that may only read',
    ],
    MARK: ['"<!-- gatewright plan $GATEWRIGHT_ENV -->"'],
    FINALPLAN: ['.gatewright-final-plan'],
    APPLY: ['.gatewright-apply'],
    APPROVAL: [],
    JOBS: names.flatMap((name, index) => [
      `gatewright-final-plan-${name}:`,
      '  extends: .gatewright-final-plan',
      ...(index === 0 ? [] : ['  stage: deploy', `  needs: [gatewright-apply-${names[index - 1]}]`]),
      `  variables: {GATEWRIGHT_ENV: ${name}}`,
      `  environment: {name: ${name}-plan, action: access}`,
      '',
      `gatewright-apply-${name}:`,
      '  extends: .gatewright-apply',
      `  variables: {GATEWRIGHT_ENV: ${name}}`,
      `  needs: [gatewright-final-plan-${name}]`,
      `  environment: {name: ${name}} # ${approval}`,
      `  resource_group: gatewright-${name} # one at a time`,
      '',
    ]),
  }
}

const pinnedProgram = (version: string): StarterFile => ({
  path: 'package.json',
  about: 'The version of gatewright that CI installs.',
  text: jsonText({
    description: 'The version of gatewright that plans and applies here; package-lock.json pins what it depends on.',
    private: true,
    devDependencies: { gatewright: version },
  }),
})
