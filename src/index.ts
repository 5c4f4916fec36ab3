import { setMaxListeners } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { maskOf } from './engine/masking.js'
import { vaultOf } from './engine/vault.js'
import { type Workspace, type WorkspaceInput, workspaceOf } from './engine/workspace.js'
import { abortSignal, callback, checkInput, record, text } from './engine/workspace-input.js'
import type { Ports } from './ports/ports.js'
import { harmless, type Progress } from './ports/progress.js'

/** The programming interface: what the commands do, as functions. */

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

/** Parts of the world that a program replaces. `progress` is told what it has functions for; what they throw is ignored. */
export type WorkspacePorts = { readonly [Name in keyof Omit<Ports, 'progress'>]?: Ports[Name] | undefined } & {
  readonly progress?: Partial<Progress> | undefined
}

/**
 * Opens a project. Nothing is read or sent before one of its functions is called. `ports` replaces parts of the world: the
 * environment, the working directory, the clock, the way to the wire; aborting `signal` ends what has not written yet, and
 * lets what has written finish what is in flight. Throws a ProblemError if one of them has a field that there is not, or a
 * value that its field does not take. Nothing is printed, and no listener stays behind.
 */
export function openWorkspace(input: WorkspaceInput = {}, ports: WorkspacePorts = {}): Workspace {
  checkInput('openWorkspace', ports, portFields)
  const env = ports.env ?? process.env
  const cwd = ports.cwd ?? process.cwd()
  const signal = ports.signal ?? new AbortController().signal
  // Every call listens to it while it runs, and Node warns of more than ten.
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
