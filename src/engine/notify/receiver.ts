import { digest } from '../../json/digest.js'
import type { Project } from '../../manifest/project.js'
import { addressFault, type Webhook } from '../../manifest/webhooks.js'
import type { Ports } from '../../ports/ports.js'
import { webhookMessageNotSent, webhookNotNamed, webhookUnset } from '../../problems/notify.js'
import { type Problem, ProblemError } from '../../problems/problem.js'
import { isNamedHost } from '../../secrets/hosts.js'
import { projectAtRef } from '../guard-ref.js'

/** A webhook that may get messages. */
export interface Receiver {
  readonly webhook: Webhook
  readonly url: string
  /** Digest of the text in the project file. */
  readonly key: string
}

/** The receiver of a webhook, or why it gets no messages. From then on, no output shows its address. */
export function receiverOf(webhook: Webhook, project: Project, ports: Ports): Receiver | { readonly problem: Problem } {
  const { url } = webhook
  const name = webhookName(webhook)
  if (url === undefined) return { problem: webhookUnset(name) }
  // Everybody who knows the address can post there. An address that is written in the file is no secret.
  if (webhook.from === 'environment') ports.mask.learn(url)
  const fault = addressFault(url)
  if (fault !== undefined)
    return { problem: webhookMessageNotSent(name, `its variable holds no address that ${fault}`) }
  if (!isTrusted(webhook, url, project, ports)) return { problem: webhookNotNamed(name, new URL(url).host) }
  return { webhook, url, key: webhookKey(webhook) }
}

/** The key under which messages to a webhook are remembered. */
export const webhookKey = ({ format, written }: Webhook): string => digest(`${format} ${written}`)

/** The name of a webhook in messages: the text in the file, or only its host. */
export const webhookName = ({ from, written }: Webhook): string =>
  from === 'environment' ? written : `${new URL(written).origin}/…`

/**
 * Whether messages may be sent to that URL. The project file alone is not enough, because anybody may propose a change of it. The
 * environment must name the host by a variable or by GATEWRIGHT_HOSTS, or the git ref of the guard rails must have the same
 * webhook (A251).
 */
function isTrusted({ from, written }: Webhook, url: string, project: Project, ports: Ports): boolean {
  if (from === 'environment' || isNamedHost(url, ports)) return true
  try {
    return projectAtRef(project, ports)?.webhooks.some((each) => each.written === written) ?? false
  } catch (error) {
    if (error instanceof ProblemError) return false
    throw error
  }
}
