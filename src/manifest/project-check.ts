import { baseUrl } from '../catalog/base-url.js'
import { secretCredentials } from '../catalog/project-schema.js'
import { beginsWithTilde } from '../files/paths.js'
import type { Json } from '../json/json.js'
import { badRecipient } from '../problems/encrypted.js'
import { clearSecret } from '../problems/manifests.js'
import { badUrl } from '../problems/platform.js'
import type { Problem } from '../problems/problem.js'
import { recordsAtTilde } from '../problems/records.js'
import { type MapNode, nodeAt, scalarText } from './node.js'
import { projectValidator } from './project-validator.js'
import { schemaProblems } from './schema-problems.js'
import { settingPlace } from './setting-place.js'
import { hide, placeOf } from './source.js'

/** The problems of a project document, each at the place that the schema complains about. */
export function checkProject(root: MapNode, value: Json): readonly Problem[] {
  const validate = projectValidator()
  const errors = validate(value) ? [] : (validate.errors ?? [])
  return [
    ...schemaProblems(errors, root, 'the project file', belongs),
    ...urlProblems(root),
    ...recordsProblems(root),
    ...recipientProblems(root),
  ]
}

/** Credentials that are not given by variables: everyone who can read the file can use them. */
export function clearCredentials(root: MapNode): readonly Problem[] {
  const node = nodeAt(root, '/spec/platform/credentials')
  const entries = node?.is === 'map' ? node.entries : []
  return entries.flatMap(({ key, value }) =>
    secretCredentials.includes(key) && scalarText(value) && value.is === 'scalar' && value.from === 'text'
      ? [clearSecret(placeOf(value.range), `platform.credentials.${key}`, 'warning')]
      : [],
  )
}

function belongs(path: readonly string[], key: string): string | undefined {
  switch (path.join()) {
    case '':
    case 'metadata':
      return settingPlace(key, 'document')
    case 'spec':
      return settingPlace(key, 'spec')
    default:
      return undefined
  }
}

function urlProblems(root: MapNode): readonly Problem[] {
  const node = nodeAt(root, '/spec/platform/url')
  if (node?.is !== 'scalar' || node.from === 'unresolved' || typeof node.value !== 'string' || node.value === '')
    return []
  const read = baseUrl(node.value)
  return 'fault' in read ? [badUrl(node.value, read.fault, placeOf(node.range))] : []
}

function recordsProblems(root: MapNode): readonly Problem[] {
  const node = nodeAt(root, '/spec/records')
  const written = node && scalarText(node)
  if (!node || !written?.startsWith('file:') || !beginsWithTilde(written.slice('file:'.length))) return []
  return [recordsAtTilde(written, placeOf(node.range))]
}

/**
 * Whether age accepts a recipient is known for certain only when it encrypts: that would need its package. The name of a plugin may
 * contain other characters than letters and digits.
 */
function recipientProblems(root: MapNode): readonly Problem[] {
  const node = nodeAt(root, '/spec/secrets/recipients')
  const items = node?.is === 'list' ? node.items : [node]
  return items.flatMap((item) => {
    const word = item?.is === 'scalar' && item.from !== 'unresolved' ? scalarText(item) : undefined
    if (!item || !word || /^age1[0-9a-z+._-]+$/.test(word)) return []
    // It may be the secret key of the pair.
    hide(item.range)
    return [badRecipient(word, placeOf(item.range))]
  })
}
