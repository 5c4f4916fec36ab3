import { digest } from '../../json/digest.js'
import type { Project } from '../../manifest/project.js'
import { addressFault, type Webhook } from '../../manifest/webhooks.js'
import type { Ports } from '../../ports/ports.js'
import { webhookNotNamed, webhookNotTold, webhookUnset } from '../../problems/notify.js'
import { type Problem, ProblemError } from '../../problems/problem.js'
import { isNamedHost } from '../../secrets/hosts.js'
import { projectsAtRef } from '../guard-ref.js'

/** A webhook that may get messages. */
export interface Receiver {
  readonly webhook: Webhook
  readonly url: string
  /** Digest of what the project file writes. */
  readonly key: string
}

/** Or why it gets none; from now on no output shows its address. */
export function receiverOf(webhook: Webhook, project: Project, ports: Ports): Receiver | { readonly problem: Problem } {
  const { url } = webhook
  const name = nameOf(webhook)
  if (url === undefined) return { problem: webhookUnset(name) }
  // Whoever knows it can write there. What stands in the file is no secret.
  if (webhook.from === 'environment') ports.mask.learn(url)
  const fault = addressFault(url)
  if (fault !== undefined) return { problem: webhookNotTold(name, `its variable holds no address that ${fault}`) }
  if (!isTrusted(webhook, url, project, ports)) return { problem: webhookNotNamed(name, new URL(url).host) }
  return { webhook, url, key: keyOf(webhook) }
}

/** What a webhook is remembered by. */
export const keyOf = ({ format, written }: Webhook): string => digest(`${format} ${written}`)

/** How messages name a webhook: as it is written, or only by its host. */
export const nameOf = ({ from, written }: Webhook): string =>
  from === 'environment' ? written : `${new URL(written).origin}/…`

/**
 * Whether somebody says that this may be sent there who is not just whoever may propose a change of the project file: the
 * environment, by a variable or by GATEWRIGHT_HOSTS, or the git ref of the guard rails (A251).
 */
function isTrusted({ from, written }: Webhook, url: string, project: Project, ports: Ports): boolean {
  if (from === 'environment' || isNamedHost(url, ports)) return true
  const environment = project.layers?.environment
  try {
    const there = projectsAtRef(project, ports)?.find((each) => each.environment === environment)?.project
    return there?.webhooks.some((each) => each.written === written) ?? false
  } catch (error) {
    if (error instanceof ProblemError) return false
    throw error
  }
}
