import { type PoliciesDocument, policiesDocument } from '../documents/policies.js'
import { type Files, nodeFiles } from '../files/files.js'
import { digest } from '../json/digest.js'
import { canonicalText } from '../json/order.js'
import { indexLive } from '../live/live-index.js'
import type { Snapshot } from '../live/live-object.js'
import type { Labels } from '../manifest/labels.js'
import { policySources } from '../manifest/policy-files.js'
import { problemsInOrder } from '../manifest/problems-in-order.js'
import type { Project } from '../manifest/project.js'
import { placeOf, type Source } from '../manifest/source.js'
import { pathOfPrint } from '../planner/compare/secret-values.js'
import type { Plan } from '../planner/plan.js'
import {
  evaluate,
  findingProblem,
  holdsIn,
  type PolicyFinding,
  type ReadyPolicy,
  readyPolicy,
  waiverWarnings,
} from '../policy/evaluate.js'
import type { Policy, PolicyTest } from '../policy/policy.js'
import { readPolicies, reportSameNames } from '../policy/read-policies.js'
import type { Mask } from '../ports/mask.js'
import type { Ports } from '../ports/ports.js'
import { unknownEnvironment } from '../problems/compose.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { nearest } from '../problems/suggest.js'
import type { Image } from '../stores/record.js'
import { sameAtRef } from './guard.js'
import { policiesAtRef, refuseBroken } from './guard-ref.js'
import { maskedProblem } from './masking.js'
import type { ProjectRequest } from './requests.js'
import type { Desired, Target } from './settings.js'

/** The policies for an area. */
export interface AreaPolicies {
  /** The digest of all policies. Undefined if the project has none. */
  readonly digest: string | undefined
  /** Returns the findings of the policies for a plan. */
  readonly evaluate: (planned: PlannedSnapshot, area: RequestedArea) => PolicyAnswer
}

interface PlannedSnapshot {
  readonly plan: Plan
  readonly snapshot: Snapshot
}

interface AppliedSecrets {
  readonly labels?: Labels | undefined
  readonly fingerprints: Image['fingerprints']
}

export interface RequestedArea {
  readonly desired: Pick<Desired, 'manifests'>
  /** What was last applied, if it is not in the base of the plan. */
  readonly recorded?: ((address: string) => AppliedSecrets | undefined) | undefined
  readonly mask: Mask
}

interface PolicyAnswer {
  /** Undefined if there are no policies. */
  readonly document: PoliciesDocument | undefined
  /** Why apply does not execute the plan. */
  readonly refused: readonly Problem[]
  readonly warnings: readonly Problem[]
}

const noAnswer: PolicyAnswer = { document: undefined, refused: [], warnings: [] }

export const noPolicies: AreaPolicies = { digest: undefined, evaluate: () => noAnswer }

/** Policies of one source, and the names that the selected environment has there. */
interface HeldPolicies {
  readonly policies: readonly ReadyPolicy[]
  readonly environments: readonly string[]
}

/**
 * The policies of the project and of the ref in GATEWRIGHT_GUARD_REF: the findings of both count. Throws a ProblemError if a
 * policy is broken, or if that ref cannot be read.
 */
export async function policiesOf(
  project: Project,
  target: Target,
  request: ProjectRequest,
  ports: Ports,
): Promise<AreaPolicies> {
  const { policies: own, problems } = await projectPolicies(project, nodeFiles(ports.cwd))
  if (hasErrors(problems)) throw new ProblemError(problems)
  const environment = project.layers?.environment
  const named = environment === undefined ? [] : [environment]
  const atRef = await heldAtRef(project, { environment, target }, request, ports)
  const known = new Set(own.map(demandsText))
  const others = atRef.policies.filter((policy) => !known.has(demandsText(policy)))
  // A policy that is the same in both also applies to the environment names at the ref.
  const held: readonly HeldPolicies[] = [
    { policies: own, environments: [...new Set([...named, ...(atRef.policies.length > 0 ? atRef.environments : [])])] },
    { policies: others, environments: atRef.environments },
  ]
  if (own.length + others.length === 0) return noPolicies
  const all = digest([...own, ...others].map(demandsText).sort().join('\n'))
  return { digest: all, evaluate: (planned, area) => policyAnswer(held, all, planned, area, ports.now()) }
}

