import type { Run } from '../../applier/converge.js'
import { catalog } from '../../catalog/catalog.js'
import type { LiveObject } from '../../catalog/live.js'
import { nodeFiles } from '../../manifest/files.js'
import { readProject } from '../../manifest/project.js'
import type { Base, BaseObject } from '../../planner/base.js'
import { refusals } from '../../planner/guard.js'
import type { Plan } from '../../planner/plan.js'
import { readSpecFor } from '../../planner/read-spec.js'
import { onlyAsLeft } from '../../planner/rollback.js'
import { select } from '../../planner/select.js'
import { confirmationNeeded, hasErrors, leftAsItIs, ProblemError, runUnknown } from '../../problem.js'
import { planDocument } from '../../report/plan-document.js'
import { type Area, closeArea, contextOf, digest, type Planned, planFrom, withUsage } from '../area.js'
import { connectionTo } from '../connection.js'
import { exit } from '../exit.js'
import { closedFence } from '../fence.js'
import { finishing } from '../finishing.js'
import type { Io } from '../io.js'
import { lastApplied } from '../last-applied.js'
import type { RollbackOptions } from '../options.js'
import { confirm, performPlan } from '../perform-plan.js'
import { allowanceOf, liveCount, showPlan } from '../plan-view.js'
import { withoutDoubles } from '../plan-with-records.js'
import { receiptsAfterUndo } from '../receipts-after-undo.js'
import { takeTurn } from '../run-journal.js'
import { accessOf, masking, secretsOf } from '../settings.js'
import { showProblems } from '../show.js'
import { recordedAddress, type Undo, undoOf } from '../undo.js'

/** `rollback RUN`: undoes what a run wrote, where the live side is still as the run left it. */
export async function rollbackCommand(options: RollbackOptions, io: Io): Promise<number> {
  const { io: reading, begin } = finishing(io)
  const opened = await openRecorded(options, reading)
  try {
    const turn = await takeTurn(opened, io)
    try {
      const undo = await undoIn(opened, options)
      const area = areaOf(opened, undo)
      const plan = () => planUndo(area, undo, options, reading)
      const looking = { area, options, io: reading, purpose: 'plan', announced: 'wait' } as const
      const planned = await withoutDoubles(await plan(), plan, looking)
      const ending = await approved(planned, area, options, reading)
      if (ending !== undefined) return ending
      const keep = (run: Run, remaining: Plan) =>
        receiptsAfterUndo({ run, plan: planned.plan, remaining, undo, name: turn.run }, opened.last)
      const purpose = { is: 'rollback', of: undo.base.origin } as const
      return await performPlan({ area, turn, planned, sentBefore: 0, purpose, keep, begin }, options, io)
    } finally {
      await turn.lock.release()
    }
  } finally {
    await closeArea(opened)
  }
}

/** The area of a project whose manifests are not looked at: only the records count. */
async function openRecorded(options: RollbackOptions, io: Io): Promise<Area> {
  const { project, problems } = readProject({ dir: options.directory, env: io.env }, nodeFiles(io.cwd))
  if (hasErrors(problems)) throw new ProblemError(problems)
  const manifests = { resources: [], removals: [], problems: [], digest: digest(''), secrets: [] }
  const access = accessOf(project, options, io)
  const mask = masking(secretsOf(manifests, io))
  const fence = closedFence()
  const client = await connectionTo({ ...access, mayWrite: fence.mayWrite }, project, mask, options, io)
  const last = await lastApplied(project, access, options, io)
  const settings = {
    prune: 'applied',
    scope: project.scope,
    conventionalOperations: project.platform.conventionalOperations,
    // Where somebody has changed what the run wrote, the live side has it.
    take: 'live',
    allowReplace: options.allowReplace,
  } as const
  return { wanted: { project, manifests, problems }, access, client, settings, mask, last, fence }
}

