import { type Promoted, type PromotionDocument, promotionDocument } from '../documents/promotion.js'
import { filesAsRead } from '../files/as-read.js'
import { nodeFiles } from '../files/files.js'
import { nameMatcher } from '../files/glob.js'
import type { Texts } from '../files/overlay.js'
import { groupBy } from '../json/groups.js'
import { isObject, type Json, type JsonObject, sameJson } from '../json/json.js'
import { canonicalText } from '../json/order.js'
import type { WrittenLayers } from '../manifest/compose/layers.js'
import { plain } from '../manifest/node.js'
import { editLayers, type LayerEdit } from '../manifest/write/edit-layers.js'
import type { Ports } from '../ports/ports.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { badUsage } from '../problems/project.js'
import { nothingToPromote, notPromoted, promotionBreaks } from '../problems/promotion.js'
import { nearest } from '../problems/suggest.js'
import { unlessInterrupted } from './interrupted.js'
import { readProjectOf } from './project.js'
import type { PromoteRequest } from './requests.js'
import { desiredOf } from './settings.js'
import { manifestsOf, manifestTexts, projectReadAt } from './write-back/manifest-texts.js'
import { writeTexts } from './write-back/write-texts.js'

/** The result of a promotion, or of its preview. */
interface Promotion {
  readonly document: PromotionDocument
  readonly problems: readonly Problem[]
  /** The file of the environment, before and after, without secrets. */
  readonly file: { readonly path: string; readonly before: string; readonly after: string }
}

/**
 * Copies values and patches of one environment to another, in the project's files. Sends no requests. A value that every
 * environment must have is only copied if it is missing there, or if it is selected (A162). Throws a ProblemError if the other
 * environment would not be valid any more.
 */
export async function promote(request: PromoteRequest, ports: Ports): Promise<Promotion> {
  const { from, to, write } = request
  if (from === to)
    throw new ProblemError([badUsage('promote copies from one environment into another one', undefined, 'promote')])
  const [source, target] = [await layersIn(from, request, ports), await layersIn(to, request, ports)]
  const found = [...promotedValues(source, target), ...patchesOf(source, target)]
  const isSelected = selection(request, found)
  const chosen = found.filter(
    (each) => each.differs && isSelected(each) && (each.role === 'shared' || request.select.length > 0),
  )
  const own = found.filter((each) => each.differs && each.role === 'own' && !chosen.includes(each))
  const path = target.home
  const files = filesAsRead(nodeFiles(ports.cwd))
  const read = files.readText(path)
  if (!('text' in read)) throw new Error('a project has lost the file of an environment')
  const home = { environment: to, form: target.files.includes(path) ? 'document' : 'project' } as const
  const edited = editLayers(
    read.text,
    home,
    chosen.map(({ edit }) => edit),
    { resolve: (text) => text, lists: 'in order' },
  )
  const done = chosen.filter(({ edit }) => !edited.refused.includes(edit))
  const left = chosen.filter(({ edit }) => edited.refused.includes(edit))
  const texts: Texts = new Map([[path, edited.text]])
  refuseBreaking(texts, request, ports)
  await unlessInterrupted(ports)
  const written = write && done.length > 0 ? writeTexts(texts, files) : []
  const problems = left.map(({ change }) => notPromoted(`${change.is} ${change.name}`, to))
  const document = promotionDocument(
    { from, to, changes: done.map(({ change }) => change), own: own.map(({ change }) => change.name), files: written },
    problems,
    ports.mask,
  )
  return { document, problems, file: { path, before: ports.mask(read.text), after: ports.mask(edited.text) } }
}

interface HomeLayers extends WrittenLayers {
  readonly home: string
}

async function layersIn(environment: string, request: PromoteRequest, ports: Ports): Promise<HomeLayers> {
  const { layers, file } = readProjectOf({ ...request, environment, values: [] }, ports).project
  if (!layers) throw new Error('a project without layers has an environment')
  // Makes the mask hide the secrets of both environments.
  await desiredOf({ ...request, environment, values: [] }, ports)
  return { ...layers, home: layers.home ?? file ?? '' }
}

/** A value or a patch of the first environment, and its edit in the other one. */
interface PromotedEdit {
  readonly change: Promoted
  readonly edit: LayerEdit
  readonly differs: boolean
  /** `own`: each environment has its own value. */
  readonly role: 'shared' | 'own'
}

