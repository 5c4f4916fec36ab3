import { sendToWebhook } from '../../client/webhook.js'
import { type NoticeContent, type NoticeDocument, noticeDocument } from '../../documents/notice.js'
import type { TargetDocument } from '../../documents/target.js'
import { thrownProblems } from '../../files/thrown-problems.js'
import { digest } from '../../json/digest.js'
import { type Project, projectIn, recordedName } from '../../manifest/project.js'
import type { Webhook } from '../../manifest/webhooks.js'
import type { Ports } from '../../ports/ports.js'
import type { Transport } from '../../ports/transport.js'
import { webhookMessageNotSent, webhookMessageSent } from '../../problems/notify.js'
import { type Problem, ProblemError } from '../../problems/problem.js'
import { noticeText } from '../../report/notice.js'
import type { Notified, ProjectKey } from '../../stores/record.js'
import { projectFor } from '../project.js'
import type { ProjectRequest } from '../requests.js'
import { targetOfProject } from '../settings.js'
import { contentDigest, problemContent } from './content.js'
import { memoryOf, type Remembered, remember } from './memory.js'
import { type Receiver, receiverOf, webhookKey, webhookName } from './receiver.js'

/** The state of one matter. Undefined `content`: nothing is wrong. */
interface MatterContent {
  readonly matter: Notified['matter']
  readonly content: NoticeContent | undefined
}

/** A command whose result is reported to webhooks. */
export interface Watched<Result> {
  readonly command: 'drift' | 'apply'
  /** The matters in its result. Empty: nothing to report. */
  readonly outcomes: (result: Result) => readonly MatterContent[]
  /** The result with these warnings in its document: a job of a fleet is known by its document only. */
  readonly withWarnings: (result: Result, warnings: readonly Problem[]) => Result
}

/**
 * Does the work, and reports its outcome to webhooks. It always returns the result of the work, or throws its error: failures of
 * the report are warnings, which are shown and added to the result. All of it takes no longer than `noticeLimitMs`, except for the records.
 */
export async function withNotices<Result>(
  { command, outcomes, withWarnings }: Watched<Result>,
  request: ProjectRequest,
  ports: Ports,
  work: () => Promise<Result>,
): Promise<Result> {
  const notify = (found: readonly MatterContent[]) => notifyAll({ command, found, request }, ports)
  const failed = async (error: unknown): Promise<never> => {
    if (error instanceof ProblemError) {
      await notify([{ matter: `failed ${command}`, content: problemContent(error.problems) }])
    }
    throw error
  }
  const result = await work().catch(failed)
  const warnings = (await notify(outcomes(result))).filter(({ severity }) => severity === 'warning')
  return warnings.length === 0 ? result : withWarnings(result, warnings)
}

/** The maximum time that webhooks may delay a command. */
const noticeLimitMs = 10_000

interface Notification {
  readonly command: 'drift' | 'apply'
  readonly found: readonly MatterContent[]
  readonly request: ProjectRequest
}

/** Shows and returns what is to be said about the messages. */
async function notifyAll(notification: Notification, ports: Ports): Promise<readonly Problem[]> {
  const problems = await problemsOfNotification(notification, ports)
  for (const { severity, message, hint, code } of problems) {
    ports.progress.warning(`${severity}: ${message}${hint === undefined ? '' : `; ${hint}`} [${code}]`)
  }
  return problems
}

async function problemsOfNotification(notification: Notification, ports: Ports): Promise<readonly Problem[]> {
  if (notification.found.length === 0 || ports.signal.aborted) return []
  // A project file that cannot be read names no webhooks.
  const project = projectFor(notification.request, ports)
  if (!project || project.webhooks.length === 0) return []
  try {
    return await notifyWebhooks(project, notification, ports)
  } catch (error) {
    // An error here must not hide the result of the command.
    return thrownProblems(error)
  }
}

