import { once } from '../json/once.js'
import type { LiveObject, Snapshot } from '../live/live-object.js'
import { KnownProject } from '../manifest/known-project.js'
import type { Manifests } from '../manifest/resource.js'
import { type Matches, match } from '../planner/match/match.js'
import { claimKeyOf } from '../planner/prune/ownership.js'
import type { Ports } from '../ports/ports.js'
import type { ProblemCode } from '../problems/codes.js'
import { environmentUnread } from '../problems/planning.js'
import { errorsIn, type Problem } from '../problems/problem.js'
import { maskedProblem } from './masking.js'
import { areaOf } from './other-environment.js'
import type { ProjectRequest } from './requests.js'
import type { Desired, Target } from './settings.js'
import { keyNames } from './snapshot-area.js'
import type { LayersAccess } from './write-back/layers.js'

/** What the other environments of an area declare there. */
interface Elsewhere {
  /** The environment that declares each live object, by claim key. */
  readonly declared: ReadonlyMap<string, string>
  /** A warning for each environment whose manifests cannot be read completely. */
  readonly problems: readonly Problem[]
}

/** The other environments of the project. Their manifests are composed once, when they are needed first. */
export interface OtherEnvironments {
  readonly layers: LayersAccess
  declaredIn(snapshot: Snapshot): Elsewhere
}

/**
 * What the other environments of the project declare in the area, according to the project file (A495). Undefined if the project
 * has no other environment. With `--applied-in`, their manifests are those of the commit too.
 */
export async function elsewhereOf(
  { project, files }: Pick<Desired, 'project' | 'files'>,
  target: Target,
  request: ProjectRequest,
  ports: Ports,
): Promise<OtherEnvironments | undefined> {
  const { layers } = project
  if (!layers || layers.environments.length < 2) return undefined
  const { layersOf } = await import('./write-back/layers.js')
  const { manifestTexts } = await import('./write-back/manifest-texts.js')
  const { filesAsRead } = await import('../files/as-read.js')
  // Paths and values of the command line are about the selected environment.
  const texts = manifestTexts(project, [], { allowFile: request.allowFile }, ports)
  const access = layersOf(layers, 'environment', { ...texts, ...(files && { files: filesAsRead(files) }) })
  const others = once(() => {
    const known = new KnownProject()
    const isHere = (name: string) => areaOf(name, target, request, ports, known) === 'this'
    return layers.environments.filter((name) => name !== layers.environment && isHere(name))
  })
  return {
    layers: access,
    declaredIn(snapshot) {
      const read = others().map((name) => ({ name, manifests: access.manifestsIn(name, new Map()) }))
      const keyName = keyNames(ports)
      const declared = read.flatMap(({ name, manifests }) =>
        declaredIn(match(manifests, snapshot, keyName)).map((key) => [key, name] as const),
      )
      const problems = read.flatMap(({ name, manifests }) => unreadIn(name, manifests))
      return { declared: new Map(declared), problems: problems.map((each) => maskedProblem(each, ports.mask)) }
    },
  }
}

/**
 * The claim keys of the declared objects. A reference to an object does not declare it. If it is unclear which of several objects
 * is declared, all of them are.
 */
function declaredIn(world: Matches): readonly string[] {
  const declared = [...world.claimed].flatMap(([object, { implicit }]) => (implicit ? [] : [object]))
  return [...declared, ...perhapsDeclared(world)].map((object) => claimKeyOf(object, world))
}

const perhapsDeclared = ({ unclear, resources, matched, live }: Matches): readonly LiveObject[] =>
  [...unclear.keys()].flatMap((address) => {
    const resource = resources.get(address)
    if (!resource || resource.implicit) return []
    const { kind, key, parent } = resource
    return live.among(kind, parent === undefined ? undefined : matched.get(parent)).filter((each) => each.key === key)
  })

/**
 * Variables and files that only the other environment has are no problem: its objects are known without them, unless their names
 * are not.
 */
function unreadIn(environment: string, { problems, isAllRead }: Manifests): readonly Problem[] {
  const errors = errorsIn(problems)
  const broken = errors.find(({ code }) => !notHere.has(code)) ?? (isAllRead === false ? errors[0] : undefined)
  return broken ? [environmentUnread(environment, broken.message)] : []
}

const notHere: ReadonlySet<ProblemCode> = new Set<ProblemCode>(['unset-variable', 'file-outside', 'missing-value-file'])
