import type { ExportDocument } from '../documents/export.js'
import type { PlanDocument } from '../documents/plan.js'
import type { RunDocument } from '../documents/run.js'
import { interruptible } from '../ports/interruption.js'
import type { Ports } from '../ports/ports.js'
import { requestInterrupted } from '../problems/platform.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import { applyProject } from './apply.js'
import { driftOf } from './drift.js'
import { exportArea } from './export.js'
import { exportByStages } from './export-stages.js'
import { maskedProblem } from './masking.js'
import { planProject } from './plan.js'
import { type ExportRequest, type PlanRequest, type ProjectRequest, planDefaults } from './requests.js'
import { type Validation, validateProject } from './validate.js'
import { callback, checkInput, flag, hazardList, milliseconds, needed, oneOf, text, texts } from './workspace-input.js'

/** Which project a workspace is about; each field overrides environment and project file. */
export interface WorkspaceInput {
  /** The folder of the project file; relative to the working directory. Default: the working directory. */
  readonly directory?: string | undefined
  /** Manifests to read instead of those of the project file. */
  readonly paths?: readonly string[] | undefined
  /** The base URL of the platform, without /v3. */
  readonly url?: string | undefined
  /** The identifier of the customer area. */
  readonly area?: string | undefined
  /** One of the project's environments. Default: GATEWRIGHT_ENV. */
  readonly environment?: string | undefined
  /** Values that take precedence over those of the project file: `NAME=TEXT` each. */
  readonly values?: readonly string[] | undefined
  /** Folders beside the repository whose files `${file:…}` may name, such as mounted secrets; what is in them is secret. */
  readonly allowFile?: readonly string[] | undefined
  /** A file that every request is written to, secrets masked. */
  readonly logHttp?: string | undefined
}

/** What decides about a plan, or about what is looked at; every field has the command line's default. */
export interface PlanChoices {
  /** What may be deleted. Default: as the project file says, else `applied`; `none` if `paths` are given. */
  readonly prune?: 'none' | 'applied' | 'all' | undefined
  /** The environment whose last run says at which commit the manifests are read. Default: the working tree. */
  readonly appliedIn?: string | undefined
  /** Which side has it where manifests and platform have both changed. Default: neither, it is a conflict. */
  readonly take?: 'manifest' | 'live' | undefined
  /** Objects may get a new id where a field cannot be changed. */
  readonly allowReplace?: boolean | undefined
  /** What the interface has no way for is left out. */
  readonly skipBlocked?: boolean | undefined
  /** Hazards that may happen, such as `KEY_LOSS`. */
  readonly allow?: readonly string[] | undefined
  /** Globs of addresses. Default: everything. */
  readonly select?: readonly string[] | undefined
  /** `key=value` or `key`. Default: everything. */
  readonly labels?: readonly string[] | undefined
  /** The git commit whose manifests were last applied, instead of the records. */
  readonly base?: string | undefined
  /** A snapshot file in place of the live area: nothing is sent. */
  readonly snapshot?: string | undefined
}

export interface ApplyChoices extends PlanChoices {
  /** Gets the plan, and returns whether to apply it: only `true` is a yes. Nothing is written before. */
  readonly approve: (plan: PlanDocument) => boolean | Promise<boolean>
  /**
   * The name of the environment (of the project, where it has none), as `confirm: name` of a guard demands it: `approve` is not
   * asked then.
   */
  readonly confirm?: string | undefined
  /** How long to poll for domains that wait for approval, in milliseconds. Default: not at all. */
  readonly waitDomainsMs?: number | undefined
  /** How long to wait for another run in the area, in milliseconds. Default: not at all. */
  readonly lockTimeoutMs?: number | undefined
}

export interface ExportChoices {
  /** The folder that the manifests go to; relative to the working directory. */
  readonly dir: string
  /** Only objects of these kinds, with what they hold. Default: all. */
  readonly kinds?: readonly string[] | undefined
  /** Globs of addresses. Default: everything. */
  readonly select?: readonly string[] | undefined
  /** Fields that only repeat the platform's defaults are written as well. */
  readonly full?: boolean | undefined
  /** Secrets are written as well, as placeholders of variables. */
  readonly withSecrets?: boolean | undefined
  /** Manifests whose objects are gone are removed. */
  readonly prune?: boolean | undefined
  /** Words in the names of objects: the folder becomes a project of its own with an environment for each of them. */
  readonly stages?: readonly string[] | undefined
}

