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

/** The project of a workspace. Each field overrides environment variables and project file. */
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
  /** Values that override those of the project file, each as `NAME=TEXT`. */
  readonly values?: readonly string[] | undefined
  /**
   * Folders outside of the repository with files that `${file:…}` may name, such as mounted secrets. Their contents are secret.
   */
  readonly allowFile?: readonly string[] | undefined
  /** The file for the log of requests, in which secrets are masked. */
  readonly logHttp?: string | undefined
}

/** The settings of a plan, or the selection of objects. Every field has the command line's default. */
export interface PlanChoices {
  /** What may be deleted. Default: the setting of the project file, or else `applied`; `none` if `paths` are given. */
  readonly prune?: 'none' | 'applied' | 'all' | undefined
  /** The environment whose last run determines the commit of the manifests. Default: the working tree is used. */
  readonly appliedIn?: string | undefined
  /** The side that is used if both the manifests and the platform have changed. Default: neither, it is a conflict. */
  readonly take?: 'manifest' | 'live' | undefined
  /** Whether objects may get a new id because a field cannot be changed. */
  readonly allowReplace?: boolean | undefined
  /** Whether changes are left out that the interface does not support. */
  readonly skipBlocked?: boolean | undefined
  /** Permitted hazards, such as `KEY_LOSS`. */
  readonly allow?: readonly string[] | undefined
  /** Address patterns. Default: everything. */
  readonly select?: readonly string[] | undefined
  /** `key=value` or `key`. Default: everything. */
  readonly labels?: readonly string[] | undefined
  /** The git reference with the manifests that were last applied. It is used instead of the records. */
  readonly base?: string | undefined
  /** A snapshot file that is used instead of the live area. Nothing is sent. */
  readonly snapshot?: string | undefined
}

export interface ApplyChoices extends PlanChoices {
  /** Gets the plan, and returns whether to apply it: only `true` means yes. Nothing is written before. */
  readonly approve: (plan: PlanDocument) => boolean | Promise<boolean>
  /**
   * The name of the environment, or of the project if it has none. If it is given, `approve` is not called. It is needed if a
   * guard has `confirm: name`.
   */
  readonly confirm?: string | undefined
  /** How long to poll for domains that wait for approval, in milliseconds. Default: not at all. */
  readonly waitDomainsMs?: number | undefined
  /** How long to wait for another run in the area, in milliseconds. Default: not at all. */
  readonly lockTimeoutMs?: number | undefined
}

export interface ExportChoices {
  /** The folder for the manifests, relative to the working directory. */
  readonly dir: string
  /** Only objects of these kinds, with everything inside them. Default: all. */
  readonly kinds?: readonly string[] | undefined
  /** Address patterns. Default: everything. */
  readonly select?: readonly string[] | undefined
  /** Whether to write fields that only repeat the platform's defaults. */
  readonly full?: boolean | undefined
  /** Whether to write secrets, as placeholders of variables. */
  readonly withSecrets?: boolean | undefined
  /** Whether to remove manifests of objects that no longer exist. */
  readonly prune?: boolean | undefined
  /** Words in the names of objects: the folder becomes a separate project with an environment for each word. */
  readonly stages?: readonly string[] | undefined
}

/** A plan (`gatewright.plan/1`), and why an apply would not execute it. Neither contains secrets. */
export interface WorkspacePlan {
  readonly plan: PlanDocument
  readonly refused: readonly Problem[]
}

/** The result of an apply, with `gatewright.run/1` if a run was started. */
export type WorkspaceRun =
  /** `complete`: everything is as planned. */
  | {
      readonly is: 'performed'
      readonly complete: boolean
      readonly run: RunDocument
      readonly problems: readonly Problem[]
    }
  | { readonly is: 'unchanged' | 'declined' }
  | { readonly is: 'refused' | 'stale'; readonly problems: readonly Problem[] }

/** A drift (`gatewright.drift/1`). `isOpen`: there is drift that is not accepted. */
export interface WorkspaceDrift {
  readonly drift: PlanDocument
  readonly isOpen: boolean
}

/**
 * A project and its area. Every function reads everything again. If it cannot do its work, it rejects with a ProblemError that
 * contains all problems: wrong settings, an unreadable project file, manifests with errors, a platform that cannot be reached or
 * refuses the credentials, or an aborted `signal`. Any other rejection is a bug, or comes from a function of the caller.
 */
export interface Workspace {
  /** Checks project file, manifests and policies offline. Their problems are part of the result. */
  readonly validate: () => Promise<Validation>
  /**
   * The changes that apply would make, and why it would refuse them. Sends only GET. Rejects if manifests or plan have errors.
   */
  readonly plan: (choices?: PlanChoices) => Promise<WorkspacePlan>
  /**
   * Plans, calls `approve`, and executes the plan under the lock of the area. Rejects if there can be no plan, if another run has
   * the lock, and with the error of `approve`; then nothing is written. After the first write it does not reject because of the
   * platform's answers: the result contains the outcome of each change.
   */
  readonly apply: (choices: ApplyChoices) => Promise<WorkspaceRun>
  /**
   * Compares the live area with what was last applied and with what is declared. Sends only GET. Rejects if manifests have
   * errors.
   */
  readonly drift: (choices?: PlanChoices) => Promise<WorkspaceDrift>
  /** Writes the live area as manifests. Existing files are edited in place. Sends only GET. */
  readonly export: (choices: ExportChoices) => Promise<ExportDocument>
}

/** The use cases of a project as functions. Throws a ProblemError if the input is not valid. */
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
        const { document, refused } = await planProject(planRequest(project, choices), onlyDisplayed, own)
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
        // A caller that reads only isOpen must not believe that an object is in sync if it cannot be compared.
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

/** Calls a use case. Errors show no secrets, and no listener remains on the caller's signal after the call. */
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

/** The error itself if neither it nor its cause contains a secret, otherwise a masked error. */
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
      // A program cannot type a name, so it must give the name in the input.
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

/** Rejects if the caller aborts the signal while `approve` is running. */
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

const onlyDisplayed = { out: undefined, prove: false }

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
