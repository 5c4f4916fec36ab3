import { allSchemas } from '../../catalog/json-schema.js'
import { jsonText } from '../../json/json.js'
import type { StarterFile } from './starter-file.js'

/** Editor settings: completion and checks while typing. */
export const editorStarter: StarterFile = {
  path: '.vscode/settings.json',
  about: 'the editor completes and checks manifests (with the YAML extension)',
  text: `// The editor completes and checks manifests while they are typed (with the YAML extension).
{
  "yaml.schemas": {
    "./schemas/project.schema.json": "gatewright.yaml",
    "./schemas/gatewright.schema.json": "manifests/**/*.{yaml,yml}"
  }
}
`,
}

/** The JSON Schemas that editors check manifests with; they refer to each other. */
export const schemaStarters = (): readonly StarterFile[] =>
  Object.entries(allSchemas()).map(([file, schema]) => ({
    path: `schemas/${file}`,
    about: 'the JSON Schemas of project file and manifests, for editors',
    text: jsonText(schema),
  }))
