import type { ClientStats } from '../client/types.js'
import { withDiagnostics } from '../documents/diagnostics.js'
import { driftDocument, type PlanDocument } from '../documents/plan.js'
import { type DriftFinding, findingsOf } from '../planner/safety/accept.js'
import type { Accepted } from '../planner/safety/acceptance.js'
import { select } from '../planner/select.js'
import type { Ports } from '../ports/ports.js'
import type { ProblemCode } from '../problems/codes.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { badUsage } from '../problems/project.js'
import { type Area, closeArea, openArea, type Planned, planFrom } from './area.js'
import { driftContent, problemContent } from './notify/content.js'
import { type Watched, withNotices } from './notify/notify.js'
import { contextOf, planProblems, remarksIn, unselected, withoutBase } from './plan.js'
import { leftToOthers, planWithRecords } from './plan-with-records.js'
import type { DriftRequest } from './requests.js'
import type { WrittenDrift } from './write-back/drift.js'

/** The differences between the live area and the desired state. */
interface DriftResult {
  readonly document: PlanDocument
  /** Messages for people, which are not in the document. */
  readonly remarks: readonly Problem[]
  /** What was written into the manifests. Undefined if that was not requested. */
  readonly written: WrittenDrift | undefined
  /** Whether there is drift that is neither accepted nor written into the manifests now. */
  readonly isOpen: boolean
  /** All drift, whether it was written into manifests or not. */
  readonly findings: readonly DriftFinding[]
  /** Errors because of which a part of the area cannot be compared. The rest is reported anyway (A360). */
  readonly errors: readonly Problem[]
  /** The requests that were sent. */
  readonly traffic: ClientStats
}

/**
 * Compares the live area with the desired state; without a base, every difference is drift. With `write`, the drift is written
 * into the manifests. Sends only GET to the platform. If the command only reads, webhooks get the findings. Throws a ProblemError
 * if nothing can be reported.
 */
export function driftOf(request: DriftRequest, ports: Ports): Promise<DriftResult> {
  const look = () => lookForDrift(request, ports)
  const isLook = !request.write && request.accept === undefined && request.snapshot === undefined
  return isLook ? withNotices(watched, request, ports, look) : look()
}

const watched: Watched<DriftResult> = {
  command: 'drift',
  outcomes: ({ isOpen, findings, document, errors }) => {
    const drift = { matter: 'drift', content: isOpen ? driftContent(findings, document) : undefined } as const
    if (errors.length === 0) return [{ matter: 'failed drift', content: undefined }, drift]
    // A part that cannot be compared may still have drift, so the end of the drift is not reported.
    return [{ matter: 'failed drift', content: problemContent(errors) }, ...(isOpen ? [drift] : [])]
  },
  withWarnings: (result, warnings) => ({ ...result, document: withDiagnostics(result.document, warnings) }),
}

async function lookForDrift(request: DriftRequest, ports: Ports): Promise<DriftResult> {
  await checkOptions(request, ports)
  const opened = await openArea(request, ports, 'to look')
  const area: Area = { ...opened, settings: { ...opened.settings, madeFor: 'report' } }
  try {
    const found = await planWithRecords({ area, request, ports, purpose: 'drift', announced: 'tell' })
    const wrong = [...planProblems(area, found), ...unselected(area, found, request)]
    const errors = wrong.filter((each) => hasErrors([each]))
    // Nothing is written or accepted if a part of the area cannot be compared.
    const isLook = !request.write && request.accept === undefined
    if (errors.length > 0 && !(isLook && errors.every(({ code }) => oneObjects.has(code))))
      throw new ProblemError(wrong)
    const planned = request.accept === undefined ? found : await accepting(area, found, request, ports)
    const reported = [...planProblems(area, planned), ...withoutBase(area, planned)]
    const writing = request.write ? await import('./write-back/drift.js') : undefined
    const written = await writing?.writeDriftBack(area, planned.plan, request, ports)
    const problems = [...reported, ...(written?.problems ?? [])]
    const findings = findingsOf(planned.plan, area.last.base ? 'known' : 'unknown')
    const isOpen = findings.length > 0 && !(written && writing?.isWritten(written, planned.plan))
    // The files are listed below the drift.
    const doubts = written?.problems.filter(({ code }) => code !== 'manifest-written') ?? []
    return {
      document: driftDocument({ ...planned.plan, problems }, contextOf(area, planned)),
      remarks: [...remarksIn(reported, area), ...doubts],
      written,
      isOpen,
      findings,
      errors,
      traffic: area.client.stats(),
    }
  } finally {
    await closeArea(area)
  }
}

/** Errors because of which one object or one of its fields cannot be compared. Everything else can be compared. */
const oneObjects: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'reference-to-nothing',
  'reference-to-removed',
  'ambiguous-reference',
  'parent-not-found',
])

/** Checks that the options fit together and none is missing, before anything is read. */
async function checkOptions(request: DriftRequest, ports: Ports): Promise<void> {
  const { write, accept, into, reason, owner, expires } = request
  const misuse = (words: string, remedy: string) => new ProblemError([badUsage(words, remedy)])
  if (into !== undefined && !write) {
    throw misuse('--into says where drift is written', 'gatewright drift --write --into manifest')
  }
  if (accept !== undefined) {
    if (write) throw misuse('--write and --accept are two answers to drift', 'leave out one of the two')
    const { decisionOf } = await import('./accept-drift.js')
    decisionOf(request, ports)
  } else if (reason !== undefined || owner !== undefined || expires !== undefined) {
    throw misuse('--reason, --owner and --expires say why, by whom and how long drift is accepted', 'add --accept')
  }
}

/** Accepts all drift, and returns the plan of the same reading with the acceptances. */
async function accepting(area: Area, found: Planned, request: DriftRequest, ports: Ports): Promise<Planned> {
  const { acceptDrift } = await import('./accept-drift.js')
  const planned = (accepted: Accepted) =>
    select(planFrom({ ...area, accepted }, found, ports), area.desired.manifests, request)
  const accepted = acceptDrift({ area, plan: found.plan, planned }, request, ports)
  const plan = await leftToOthers(accepted, found, { area, request, ports, purpose: 'drift', announced: 'tell' })
  return { ...found, plan: { ...plan, problems: found.plan.problems } }
}