async function undoIn({ last }: Area, { run }: RollbackOptions): Promise<Undo> {
  const record = await last.records.run(last.key, run)
  if (record) return undoOf(record)
  const known = (await last.records.runs(last.key)).slice(0, 5).map(({ head }) => head.run)
  throw new ProblemError([runUnknown(run, known)])
}

const areaOf = (opened: Area, undo: Undo): Area => ({
  ...opened,
  wanted: { ...opened.wanted, manifests: undo.manifests, problems: [...undo.manifests.problems, ...undo.problems] },
  last: { ...opened.last, base: withAdded(undo.base, opened.last) },
})

/** What the platform has added by itself to what the run created goes along with it. */
function withAdded(base: Base, { receipts }: Area['last']): Base {
  const noted = new Map(receipts.map((receipt) => [receipt.address, receipt]))
  const objects = [...base.objects].map(([address, known]): [string, BaseObject] => {
    const { id, added } = noted.get(address) ?? {}
    return [address, id === known.id && added ? { ...known, added } : known]
  })
  return { ...base, objects: new Map(objects) }
}

/** The inverse of the run, without what is no longer as the run left it. */
async function planUndo(area: Area, undo: Undo, options: RollbackOptions, io: Io): Promise<Planned> {
  // Read once for both: what is to be restored, and whether what was created is still as it was, with all that it holds.
  const all = {
    ...undo.manifests,
    resources: [...undo.manifests.resources, ...undo.created.resources],
    removals: undo.created.resources.map(({ address, kind, mark }) => ({ address, kind, mark })),
  }
  const spec = readSpecFor(all, area.settings, 'drift', undo.base)
  const reading = await area.client.read(spec)
  const created = {
    ...area,
    wanted: { ...area.wanted, manifests: undo.created },
    last: { ...area.last, base: undefined },
  }
  const { plan, left } = onlyAsLeft(planFrom(area, reading, io), {
    ids: new Map([...undo.base.objects].map(([address, { id = '' }]) => [address, id])),
    deleted: deletedIn(undo),
    moved: changedIn(planFrom(created, reading, io)),
  })
  const problems = [...plan.problems, ...left.map(({ address, why }) => leftAsItIs(address, why))]
  return withUsage(area, select({ ...plan, problems }, undo.manifests, options), reading, spec)
}

const changedIn = ({ changes }: Plan): ReadonlySet<LiveObject> =>
  new Set(changes.flatMap((change) => (change.action === 'create' ? [] : (change.live ?? []))))

/** What the run deleted; members of a fixed set are no changes of their own, they went with what they lie in. */
function deletedIn({ done, manifests: { resources } }: Undo): ReadonlySet<string> {
  const recorded = new Set(done.filter(({ action }) => action === 'delete').map(({ address }) => address))
  const deleted = new Set(resources.filter((each) => recorded.has(recordedAddress(each))).map(({ address }) => address))
  const members = resources.filter(({ kind, parent = '' }) => catalog[kind].fixedSet && deleted.has(parent))
  return new Set([...deleted, ...members.map(({ address }) => address)])
}

/** Shows the plan and asks; an exit code where it is not performed. */
async function approved(planned: Planned, area: Area, options: RollbackOptions, io: Io): Promise<number | undefined> {
  const problems = [...area.wanted.problems, ...planned.plan.problems]
  if (hasErrors(problems)) throw new ProblemError(problems)
  const document = planDocument({ ...planned.plan, problems }, contextOf(area, planned))
  if (options.output !== 'json' || planned.plan.changes.length === 0)
    showPlan({ document, problems, area }, options, io)
  if (planned.plan.changes.length === 0) return exit.done
  const refused = refusals(planned.plan, allowanceOf(area, options), liveCount(planned))
  const answer = refused.length > 0 ? 'cannot ask' : await confirm('Undo this?', options, io)
  if (answer === 'cannot ask') {
    showProblems(refused.length > 0 ? refused : [confirmationNeeded()], options, io)
    return exit.refused
  }
  return answer === 'no' ? exit.done : undefined
}
