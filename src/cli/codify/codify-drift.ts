import { nodeFiles } from '../../manifest/files.js'
import { nameArea } from '../../manifest/write/area-names.js'
import { nameVariables } from '../../manifest/write/variables.js'
import type { Plan, Verdict } from '../../planner/plan.js'
import { withoutTemporaryPaths } from '../../planner/routes.js'
import { codifiedFile, type Problem } from '../../problem.js'
import { type Area, digest } from '../area.js'
import type { Io } from '../io.js'
import type { DriftOptions } from '../options.js'
import { fingerprintKeyOf } from '../settings.js'
import { keyNames } from '../snapshot-area.js'
import { codify } from './codify.js'
import { exportSpec } from './export-spec.js'
import { type ManifestTexts, readTexts, resolvedText } from './manifest-texts.js'
import { type WrittenFile, writeTexts } from './write-texts.js'

/** What of a drift is now in the manifests, and what could not be brought there. */
export interface WrittenDrift {
  readonly files: readonly WrittenFile[]
  readonly problems: readonly Problem[]
}

/** Brings what has drifted into the manifests that own it. What was never applied, and conflicts, stay as they are. */
export async function codifyDrift(area: Area, plan: Plan, options: DriftOptions, io: Io): Promise<WrittenDrift> {
  const { project, manifests } = area.wanted
  // The plan has read what it compares; an extra child is written whole.
  const kinds = [...new Set(manifests.resources.map((resource) => resource.kind))]
  const reading = await area.client.read(exportSpec(kinds, manifests.resources))
  // What a run has left there for a moment belongs into no manifest.
  const snapshot = withoutTemporaryPaths(reading.snapshot, digest)
  const texts: ManifestTexts = {
    project,
    files: nodeFiles(io.cwd),
    paths: options.paths,
    env: io.env,
    fingerprintKey: fingerprintKeyOf(io),
  }
  const drifted = driftedIn(plan, options)
  const found = codify({
    snapshot,
    variables: nameVariables(nameArea(snapshot), snapshot),
    purpose: 'drift',
    fullness: 'short',
    vanished: 'keep',
    keyName: keyNames(io),
    read: (changed) => readTexts(texts, changed),
    valueOf: (text) => resolvedText(text, texts),
    isOurs: () => true,
    isSelected: () => true,
    wants: ({ address }, { path }) => drifted.fields.has(`${address} ${path}`),
    mayAdd: (address) => drifted.extra.has(address),
    isGone: ({ address }) => drifted.gone.has(address),
    home: undefined,
  })
  const files = writeTexts(found.texts, io.cwd)
  return { files, problems: [...found.problems, ...files.map(({ path, action }) => codifiedFile(path, action))] }
}

/** Whether everything that has drifted is in the manifests. */
export const isWritten = ({ problems }: WrittenDrift, plan: Plan): boolean =>
  plan.problems.every(({ code }) => code !== 'temporary-path') &&
  problems.every((problem) => problem.severity === 'note' || problem.code === 'placeholder-replaced')

interface Drifted {
  /** Addresses and paths of fields. */
  readonly fields: ReadonlySet<string>
  /** Live objects that a manifest says are not to be: extra members of written lists, children written as null. */
  readonly extra: ReadonlySet<string>
  readonly gone: ReadonlySet<string>
}

function driftedIn({ changes, unmanaged }: Plan, { take }: DriftOptions): Drifted {
  const isDrift = (verdict: Verdict) =>
    verdict === 'drift' || verdict === 'difference' || (verdict === 'conflict' && take === 'live')
  const fields = changes.flatMap(({ address, fields: own }) =>
    own.filter((field) => isDrift(field.verdict)).map((field) => `${address} ${field.path}`),
  )
  const addresses = (action: string) =>
    changes.filter((change) => change.action === action && isDrift(change.verdict)).map(({ address }) => address)
  const inLists = unmanaged.filter((each) => each.inList).map(({ address }) => address)
  return {
    fields: new Set(fields),
    extra: new Set([...inLists, ...addresses('delete')]),
    gone: new Set(addresses('create')),
  }
}
