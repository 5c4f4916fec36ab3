import { textsIn } from '../json/json.js'
import { pointerTo } from '../json/pointer.js'
import { plain } from '../manifest/node.js'
import type { Resource } from '../manifest/resource.js'
import { markedText } from '../manifest/source.js'

/**
 * JSON Pointers of the values at a commit that are filled with what is set today, such as variables: nobody knows what was
 * applied there. What is encrypted stands in the commit itself. Of values that are no secret only those are found that name
 * their variable, or their value of today's command line (`given`: the names), in the manifest (A337).
 */
export function assumedIn({ fields, templates, mark, marks }: Resource, given: readonly string[]): readonly string[] {
  const written = (path: string): readonly string[] => {
    const value = marks.layersAt(path)[0]?.value
    return value ? textsIn(plain(value)) : [variable]
  }
  const secrets = [...(templates?.keys() ?? [])].filter((path) => !written(path).every(isOfCommit))
  const ofToday = [variable, ...given.map((name) => `\${value:${name}}`)]
  const isIn = (text: string): boolean => ofToday.some((each) => text.includes(each))
  if (!isIn(markedText(mark))) return secrets
  const open = Object.keys(fields).map((name) => pointerTo(name))
  return [...secrets, ...open.filter((path) => written(path).some(isIn))]
}

const variable = '${env:'

const isOfCommit = (text: string): boolean => !/\$\{(?!sops:|age:)/.test(text)
