import { error, note, type Place, type Problem, warning } from './problem.js'

/** Whether it says that a message to a webhook was not sent, or may be sent again. */
export const isAboutMessages = ({ code, severity }: { readonly code: string; readonly severity: string }): boolean =>
  severity === 'warning' && code.startsWith('webhook')

/**
 * The `url` of a webhook is invalid; `takes` describes valid ones. The URL is never shown: everybody who knows it can send
 * messages to it.
 */
export const badWebhook = (place: Place, takes: string): Problem =>
  error(
    'bad-webhook',
    place,
    `url of a webhook takes ${takes}`,
    'put the whole address into one variable: url: ${env:NAME}',
  )

/** `webhook`: the name of its variable, or the beginning of its URL, without the secret parts. */
export const webhookUnset = (webhook: string): Problem =>
  note('webhook-unset', undefined, `the webhook ${webhook} gets no message: its variable is not set here`)

/** `what`: the subject of the message. */
export const webhookMessageSent = (webhook: string, what: string): Problem =>
  note('webhook-told', undefined, `the webhook ${webhook} was told: ${what}`)

export const webhookNotNamed = (webhook: string, host: string): Problem =>
  warning(
    'webhook-not-named',
    undefined,
    `the webhook ${webhook} got no message: only the project file names its host`,
    `put its address into a variable (url: \${env:NAME}), or export GATEWRIGHT_HOSTS=${host}`,
  )

export const webhookMessageNotSent = (webhook: string, reason: string): Problem =>
  warning('webhook-not-told', undefined, `the webhook ${webhook} was not told: ${reason}`, 'the next run tries again')

export const webhooksNotRemembered = (reason: string): Problem =>
  warning(
    'webhook-not-remembered',
    undefined,
    `it is not known which messages webhooks got before: ${reason}`,
    'they are told again by every run; use records that every job can read and write',
  )
