import { setMaxListeners } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { maskOf } from './engine/masking.js'
import { vaultOf } from './engine/vault.js'
import { type Workspace, type WorkspaceInput, workspaceOf } from './engine/workspace.js'
import { abortSignal, callback, checkInput, record, text } from './engine/workspace-input.js'
import type { Ports } from './ports/ports.js'
import { harmless, type Progress } from './ports/progress.js'

/** The programming interface: the commands as functions. */

export type { ExportDocument } from './documents/export.js'
export type { PlanDocument } from './documents/plan.js'
export type { RunDocument } from './documents/run.js'
export type { Validation } from './engine/validate.js'
export type {
  ApplyChoices,
  ExportChoices,
  PlanChoices,
  Workspace,
  WorkspaceDrift,
  WorkspaceInput,
  WorkspacePlan,
  WorkspaceRun,
} from './engine/workspace.js'
export type { Ports } from './ports/ports.js'
export type { Progress } from './ports/progress.js'
export type { ProblemCode, Severity } from './problems/codes.js'
export { type Place, type Problem, ProblemError } from './problems/problem.js'

/** The ports that a caller can replace. `progress` may have any of its functions; exceptions from them are ignored. */
export type WorkspacePorts = { readonly [Name in keyof Omit<Ports, 'progress'>]?: Ports[Name] | undefined } & {
  readonly progress?: Partial<Progress> | undefined
}

/**
 * Opens a project. Nothing is read or sent before one of its functions is called. `ports` replaces parts of the outside world:
 * environment variables, working directory, clock, network. If `signal` is aborted, a function that has not written yet ends; one
 * that has written finishes its requests in flight. Throws a ProblemError if a parameter has an unknown field or an invalid
 * value. Prints nothing and leaves no listeners behind.
 */
export function openWorkspace(input: WorkspaceInput = {}, ports: WorkspacePorts = {}): Workspace {
  checkInput('openWorkspace', ports, portFields)
  const env = ports.env ?? process.env
  const cwd = ports.cwd ?? process.cwd()
  const signal = ports.signal ?? new AbortController().signal
  // Every running call listens to it, and Node warns if there are more than ten listeners.
  setMaxListeners(0, signal)
  return workspaceOf(input, {
    env,
    cwd,
    now: ports.now ?? Date.now,
    sleep: ports.sleep ?? (async (milliseconds, until) => setTimeout(milliseconds, undefined, { signal: until })),
    signal,
    transport:
      ports.transport ??
      (async () => {
        const { proxiesIn, undiciTransport } = await import('./client/undici-transport.js')
        return undiciTransport({ proxies: proxiesIn(env) })
      }),
    progress: harmless(ports.progress ?? {}),
    mask: ports.mask ?? maskOf(env),
    vault: ports.vault ?? vaultOf({ env, cwd }),
  })
}

const portFields = {
  ...{ env: record, cwd: text, now: callback, sleep: callback, signal: abortSignal },
  ...{ transport: callback, progress: record, mask: callback, vault: record },
}