const demandsText = ({ demands }: Policy): string => canonicalText(demands, 'as written')

async function heldAtRef(
  project: Project,
  { environment, target }: { readonly environment: string | undefined; readonly target: Target },
  request: ProjectRequest,
  ports: Ports,
): Promise<HeldPolicies> {
  const atRef = policiesAtRef(project, ports)
  if (!atRef || atRef.sources.length === 0) return { policies: [], environments: [] }
  const { policies, problems } = await readyPolicies(atRef.sources)
  refuseBroken(problems, atRef.reference)
  const names = sameAtRef(atRef.projects, { environment, target }, request, ports).flatMap(
    (each) => each.environment ?? [],
  )
  return { policies, environments: names.length > 0 || environment === undefined ? names : [environment] }
}

/** The policies of a project, and their problems. The policy language is loaded only if there are any. */
export async function projectPolicies(
  project: Pick<Project, 'dir' | 'policies' | 'manifests' | 'layers'>,
  files: Files,
): Promise<{ readonly policies: readonly ReadyPolicy[]; readonly problems: readonly Problem[] }> {
  const found: Problem[] = []
  const sources = policySources(project, files, (problem) => found.push(problem))
  const { policies, problems } = await readyPolicies(sources)
  const names = project.layers?.environments ?? []
  return { policies, problems: [...found, ...problems, ...policies.flatMap((each) => strangersIn(each, names))] }
}

/** An error for each environment in a policy that the project does not have, because no change could ever match it. */
const strangersIn = ({ match, tests }: Policy, names: readonly string[]): readonly Problem[] =>
  [...match.environments, ...tests.flatMap(inEnvironment)].flatMap(({ name, range }) => {
    const bare = name.replace(/^!/, '')
    return names.includes(bare) ? [] : [unknownEnvironment(placeOf(range), bare, names, nearest(bare, names))]
  })

const inEnvironment = ({ environment, range }: PolicyTest) =>
  environment === undefined ? [] : [{ name: environment, range }]

async function readyPolicies(sources: readonly Source[]) {
  if (sources.length === 0) return { policies: [], problems: [] }
  const problems: Problem[] = []
  const report = (problem: Problem) => problems.push(problem)
  const read = sources.flatMap((source) => readPolicies(source, report))
  reportSameNames(read, report)
  const { celLanguage } = await import('../policy/cel.js')
  const language = celLanguage()
  const policies = read.map((policy) => readyPolicy(policy, language, report))
  return { policies, problems: problemsInOrder(problems) }
}

function policyAnswer(
  held: readonly HeldPolicies[],
  all: string,
  { plan, snapshot }: PlannedSnapshot,
  { desired, mask, recorded = (address) => plan.base?.objects.get(address) }: RequestedArea,
  nowMs: number,
): PolicyAnswer {
  const { resources } = desired.manifests
  const view = {
    ...{ plan, resources, live: () => indexLive(snapshot), mask },
    recorded: (address: string) => {
      const { labels, fingerprints } = recorded(address) ?? { fingerprints: {} }
      return { labels, secrets: Object.keys(fingerprints).map(pathOfPrint) }
    },
  }
  const found = distinctFindings(
    held.flatMap(({ policies, environments }) => evaluate(policies, view, { environments, nowMs })),
  )
  const here = held.flatMap(({ policies, environments }) => policies.filter((policy) => holdsIn(policy, environments)))
  const problems = found.flatMap((finding) => {
    const problem = findingProblem(finding)
    return problem ? [{ problem: maskedProblem(problem, mask), finding }] : []
  })
  const of = (level: PolicyFinding['level']) =>
    problems.filter(({ finding }) => finding.level === level).map(({ problem }) => problem)
  return {
    document: policiesDocument(all, here, found, mask),
    refused: of('error'),
    warnings: [...of('warning'), ...waiverWarnings(here, { nowMs })],
  }
}

/** Findings of both the project and the ref are reported once. */
function distinctFindings(findings: readonly PolicyFinding[]): readonly PolicyFinding[] {
  const known = new Set<string>()
  return findings.filter(({ policy, object, outcome, level, words, waiver }) => {
    const key = JSON.stringify([policy.name, object?.address, outcome, level, words, waiver !== undefined])
    return !known.has(key) && known.add(key)
  })
}
