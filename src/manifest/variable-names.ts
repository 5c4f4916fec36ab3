import type { Files } from '../files/files.js'
import { findManifests } from '../files/find-manifests.js'
import type { WrittenLayers } from './compose/layers.js'
import type { Node } from './node.js'
import type { Project } from './project.js'
import { readYaml } from './yaml/read-yaml.js'

/**
 * The environment variables that the manifests of a project use as `${env:NAME}`, sorted. Files that cannot be read are skipped.
 */
export function variableNames(project: Pick<Project, 'file' | 'dir' | 'manifests'>, files: Files): readonly string[] {
  const { dir, file, manifests } = project
  const where =
    manifests.length > 0
      ? ({ origin: 'named', paths: manifests, pipes: 'refuse' } as const)
      : ({ origin: 'found', folder: dir, except: file } as const)
  const found = findManifests(where, files, () => undefined).flatMap(({ path }) => {
    const read = files.readText(path)
    if (!('text' in read) || !read.text.includes('${env:')) return []
    return readYaml({ file: path, ...read }).documents.flatMap(variablesInNode)
  })
  return [...new Set(found)].sort()
}

/** The variables in the values, defaults and patches of a project that apply to the chosen environment. */
export const variableNamesIn = ({ declared, given, defaults, patches }: WrittenLayers): readonly string[] =>
  [
    ...declared.filter(({ name }) => !given.has(name)).map(({ fallback }) => fallback),
    ...[...given.values(), ...defaults].map(({ node }) => node),
    patches,
  ].flatMap((node) => (node ? variablesInNode(node) : []))

const placeholder = /\$\$\{|\$\{env:(\w+)\}/g

function variablesInNode(node: Node): readonly string[] {
  switch (node.is) {
    case 'map':
      return node.entries.flatMap(({ value }) => variablesInNode(value))
    case 'list':
      return node.items.flatMap(variablesInNode)
    case 'scalar':
      return [...String(node.value).matchAll(placeholder)].flatMap(([, name]) => name ?? [])
  }
}
