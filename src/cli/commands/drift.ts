import { diagnosticOf } from '../../documents/diagnostics.js'
import { driftOf } from '../../engine/drift.js'
import { type DriftRequest, planDefaults } from '../../engine/requests.js'
import { filesText } from '../../report/export.js'
import type { CommandEnd } from '../command-end.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { DriftOptions } from '../options.js'
import { showDrift } from '../show-plan.js'

/**
 * `drift`: compares the live area with the desired state; without a base, every difference counts. With --write, it writes the
 * drift into the manifests, and the exit code is 2 only for the rest. Sends only GET.
 */
export async function driftCommand(options: DriftOptions, io: Io): Promise<CommandEnd> {
  const { document, remarks, written, isOpen, errors, traffic } = await driftOf(requestOf(options), io)
  showDrift({ document, remarks }, options, io)
  if (written && options.output === 'text') {
    const problems = written.problems.map(diagnosticOf)
    const why = document.accepted.length > 0 ? 'all drift is accepted' : 'nothing has drifted'
    io.stdout.write(`\n${filesText(written.files, problems, why).output}`)
  }
  const found = isOpen ? exit.differences : exit.done
  return { exitCode: errors.length > 0 ? exit.failed : found, reported: { is: 'drift', document }, traffic }
}

/** `--accept` may also name the file. */
function requestOf({ accept, accepted, ...options }: DriftOptions): DriftRequest {
  const file = accepted ?? (accept === true ? undefined : accept)
  return { ...planDefaults, ...options, accept: accept === undefined ? undefined : 'now', accepted: file }
}
