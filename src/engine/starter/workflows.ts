import type { CiSystem } from '../requests.js'
import type { StarterFile } from './starter-file.js'

const variables = [
  'GATEWRIGHT_URL',
  'GATEWRIGHT_AREA',
  'GATEWRIGHT_API_KEY',
  'GATEWRIGHT_API_SECRET',
  'GATEWRIGHT_USERNAME',
  'GATEWRIGHT_PASSWORD',
  'GATEWRIGHT_FINGERPRINT_KEY',
] as const

/** The names that the workflows take from the CI system's secrets. */
export const workflowVariables: readonly string[] = variables

/** Plan on pull requests, apply on the main branch, drift by the clock. */
export function workflowStarters(ci: CiSystem, version: string): readonly StarterFile[] {
  switch (ci) {
    case 'github':
      return [githubPlan(version), githubApply(version), githubDrift(version)]
    case 'gitlab':
      return [gitlab(version)]
    case 'none':
      return []
  }
}

const githubEnvironment = variables.map((name) => `          ${name}: \${{ secrets.${name} }}`).join('\n')

interface Workflow {
  readonly comment: string
  readonly name: string
  readonly on: string
  readonly more: string
  readonly run: string
}

const githubWorkflow = ({ comment, name, on, more, run }: Workflow): string => `# ${comment}
name: ${name}
on:
${on}
permissions: {contents: read}
${more}jobs:
  ${name.split(' ')[1]}:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: {node-version: 24}
      - run: ${run}
        env: # and the variables that the manifests name in \${env:…}
${githubEnvironment}
`

const githubPlan = (version: string): StarterFile => ({
  path: '.github/workflows/gatewright-plan.yaml',
  about: 'shows on every pull request what merging it would change',
  text: githubWorkflow({
    comment: 'Shows on every pull request what merging it would change on the platform.',
    name: 'gatewright plan',
    on: '  pull_request:',
    more: '',
    run: `npx --yes gatewright@${version} plan -o markdown >> "$GITHUB_STEP_SUMMARY"`,
  }),
})

const githubApply = (version: string): StarterFile => ({
  path: '.github/workflows/gatewright-apply.yaml',
  about: 'applies the manifests when they reach the main branch',
  text: githubWorkflow({
    comment: 'Applies the manifests when they reach the main branch; one run at a time, and none is cut off.',
    name: 'gatewright apply',
    on: '  push:\n    branches: [main]',
    more: 'concurrency: {group: gatewright-apply, cancel-in-progress: false}\n',
    run: `npx --yes gatewright@${version} apply --yes`,
  }),
})

const githubDrift = (version: string): StarterFile => ({
  path: '.github/workflows/gatewright-drift.yaml',
  about: "tells every morning whether somebody changed the platform behind git's back",
  text: githubWorkflow({
    comment: "Fails (exit code 2) when somebody changed the platform behind git's back; every morning, and by hand.",
    name: 'gatewright drift',
    on: "  schedule:\n    - cron: '17 5 * * *'\n  workflow_dispatch:",
    more: '',
    run: `npx --yes gatewright@${version} drift`,
  }),
})

const gitlab = (version: string): StarterFile => ({
  path: '.gitlab-ci.yml',
  about: 'plan on merge requests, apply on the default branch, drift on schedules',
  text: `# Plans on merge requests, applies on the default branch, and looks for drift on schedules.
# Set as masked CI/CD variables: ${variables.join(', ')},
# and those that the manifests name in \${env:…}.
default:
  image: node:24

gatewright-plan:
  script: npx --yes gatewright@${version} plan
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"

gatewright-apply:
  script: npx --yes gatewright@${version} apply --yes
  resource_group: gatewright
  rules:
    - if: $CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH

gatewright-drift: # fails (exit code 2) when somebody changed the platform behind git's back
  script: npx --yes gatewright@${version} drift
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
`,
})
