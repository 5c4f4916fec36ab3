import { allSchemas } from '../../catalog/json-schema.js'
import type { Vocabulary } from '../../catalog/vocabulary.js'
import { jsonText } from '../../json/json.js'
import type { Answers, EnvironmentAnswers } from './answers.js'
import type { StarterFile } from './starter-file.js'
import { templates } from './templates.js'

/** Project file, editor settings and schemas, and the example if it was requested. */
export const projectStarters = (answers: Answers, vocabulary: Vocabulary): readonly StarterFile[] => [
  ...templates('common', projectHoles(answers, vocabulary)),
  ...(answers.content === 'example' ? templates('example', exampleHoles(answers)) : []),
  ...Object.entries(allSchemas()).map(([file, schema]) => ({
    path: `schemas/${file}`,
    about: 'The JSON Schemas of project file and manifests, for editors.',
    text: jsonText(schema),
  })),
]

/** Settings that are not known yet are comments in the project file. */
function projectHoles(answers: Answers, vocabulary: Vocabulary): Readonly<Record<string, readonly string[]>> {
  const { name, url, area, environments, ci } = answers
  const isOne = environments.length === 0
  // If there is no common setting, each environment has its own.
  const [noUrl, noArea] = isOne ? [[urlComment], [areaComment]] : [[], []]
  return {
    NAME: [quoted(name)],
    URL: url === undefined ? noUrl : [`url: ${quoted(url)}`],
    VOCABULARY: vocabulary === 'document' ? [] : [`vocabulary: ${vocabulary} # the words of this platform`],
    AREA: area === undefined ? noArea : [`area: ${quoted(area)}`],
    ENVIRONMENTS: isOne ? [] : environmentLines(answers),
    RECORDS: [
      ci === 'none'
        ? 'records: file:.gatewright # what was applied, on this machine; git shares it with CI and colleagues'
        : 'records: git # what was applied: refs of this repository, beside its branches, shared by CI and colleagues',
    ],
  }
}

const urlComment =
  '# url: https://api.example.com # or GATEWRIGHT_URL; if it stands here, GATEWRIGHT_HOSTS names its host'

const areaComment = '# area: 00000000-0000-0000-0000-000000000000 # or GATEWRIGHT_AREA'

/** The example is the same in all environments, except for the names of its hosts and one limit. */
function environmentLines({ environments, content }: Answers): readonly string[] {
  const last = environments.at(-1)
  const isExample = content === 'example'
  return [
    ...(isExample
      ? [
          'values: # what is not the same everywhere: "${value:domain}" in a manifest stands for that of the environment',
          '  domain: {type: string, description: what the host names of an environment end in}',
        ]
      : []),
    '# defaults: {Endpoint: {requestProtocol: rest}} # fields that objects have unless they write them',
    'environments: # validate checks all of them; other commands want one: -e NAME, or GATEWRIGHT_ENV',
    ...environments.flatMap((environment) => [
      `  ${environment.name}:`,
      ...targetLines(environment, environment === environments[0] ? 'first' : 'later'),
      ...(isExample ? [`    values: {domain: ${environment === last ? '' : `${environment.name}.`}example.com}`] : []),
      ...(isExample && environment === last ? lastWord : []),
    ]),
  ]
}

const lastWord = [
  '    patches: # the last word, in this environment alone',
  '      - {target: Service/Orders API, merge: {qpsLimitOverall: 1000}}',
]

/** The target of an environment. The comment for unknown settings is written only once. */
function targetLines({ url, area }: EnvironmentAnswers, place: 'first' | 'later'): readonly string[] {
  const given = [...(url ? [`url: ${quoted(url)}`] : []), ...(area ? [`area: ${quoted(area)}`] : [])]
  if (given.length > 0) return [`    platform: {${given.join(', ')}}`]
  return place === 'later'
    ? []
    : [
        '    # Each is another area. Without this line its job says which one, by GATEWRIGHT_URL and GATEWRIGHT_AREA.',
        '    # platform: {url: "https://api.example.com", area: 00000000-0000-0000-0000-000000000000}',
      ]
}

function exampleHoles({ environments }: Answers): Readonly<Record<string, readonly string[]>> {
  const under = (host: string): readonly string[] =>
    environments.length === 0 ? [`${host}example.com`] : [`"${host}\${value:domain}"`]
  return { DOMAIN: under(''), HOST: under('api.'), BACKEND: under('orders.internal.') }
}

/** Plain words are written without quotes. All other texts are double-quoted, and "\${" in them is no placeholder. */
const quoted = (text: string): string =>
  /^[A-Za-z][\w-]*$/.test(text) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(text)
    ? text
    : JSON.stringify(text.replaceAll('${', () => '$${'))