/** A plan: `gatewright.plan/1`, and why an apply would not perform it. No secret is in either. */
export interface WorkspacePlan {
  readonly plan: PlanDocument
  readonly refused: readonly Problem[]
}

/** What came of an apply: `gatewright.run/1` if something was sent. */
export type WorkspaceRun =
  /** `complete`: everything is as it was planned. */
  | {
      readonly is: 'performed'
      readonly complete: boolean
      readonly run: RunDocument
      readonly problems: readonly Problem[]
    }
  | { readonly is: 'unchanged' | 'declined' }
  | { readonly is: 'refused' | 'stale'; readonly problems: readonly Problem[] }

/** A drift: `gatewright.drift/1`. `isOpen`: something has drifted that is not accepted. */
export interface WorkspaceDrift {
  readonly drift: PlanDocument
  readonly isOpen: boolean
}

/**
 * A project and its area. Every function reads anew, and rejects with a ProblemError that has every problem if it cannot do its
 * work: wrong choices, an unreadable project file, manifests with errors, a platform that cannot be reached or refuses the
 * credentials, an aborted `signal`. Whatever else rejects is a bug, or was thrown by a function that was given.
 */
export interface Workspace {
  /** Checks project file, manifests and policies offline. What is wrong with manifests and policies is part of the result. */
  readonly validate: () => Promise<Validation>
  /** What would change, and what apply would refuse. Sends only GET. Rejects if manifests or plan have errors. */
  readonly plan: (choices?: PlanChoices) => Promise<WorkspacePlan>
  /**
   * Plans, asks `approve`, and performs the plan under the lock of the area. Rejects if there can be no plan, if another run
   * has the lock, and with what `approve` throws: nothing is written then. Once something is written it does not reject for
   * what the platform answers: the result says what became of each change.
   */
  readonly apply: (choices: ApplyChoices) => Promise<WorkspaceRun>
  /** The live area against what was last applied and what is declared. Sends only GET. Rejects if manifests have errors. */
  readonly drift: (choices?: PlanChoices) => Promise<WorkspaceDrift>
  /** Writes the live area as manifests; what people wrote in them is edited in place. Sends only GET. */
  readonly export: (choices: ExportChoices) => Promise<ExportDocument>
}

/** The use cases of a project as functions. Throws a ProblemError if the input is none. */
export function workspaceOf(input: WorkspaceInput, ports: Ports): Workspace {
  checkInput('openWorkspace', input, inputFields)
  const project = projectRequest(input)
  return {
    validate: () =>
      called(ports, async (own) => {
        const { problems, objects, ...found } = await validateProject(project, own)
        return {
          ...found,
          problems: masked(problems, own),
          objects: new Set([...objects].map((each) => own.mask(each))),
        }
      }),
    plan: (choices) =>
      called(ports, async (own) => {
        checkInput('plan', choices, planFields)
        const { document, refused } = await planProject(planRequest(project, choices), onlyShown, own)
        return { plan: document, refused: masked(refused, own) }
      }),
    apply: (choices) =>
      called(ports, (own) => {
        checkInput('apply', choices, applyFields)
        return apply(planRequest(project, choices), choices, own)
      }),
    drift: (choices) =>
      called(ports, async (own) => {
        checkInput('drift', choices, planFields)
        const { document, isOpen, errors } = await driftOf({ ...planRequest(project, choices), ...onlyLook }, own)
        // A caller that reads only isOpen must not take an object that cannot be compared for one in sync.
        if (errors.length > 0) throw new ProblemError(errors)
        return { drift: document, isOpen }
      }),
    export: (choices) =>
      called(ports, async (own) => {
        checkInput('export', choices, exportFields)
        const exporting = choices.stages ? exportByStages : exportArea
        return (await exporting(exportRequest(project, choices), own)).document
      }),
  }
}

/** Nothing that is thrown shows a secret, and nothing listens to the caller's signal when the call has ended. */
async function called<Result>(given: Ports, use: (ports: Ports) => Promise<Result>): Promise<Result> {
  const { ports, commit: leave } = interruptible(given)
  try {
    return await use(ports)
  } catch (error) {
    throw error instanceof ProblemError ? maskedError(error, ports) : error
  } finally {
    leave()
  }
}

