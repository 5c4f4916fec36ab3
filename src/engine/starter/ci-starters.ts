import { jsonText } from '../../json/json.js'
import type { Answers, Surroundings } from './answers.js'
import type { StarterFile } from './starter-file.js'
import { templates } from './templates.js'

/** What the workflows take from variables of the CI system, which anybody may see there. */
export const workflowVariables: readonly string[] = ['GATEWRIGHT_URL', 'GATEWRIGHT_AREA', 'GATEWRIGHT_USERNAME']

/** What they take from its secrets, beside the variables that the manifests name. */
export const workflowSecrets: readonly string[] = [
  'GATEWRIGHT_PASSWORD',
  'GATEWRIGHT_API_KEY',
  'GATEWRIGHT_API_SECRET',
  'GATEWRIGHT_FINGERPRINT_KEY',
]

/** Plan on pull requests, apply on the main branch, drift by the clock, with the version of the program that they install. */
export function ciStarters(
  { ci, version }: Answers,
  { branch, paths, secrets, variables }: Surroundings,
): readonly StarterFile[] {
  if (ci === 'none') return []
  const named = [
    ...variables.map((name) => `${name}: \${{ vars.${name} }}`),
    ...secrets.map((name) => `${name}: \${{ secrets.${name} }}`),
  ]
  const none = ['# ORDERS_PASSWORD: ${{ secrets.ORDERS_PASSWORD }}']
  const changes = paths.map((path) => `- ${JSON.stringify(path)}`)
  const holes = { BRANCH: [branch], PATHS: changes, VARIABLES: named.length === 0 ? none : named }
  return [pinnedProgram(version), ...templates(ci, holes)]
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
