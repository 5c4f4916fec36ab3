import { nodeFiles } from '../files/files.js'
import type { Json } from '../json/json.js'
import type { KnownProjects } from '../manifest/known-project.js'
import { plain } from '../manifest/node.js'
import { readProject } from '../manifest/project.js'
import type { Ports } from '../ports/ports.js'
import type { FleetArea } from './fleet.js'

/**
 * The texts that differ between areas: the name, the identifier, the host of the platform, and the values that the area or its
 * environment sets.
 */
export interface OwnNames {
  readonly name: string
  readonly area: string | undefined
  /** With its port; undefined if the project names no platform. */
  readonly host?: string | undefined
  readonly values: Readonly<Record<string, Json>>
}

/** The own names of an area. If its project cannot be read, only those that the fleet sets. */
export function ownNamesOf(
  area: FleetArea,
  { env, cwd, projects }: Pick<Ports, 'env' | 'cwd'> & { readonly projects?: KnownProjects },
): OwnNames {
  const known = projects?.of(area.project)
  const input = { dir: area.project, env, environment: area.environment, values: [], known }
  const { project } = readProject(input, nodeFiles(cwd))
  const given = [...(project.layers?.given ?? [])].map(([name, { node }]) => [name, plain(node)] as const)
  return {
    name: area.name,
    area: area.area ?? project.platform.area,
    host: hostOf(project.platform.url),
    values: { ...Object.fromEntries(given), ...area.values },
  }
}

const hostOf = (url: string | undefined): string | undefined =>
  url && URL.canParse(url) ? new URL(url).host : undefined
