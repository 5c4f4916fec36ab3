import { environmentKeys, projectSchema } from '../catalog/project-schema.js'
import { type Json, type JsonObject, objectOf } from '../json/json.js'
import { once } from '../json/once.js'

/**
 * Where a setting of the project file belongs, as the end of "write it in", if it is written beside its place; undefined if there
 * is no such setting.
 */
export function settingPlace(key: string, writtenIn: 'document' | 'spec' | 'environment'): string | undefined {
  const spec = specFields()
  switch (writtenIn) {
    case 'document':
      return Object.hasOwn(spec, key) ? `spec: {${key}: …}` : undefined
    case 'spec':
      return environmentKeys.includes(key) ? `environments: {NAME: {${key}: …}}` : deeper(key, Object.entries(spec))
    case 'environment': {
      const own = Object.entries(spec).filter(([name]) => environmentKeys.includes(name))
      return Object.hasOwn(spec, key) ? 'spec of the project file' : deeper(key, own)
    }
  }
}

/** The setting that is a mapping with this key. */
function deeper(key: string, settings: readonly (readonly [string, Json])[]): string | undefined {
  const owner = settings.find(([, schema]) => Object.hasOwn(fieldsOf(schema), key))
  return owner && `${owner[0]}: {${key}: …}`
}

const fieldsOf = (schema: Json | undefined): JsonObject => objectOf(objectOf(schema).properties)

/** Computed on first use: most project files have no mistakes. */
const specFields = once(() => fieldsOf(fieldsOf(projectSchema('resolved')).spec))