async function notifyWebhooks(project: Project, notification: Notification, ports: Ports): Promise<readonly Problem[]> {
  const found = project.webhooks.map((webhook) => receiverOf(webhook, project, ports))
  const unusable = found.flatMap((each) => ('problem' in each ? [each.problem] : []))
  const receivers = found.flatMap((each) => ('problem' in each ? [] : [each]))
  if (receivers.length === 0) return unusable
  const target = targetIn(project, notification.request, ports)
  const key: ProjectKey = { url: target.url, area: target.area, project: recordedName(project) }
  const memory = await memoryOf(project, key, ports)
  try {
    const about: About = { notification, target, part: partOf(notification.request), earlier: memory.earlier }
    const messages = receivers.flatMap((receiver) => messagesFor(receiver, about, ports))
    const sent = await sendAll(messages, ports)
    const done = sent.flatMap(({ message, problem }) => (problem ? [] : [message]))
    const notRemembered = await remember(done, memory, key, new Set(project.webhooks.map(webhookKey)))
    return [...unusable, ...sent.flatMap(messageProblems), ...notRemembered]
  } finally {
    await memory.records?.close()
  }
}

const messageProblems = ({ message, problem }: Sent): readonly Problem[] => {
  if (problem) return [problem]
  return message.quiet ? [] : [webhookMessageSent(webhookName(message.receiver.webhook), message.what)]
}

function targetIn(project: Project, request: ProjectRequest, ports: Ports): TargetDocument {
  const names = projectIn(project)
  try {
    return { ...targetOfProject(project, request, ports), ...names }
  } catch (error) {
    // An address that is not valid: this is reported to the webhooks.
    if (error instanceof ProblemError) return { url: '', area: '', ...names }
    throw error
  }
}

/** Each part of a project is reported separately: a part says nothing about the rest. */
const partOf = ({ select, labels, paths }: ProjectRequest): string =>
  [select, labels, paths].every((each) => each.length === 0) ? '' : digest(JSON.stringify([select, labels, paths]))

/** A message for one webhook, and what is remembered after it was sent. */
interface Message extends Remembered {
  readonly receiver: Receiver
  readonly body: object
  /** A short description of the message. */
  readonly what: string
  /** The webhook does not want this message: it is only remembered. */
  readonly quiet: boolean
}

interface About {
  readonly notification: Notification
  readonly target: TargetDocument
  readonly part: string
  /** Earlier messages to webhooks. */
  readonly earlier: readonly Notified[]
}

function messagesFor(
  receiver: Receiver,
  { notification: { command, found }, target, part, earlier }: About,
  ports: Ports,
): readonly Message[] {
  const { webhook, key } = receiver
  const now = ports.now()
  return found.flatMap(({ matter, content }) => {
    const before = earlier.find((each) => each.webhook === key && each.part === part && each.matter === matter)
    const current = content && contentDigest(content)
    const due = dueNotice(before, { matter, digest: current }, webhook, now)
    if (!due) return []
    const document = noticeOf(due, content, { command, target, now, matter }, ports)
    const known = { webhook: key, part, matter }
    const after = current === undefined ? undefined : { ...known, digest: current, since: due.since, at: now }
    const body = webhook.format === 'slack' ? noticeText(document) : document
    const quiet = due.event === 'recovery' && !webhook.on.includes('recovery')
    const what = due.event === 'recovery' ? `recovery from ${matter}` : `${matter} (${due.reason})`
    return [{ ...known, receiver, body, after, what, quiet }]
  })
}

interface NoticeHead {
  readonly command: 'drift' | 'apply'
  readonly target: TargetDocument
  readonly now: number
  readonly matter: Notified['matter']
}

function noticeOf(
  { event, reason, since }: Due,
  content: NoticeContent | undefined,
  { command, target, now, matter }: NoticeHead,
  { env, mask }: Ports,
) {
  const job = jobPage(env)
  const { findings, problems } = content ?? { findings: [], problems: [] }
  return noticeDocument(
    {
      ...{ event, reason, command },
      ...(event === 'recovery' && { of: matter === 'drift' ? ('drift' as const) : ('error' as const) }),
      target,
      ...{ since: new Date(since).toISOString(), at: new Date(now).toISOString() },
      ...(job !== undefined && { job }),
    },
    {
      findings: findings.map(({ error, ...each }) => ({ ...each, ...(error !== undefined && { error: mask(error) }) })),
      problems: problems.map(({ code, message }) => ({ code, message: mask(message) })),
    },
  )
}

