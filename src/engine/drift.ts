import { driftDocument, type PlanDocument, withAccepted } from '../documents/plan.js'
import type { Ports } from '../ports/ports.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { type Area, closeArea, openArea } from './area.js'
import { judgeDrift } from './judge-drift.js'
import { contextOf, problemsOf, remarksIn } from './plan.js'
import { planWithRecords } from './plan-with-records.js'
import type { DriftRequest } from './requests.js'
import { isWritten, type WrittenDrift, writeDriftBack } from './write-back/drift.js'

/** How the live area differs from what is desired. */
export interface DriftResult {
  readonly document: PlanDocument
  /** What people are told beside it. */
  readonly remarks: readonly Problem[]
  /** What was brought into the manifests; undefined where that was not asked for. */
  readonly written: WrittenDrift | undefined
  /** Whether something has drifted that is neither accepted nor in the manifests now. */
  readonly isOpen: boolean
}

/**
 * The live area against what is desired; without a base every difference counts. With `write` the manifests follow what has
 * drifted. Sends only GET. Throws a ProblemError if there can be no plan.
 */
export async function driftOf(request: DriftRequest, ports: Ports): Promise<DriftResult> {
  const opened = await openArea(request, ports)
  const area: Area = { ...opened, settings: { ...opened.settings, knownBy: 'recorded id' } }
  try {
    const planned = await planWithRecords({ area, request, ports, purpose: 'drift', announced: 'tell' })
    const found = problemsOf(area, planned)
    if (hasErrors(found)) throw new ProblemError(found)
    const written = request.write ? await writeDriftBack(area, planned.plan, request, ports) : undefined
    const problems = [...found, ...(written?.problems ?? [])]
    const { findings, accepted } = judgeDrift(area, planned.plan, request, ports)
    const document = driftDocument({ ...planned.plan, problems }, contextOf(area, planned))
    const isOpen = written && isWritten(written, planned.plan) ? false : findings.length > 0
    const doubts = written?.problems.filter(({ severity }) => severity !== 'note') ?? []
    const remarks = [...remarksIn(found, area), ...doubts]
    return { document: withAccepted(document, accepted), remarks, written, isOpen }
  } finally {
    await closeArea(area)
  }
}