/** The error itself if neither it nor what caused it shows a secret. */
function maskedError(error: ProblemError, { mask }: Ports): ProblemError {
  const problems = masked(error.problems, { mask })
  const cause = error.cause instanceof Error ? (error.cause.stack ?? error.cause.message) : String(error.cause)
  const isClear = mask(cause) === cause && problems.every((problem, at) => problem === error.problems[at])
  return isClear ? error : new ProblemError(problems)
}

const masked = (problems: readonly Problem[], { mask }: Pick<Ports, 'mask'>): readonly Problem[] =>
  problems.map((each) => maskedProblem(each, mask))

async function apply(request: PlanRequest, choices: ApplyChoices, ports: Ports): Promise<WorkspaceRun> {
  const result = await applyProject(
    {
      ...{ ...request, planFile: undefined, replan: false, resume: false },
      confirm: choices.confirm,
      ...{ waitDomainsMs: choices.waitDomainsMs ?? 0, lockTimeoutMs: choices.lockTimeoutMs ?? 0 },
    },
    {
      show: () => undefined,
      // A program types nothing: it gives the name.
      approve: async ({ document }, name) => {
        if (name !== undefined) return 'cannot ask'
        const answer = await Promise.race([choices.approve(document), interruption(ports)])
        return answer === true ? 'yes' : 'no'
      },
    },
    ports,
  )
  switch (result.is) {
    case 'performed': {
      const { is, document, problems, failures } = result.run
      return {
        ...{ is: 'performed', complete: is === 'done', run: document },
        problems: masked([...failures, ...problems], ports),
      }
    }
    case 'unchanged':
    case 'declined':
      return { is: result.is }
    default:
      return { is: result.is, problems: masked(result.problems, ports) }
  }
}

/** Rejects when nobody waits for an answer any more. */
const interruption = ({ signal }: Ports): Promise<never> =>
  new Promise((_, reject) => {
    const end = () => reject(new ProblemError([requestInterrupted('approve')]))
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })

const projectRequest = ({
  directory = '.',
  paths = [],
  values = [],
  allowFile = [],
  ...given
}: WorkspaceInput): ProjectRequest => ({
  ...{ directory, paths, values, allowFile },
  ...{ url: given.url, area: given.area, environment: given.environment, logHttp: given.logHttp },
  select: [],
  labels: [],
})

const planRequest = (
  project: ProjectRequest,
  { select = [], labels = [], allow = [], allowReplace = false, skipBlocked = false, ...given }: PlanChoices = {},
): PlanRequest => ({
  ...project,
  ...planDefaults,
  ...{ select, labels, allow, allowReplace, skipBlocked },
  ...{ prune: given.prune, appliedIn: given.appliedIn, take: given.take, base: given.base, snapshot: given.snapshot },
})

const exportRequest = (
  project: ProjectRequest,
  { dir, kinds = [], select = [], full = false, withSecrets = false, prune = false, stages }: ExportChoices,
): ExportRequest => ({
  ...project,
  ...{ dir, kinds, select, full, withSecrets, prune, snapshot: undefined, stages: stages?.join(',') },
})

const onlyShown = { out: undefined, prove: false }

const onlyLook = {
  ...{ write: false, accept: undefined },
  ...{ reason: undefined, owner: undefined, expires: undefined },
}

const inputFields = {
  ...{ directory: text, paths: texts, url: text, area: text, environment: text },
  ...{ values: texts, allowFile: texts, logHttp: text },
}

const planFields = {
  ...{ prune: oneOf('none', 'applied', 'all'), appliedIn: text, take: oneOf('manifest', 'live') },
  ...{ allowReplace: flag, skipBlocked: flag, allow: hazardList },
  ...{ select: texts, labels: texts, base: text, snapshot: text },
}

const applyFields = {
  ...planFields,
  ...{ approve: needed(callback), confirm: text, waitDomainsMs: milliseconds, lockTimeoutMs: milliseconds },
}

const exportFields = {
  ...{ dir: needed(text), kinds: texts, select: texts, full: flag, withSecrets: flag, prune: flag, stages: texts },
}