/** The URL of the page with the output of the CI job. */
function jobPage({
  CI_JOB_URL,
  GITHUB_SERVER_URL,
  GITHUB_REPOSITORY,
  GITHUB_RUN_ID,
}: Ports['env']): string | undefined {
  if (GITHUB_SERVER_URL && GITHUB_REPOSITORY && GITHUB_RUN_ID) {
    return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`
  }
  return CI_JOB_URL || undefined
}

interface Sent {
  readonly message: Message
  readonly problem: Problem | undefined
}

async function sendAll(messages: readonly Message[], ports: Ports): Promise<readonly Sent[]> {
  const silent = messages.filter(({ quiet }) => quiet).map((message): Sent => ({ message, problem: undefined }))
  const toSend = messages.filter(({ quiet }) => !quiet)
  if (toSend.length === 0) return silent
  const transport = await transportFrom(ports)
  if ('why' in transport) {
    const failed = ({ webhook }: Receiver) => webhookMessageNotSent(webhookName(webhook), transport.why)
    return [...silent, ...toSend.map((message): Sent => ({ message, problem: failed(message.receiver) }))]
  }
  // Node.js may collect a signal of AbortSignal.timeout as garbage if only another signal depends on it; then it never aborts.
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), noticeLimitMs)
  const signal = AbortSignal.any([ports.signal, late.signal])
  try {
    const sent = toSend.map(async (message): Promise<Sent> => {
      const { url, webhook } = message.receiver
      const delivery = await sendToWebhook({ url, body: message.body }, { transport, sleep: ports.sleep, signal })
      return {
        message,
        problem: delivery.is === 'sent' ? undefined : webhookMessageNotSent(webhookName(webhook), delivery.why),
      }
    })
    return [...silent, ...(await Promise.all(sent))]
  } finally {
    clearTimeout(timer)
    await transport.close?.()
  }
}

/** The transport, or why there is none. A wrong proxy setting must not make the command fail. */
async function transportFrom(ports: Ports): Promise<Transport | { readonly why: string }> {
  try {
    return await ports.transport()
  } catch (error) {
    if (error instanceof ProblemError) return { why: error.message }
    throw error
  }
}

/** The state of one matter after a command: a digest of what is wrong, or that nothing is wrong. */
interface MatterState {
  readonly matter: Notified['matter']
  /** Undefined: nothing is wrong, or nothing any more. */
  readonly digest: string | undefined
}

/** Why a webhook gets a message now. */
interface Due {
  readonly event: NoticeDocument['event']
  readonly reason: NoticeDocument['reason']
  /** The time of its first report, in milliseconds since 1970. */
  readonly since: number
}

/** The message about a matter, after earlier messages. Undefined: no message. */
function dueNotice(
  before: Pick<Notified, 'digest' | 'since' | 'at'> | undefined,
  { matter, digest }: MatterState,
  { on, remindMs }: Pick<Webhook, 'on' | 'remindMs'>,
  now: number,
): Due | undefined {
  const event = matter === 'drift' ? 'drift' : 'error'
  if (!on.includes(event)) return undefined
  if (digest === undefined) return before && { event: 'recovery', reason: 'over', since: before.since }
  if (!before) return { event, reason: 'first', since: now }
  if (before.digest !== digest) return { event, reason: 'changed', since: before.since }
  // Scheduled jobs start some minutes early or late, so a reminder that is almost due is sent now.
  const isDue = remindMs !== undefined && now - before.at >= remindMs * 0.95
  return isDue ? { event, reason: 'reminder', since: before.since } : undefined
}
