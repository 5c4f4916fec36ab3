import { allSchemas } from '../../catalog/json-schema.js'
import { jsonText } from '../../json/json.js'
import type { Answers } from './answers.js'
import type { StarterFile } from './starter-file.js'
import { templates } from './templates.js'

/** Project file, editor settings and schemas, and the example if one is wanted. */
export const projectStarters = (answers: Answers): readonly StarterFile[] => [
  ...templates('common', projectHoles(answers)),
  ...(answers.content === 'example' ? templates('example', {}) : []),
  ...Object.entries(allSchemas()).map(([file, schema]) => ({
    path: `schemas/${file}`,
    about: 'The JSON Schemas of project file and manifests, for editors.',
    text: jsonText(schema),
  })),
]

/** What is not known yet stands in the project file as a comment. */
function projectHoles({ name, url, area, ci }: Answers): Readonly<Record<string, readonly string[]>> {
  return {
    NAME: [quoted(name)],
    URL: [
      url === undefined
        ? '# url: https://api.example.com # or GATEWRIGHT_URL; if it stands here, GATEWRIGHT_HOSTS names its host'
        : `url: ${quoted(url)}`,
    ],
    AREA: [
      area === undefined
        ? '# area: 00000000-0000-0000-0000-000000000000 # or GATEWRIGHT_AREA'
        : `area: ${quoted(area)}`,
    ],
    RECORDS: [
      ci === 'none'
        ? 'records: file:.gatewright # what was applied, on this machine; git shares it with CI and colleagues'
        : 'records: git # what was applied: refs of this repository, beside its branches, shared by CI and colleagues',
    ],
  }
}

/** Plain words stand for themselves; everything else is a double-quoted text, in which "\${" is no placeholder. */
const quoted = (text: string): string =>
  /^[A-Za-z][\w-]*$/.test(text) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(text)
    ? text
    : JSON.stringify(text.replaceAll('${', () => '$${'))
