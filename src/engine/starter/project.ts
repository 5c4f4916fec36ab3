import type { StarterFile } from './starter-file.js'

/** What the project file is filled in with. */
export interface ProjectAnswers {
  readonly name: string
  readonly url: string | undefined
  readonly area: string | undefined
}

/** The project file; what is not known yet stands there as a comment. */
export function projectStarter({ name, url, area }: ProjectAnswers): StarterFile {
  const setting = (key: string, value: string | undefined, example: string) =>
    value === undefined ? `    # ${key}: ${example}` : `    ${key}: ${quoted(value)}`
  return {
    path: 'gatewright.yaml',
    about: 'the project: where its manifests are, and which platform they describe',
    text: `# The project file of gatewright: where the manifests are, and which platform they describe.
# yaml-language-server: $schema=schemas/project.schema.json
apiVersion: gatewright/v1
kind: Project
metadata: {name: ${quoted(name)}} # history is kept per project name, URL and area
spec:
  manifests: [manifests]
  platform:
${setting('url', url, 'https://api.example.com  # or GATEWRIGHT_URL; if it stands here, GATEWRIGHT_HOSTS names its host')}
${setting('area', area, '00000000-0000-0000-0000-000000000000  # or GATEWRIGHT_AREA: the scope of the token')}
    concurrency: 8 # requests under way at once; the rate adapts by itself
  prune: applied # delete only what was applied before and is gone from the manifests; or none, or all
  limits: {deletes: 20, changedPercent: 50} # apply refuses plans beyond these
  records: file:.gatewright # what was applied; for CI, postgres://… is shared by all runners
`,
  }
}

/** Plain words stand for themselves; everything else is a double-quoted text, in which "\${" is no placeholder. */
const quoted = (text: string): string =>
  /^[A-Za-z][\w-]*$/.test(text) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(text)
    ? text
    : JSON.stringify(text.replaceAll('${', () => '$${'))