const promotedValues = (source: HomeLayers, target: HomeLayers): readonly PromotedEdit[] =>
  [...source.given].map(([name, { node }]): PromotedEdit => {
    const given = target.given.get(name)
    const [after, before] = [plain(node), given && plain(given.node)]
    const declared = source.declared.find((each) => each.name === name)
    return {
      change: { is: 'value', name, ...(before !== undefined && { before }), after },
      edit: { is: 'value', name, value: after },
      differs: before === undefined || !sameJson(before, after),
      role: before !== undefined && declared?.fallback === undefined ? 'own' : 'shared',
    }
  })

/**
 * The patches of the first environment. If several patches of an environment have the same target, they are paired with those of
 * the other environment in their order. Later patches override earlier ones, so a new patch is placed before the partners of the
 * patches that follow it. But it is placed after the patches with the same target: otherwise the next promotion would pair it
 * with another patch.
 */
function patchesOf(source: HomeLayers, target: HomeLayers): readonly PromotedEdit[] {
  const own = writtenPatches(target)
  const there = groupBy(own.entries(), ([, patch]) => targetKey(patch))
  const counts = new Map<string, number>()
  const paired = writtenPatches(source).map((patch) => {
    const key = targetKey(patch)
    const nth = counts.get(key) ?? 0
    counts.set(key, nth + 1)
    return { patch, other: there.get(key)?.[nth] }
  })
  return paired.map(({ patch, other }, place): PromotedEdit => {
    const [index, before] = other ?? [undefined, undefined]
    const behind = paired.slice(place + 1).flatMap((each) => each.other?.[0] ?? [])
    const [last = -1] = there.get(targetKey(patch))?.at(-1) ?? []
    const ahead = Math.max(Math.min(own.length, ...behind), last + 1)
    return {
      change: { is: 'patch', name: targetWords(patch), ...(before !== undefined && { before }), after: patch },
      edit: { is: 'patch', index, ahead: ahead === own.length ? undefined : ahead, patch },
      differs: before === undefined || !sameJson(before, patch),
      role: 'shared',
    }
  })
}

function writtenPatches({ patches }: WrittenLayers): readonly JsonObject[] {
  const written = patches && plain(patches)
  return Array.isArray(written) ? written.filter((each: Json) => isObject(each)) : []
}

const targetKey = ({ target = null }: JsonObject): string => canonicalText(target, 'as written')

function targetWords({ target = null }: JsonObject): string {
  if (typeof target === 'string') return target
  if (!isObject(target)) return 'a patch without a target'
  const { kind, name, labels } = target
  const pairs = isObject(labels) ? Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`) : []
  return [kind, name, ...pairs].filter((word) => word !== undefined).join(', ')
}

/** Returns a test for the names of values and targets. Throws a ProblemError if a pattern fits none of the first environment. */
function selection(
  { select: globs, from }: PromoteRequest,
  found: readonly PromotedEdit[],
): (copy: PromotedEdit) => boolean {
  const names = found.map(({ change }) => change.name)
  const fits = globs.map((glob) => ({ glob, fits: (name: string) => name === glob || nameMatcher(glob)(name) }))
  const empty = fits.filter((each) => !names.some(each.fits)).map(({ glob }) => glob)
  if (empty.length > 0) throw new ProblemError([nothingToPromote(empty, from, nearest(empty[0] ?? '', names), names)])
  return ({ change }) => fits.length === 0 || fits.some((each) => each.fits(change.name))
}

/** Throws a ProblemError if the other environment gets new errors by these texts. */
export function refuseBreaking(
  texts: Texts,
  { to, ...request }: Pick<PromoteRequest, 'to' | 'directory' | 'paths' | 'allowFile'>,
  ports: Pick<Ports, 'cwd' | 'env' | 'vault'>,
): void {
  const { project } = readProjectOf({ ...request, environment: to, values: [] }, ports)
  const given = manifestTexts(project, request.paths, request, ports)
  const errorsWith = (changed: Texts): readonly Problem[] => {
    const read = projectReadAt(given, changed, to)
    const { problems } = manifestsOf({ ...given, project: read.project }, changed)
    return [...read.problems, ...problems].filter((each) => hasErrors([each]))
  }
  const before = new Set(errorsWith(new Map()).map(words))
  const after = errorsWith(texts).filter((problem) => !before.has(words(problem)))
  if (after.length > 0) throw new ProblemError([promotionBreaks(to), ...after])
}

const words = ({ code, message }: Problem): string => `${code} ${message}`
