import { pointerTo } from '../json/pointer.js'
import type { Node } from '../manifest/node.js'
import type { Resource } from '../manifest/resource.js'

/**
 * JSON Pointers of the values at a commit that are filled with what is set today, such as variables: nobody knows what was
 * applied there. What is encrypted stands in the commit itself. Of values that are no secret only those are found that name
 * their variable in the manifest (A337).
 */
export function assumedIn({ fields, templates, mark, marks }: Resource): readonly string[] {
  const written = (path: string) => textsOf(marks.layersAt(path)[0]?.value)
  const secrets = [...(templates?.keys() ?? [])].filter((path) => !written(path).every(isOfCommit))
  const first = mark.source.text.indexOf(variable, mark.start)
  if (first === -1 || first >= mark.end) return secrets
  const open = Object.keys(fields).map((name) => pointerTo(name))
  return [...secrets, ...open.filter((path) => written(path).some((text) => text.includes(variable)))]
}

const variable = '${env:'

const isOfCommit = (text: string): boolean => !/\$\{(?!sops:|age:)/.test(text)

function textsOf(node: Node | undefined): readonly string[] {
  switch (node?.is) {
    case 'scalar':
      return [String(node.value)]
    case 'list':
      return node.items.flatMap(textsOf)
    case 'map':
      return node.entries.flatMap(({ value }) => textsOf(value))
    case undefined:
      return [variable]
  }
}
