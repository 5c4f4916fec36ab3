import { catalog } from '../catalog/catalog.js'
import { hasSecretName } from '../catalog/queries.js'
import { nodeFiles } from '../files/files.js'
import type { JsonObject } from '../json/json.js'
import { renderedDocuments, renderedObject, renderedRemovals } from '../manifest/compose/rendered.js'
import type { ComposedObject } from '../manifest/object-text.js'
import { readManifests } from '../manifest/read.js'
import type { Resource } from '../manifest/resource.js'
import { startKey } from '../manifest/source.js'
import type { Ports } from '../ports/ports.js'
import { hasErrors, ProblemError } from '../problems/problem.js'
import { notThere } from './origins.js'
import { chosenProject } from './project.js'
import type { ProjectRequest } from './requests.js'
import { desiredOf } from './settings.js'

/**
 * The manifests after all layers, or one object of them as a separate document. They give the same plan without layers.
 * Placeholders of variables and files are kept. Never goes online. Throws a ProblemError if the manifests have errors.
 */
export async function renderProject(
  request: ProjectRequest,
  address: string | undefined,
  ports: Ports,
): Promise<readonly JsonObject[]> {
  const { manifests, problems } = await desiredOf(request, ports)
  if (hasErrors(problems)) throw new ProblemError(problems)
  const objects: ComposedObject[] = []
  const { project } = chosenProject(request, ports)
  readManifests({
    project,
    paths: request.paths,
    env: ports.env,
    files: nodeFiles(ports.cwd),
    placeholders: 'kept',
    composed: (object) => objects.push(object),
  })
  if (address === undefined) return [...renderedDocuments(objects), ...renderedRemovals(manifests.removals)]
  const resource = manifests.resources.find((each) => each.address === address)
  const found = renderedObject(objects, composedObject(resource, objects)?.address ?? address)
  if (found) return [found]
  throw new ProblemError([notThere(address, manifests)])
}

/**
 * An object whose name is a placeholder, such as a key, has another address when placeholders are kept. It is found by its
 * position.
 */
function composedObject(
  resource: Resource | undefined,
  objects: readonly ComposedObject[],
): ComposedObject | undefined {
  if (!resource || !hasSecretName(catalog[resource.kind])) return undefined
  const place = startKey(resource.range)
  return objects.find(({ text }) => text.kind.name === resource.kind && startKey(text.range) === place)
}
