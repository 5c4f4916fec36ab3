import type { Client, Reading } from '../client/types.js'
import type { Project } from '../manifest/project.js'
import type { Ports } from '../ports/ports.js'
import { ProblemError } from '../problems/problem.js'
import { notAvailable } from '../problems/project.js'
import { connectionTo } from './connection.js'
import { learnFromProject } from './known-secrets.js'
import { chosenProject } from './project.js'
import type { ProjectRequest } from './requests.js'
import { accessOf, type Target } from './settings.js'

/** The project file, which need not be there. Throws a ProblemError if it is broken, or if an environment must be chosen. */
export function projectOf(request: ProjectRequest, ports: Ports): Project {
  return chosenProject(request, ports).project
}

/** Throws a ProblemError where an area cannot be read: of two, nothing is sent to the one while the other is refused. */
export function checkReadable(request: ProjectRequest, ports: Ports): void {
  accessOf(projectOf(request, ports), request, ports)
}

/** Reads something from the live area, and gives its connections back. Sends only GET. */
export async function readingLive(
  request: ProjectRequest,
  ports: Ports,
  read: (client: Client, target: Target) => Promise<Reading>,
): Promise<Reading & { readonly target: Target }> {
  const project = projectOf(request, ports)
  const access = accessOf(project, request, ports)
  await learnFromProject(project, request, ports)
  const client = await connectionTo({ access, project, mask: ports.mask, logHttp: request.logHttp }, ports)
  try {
    const target = { url: access.url, area: access.area }
    return { ...(await read(client, target)), target }
  } finally {
    await client.close()
  }
}

/** Labels are ours alone: no live object has one. Throws a ProblemError if any is asked for. */
export function refuseLabels({ labels }: ProjectRequest): void {
  if (labels.length > 0) throw new ProblemError([notAvailable('--label for live objects', 'choose with --select')])
}
