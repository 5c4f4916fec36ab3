import { recordsOf } from '../../history/records-of.js'
import type { Project } from '../../manifest/project.js'
import type { Ports } from '../../ports/ports.js'
import { webhooksNotRemembered } from '../../problems/notify.js'
import { type Problem, ProblemError } from '../../problems/problem.js'
import type { Notified, ProjectKey, Records } from '../../stores/record.js'

/** Earlier messages to webhooks. */
interface Memory {
  readonly earlier: readonly Notified[]
  /** Undefined if the records cannot be used, because of `problem`. */
  readonly records: Records | undefined
  readonly problem?: Problem
}

/** Reads the earlier messages. The caller closes the records. */
export async function memoryOf(project: Project, key: ProjectKey, ports: Ports): Promise<Memory> {
  let records: Records | undefined
  try {
    records = await recordsOf(project, ports)
    return { earlier: await records.notified(key), records }
  } catch (error) {
    await records?.close()
    if (error instanceof ProblemError) {
      return { earlier: [], records: undefined, problem: webhooksNotRemembered(error.message) }
    }
    throw error
  }
}

/** What is remembered about one matter for one webhook. `after` is undefined if the matter is over. */
export interface Remembered extends Pick<Notified, 'webhook' | 'part' | 'matter'> {
  readonly after: Notified | undefined
}

/** Records the messages that were sent. Messages to webhooks that the project does not name any more are removed. */
export async function remember(
  remembered: readonly Remembered[],
  { records, problem }: Memory,
  key: ProjectKey,
  named: ReadonlySet<string>,
): Promise<readonly Problem[]> {
  if (remembered.length === 0) return []
  if (!records) return problem ? [problem] : []
  const isReplaced = (each: Notified) =>
    remembered.some(
      ({ webhook, part, matter }) => each.webhook === webhook && each.part === part && each.matter === matter,
    )
  try {
    await records.changeNotified(key, (before) => [
      ...before.filter((each) => named.has(each.webhook) && !isReplaced(each)),
      ...remembered.flatMap(({ after }) => after ?? []),
    ])
    return []
  } catch (error) {
    if (error instanceof ProblemError) return [webhooksNotRemembered(error.message)]
    throw error
  }
}
