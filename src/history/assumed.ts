import { textsIn } from '../json/json.js'
import { pointerTo } from '../json/pointer.js'
import { plain } from '../manifest/node.js'
import type { Resource } from '../manifest/resource.js'
import { textOfRange } from '../manifest/source.js'

/**
 * JSON Pointers of values at a commit that come from today's settings, such as variables: the applied values are not known. A
 * value that is encrypted in the commit is known. A value that is not secret is found only if the manifest contains its variable,
 * or a value of today's command line (`given`: the names) (A337).
 */
export function assumedIn({ fields, templates, range, ranges }: Resource, given: readonly string[]): readonly string[] {
  const written = (path: string): readonly string[] => {
    const value = ranges.layersAt(path)[0]?.value
    return value ? textsIn(plain(value)) : [variable]
  }
  const secrets = [...(templates?.keys() ?? [])].filter((path) => !written(path).every(isOfCommit))
  const ofToday = [variable, ...given.map((name) => `\${value:${name}}`)]
  const isIn = (text: string): boolean => ofToday.some((each) => text.includes(each))
  if (!isIn(textOfRange(range))) return secrets
  const open = Object.keys(fields).map((name) => pointerTo(name))
  return [...secrets, ...open.filter((path) => written(path).some(isIn))]
}

const variable = '${env:'

const isOfCommit = (text: string): boolean => !/\$\{(?!sops:|age:)/.test(text)
