import { addressAndAbove } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { openApiKind } from '../catalog/openapi.js'
import { memberOf } from '../catalog/shapes.js'
import type { FieldType } from '../catalog/types.js'
import type { FieldLayers, LayerDocument, OriginsDocument, WrittenPlace } from '../documents/origins.js'
import { placeDocument } from '../documents/place.js'
import { isObject, type Json } from '../json/json.js'
import { isWithin, pointerTo } from '../json/pointer.js'
import { valueOrigin } from '../manifest/compose/given-values.js'
import { noLayers, type WrittenLayers } from '../manifest/compose/layers.js'
import type { Absence, Manifests, Resource } from '../manifest/resource.js'
import { holds, placeOf, type SourceRange, textOfRange } from '../manifest/source.js'
import { valueNames } from '../manifest/values.js'
import type { Mask } from '../ports/mask.js'
import type { Ports } from '../ports/ports.js'
import { leftOutHere, notDeclared } from '../problems/compose.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { nearest } from '../problems/suggest.js'
import { masked } from '../secrets/hidden-words.js'
import { holdsSecret } from '../secrets/mask.js'
import type { ProjectRequest } from './requests.js'
import { desiredOf } from './settings.js'

/**
 * The origins of the fields of one object, by its address. Never goes online. Throws a ProblemError if no manifest declares it.
 */
export async function originsOf(request: ProjectRequest, address: string, ports: Ports): Promise<OriginsDocument> {
  const { project, manifests, problems } = await desiredOf(request, ports)
  const found = manifests.resources.find((resource) => resource.address === address && !resource.implicit)
  if (!found) throw notFound(address, manifests, problems)
  const context = { layers: project.layers ?? noLayers, mask: ports.mask }
  return {
    format: 'gatewright.origins/1',
    ...(project.layers?.environment === undefined ? {} : { environment: project.layers.environment }),
    address,
    kind: found.kind,
    source: placeDocument(placeOf(found.range)),
    fields: [
      ...pathsOf(found).map((at) => fieldOrigin(found, at, context)),
      ...(found.absent ?? []).map((each) => absentOrigin(found, each, context)),
    ],
  }
}

/** The error for an address without an object. If the manifests have errors, these may be the cause, so they are reported. */
function notFound(address: string, manifests: Manifests, problems: readonly Problem[]): ProblemError {
  return new ProblemError(hasErrors(problems) ? problems : [notThere(address, manifests)])
}

/** Why the manifests have no object with this address. If an object is left out, the objects in it are not read. */
export function notThere(address: string, { resources, leavesOut }: Manifests): Problem {
  const addresses = resources.map((resource) => resource.address)
  const leftOut = addressAndAbove(address).findLast((path) => leavesOut?.(path) && !addresses.includes(path))
  return leftOut === undefined ? notDeclared(address, nearest(address, addresses)) : leftOutHere(leftOut)
}

/** The fields of an object. Members that are managed one by one are separate fields, and so are unavailable secrets. */
const pathsOf = ({ kind, fields, unavailable }: Resource): readonly ValueAt[] => [
  ...Object.entries(fields).flatMap(([name, value]) =>
    pathsIn(catalog[kind].fields[name]?.type, pointerTo(name), value),
  ),
  ...unavailable.map((path): ValueAt => [path, undefined]),
]

/** The value is undefined if it is an unavailable secret. */
type ValueAt = readonly [path: string, value: Json | undefined]

function pathsIn(type: FieldType | undefined, path: string, value: Json): readonly ValueAt[] {
  if (type?.is !== 'shape' || !isObject(value)) return [[path, value]]
  const memberType = (name: string) => memberOf(type.shape, name)?.type
  return Object.entries(value).flatMap(([name, inner]) => pathsIn(memberType(name), path + pointerTo(name), inner))
}

/**
 * The input for describing origins. `mask` knows all values that are secret in any object, because the same value may also be in
 * other fields.
 */
interface OriginsContext {
  readonly layers: WrittenLayers
  readonly mask: Mask
}

function fieldOrigin(resource: Resource, [path, value]: ValueAt, context: OriginsContext): FieldLayers {
  const isHidden = isSecret(resource, path)
  const sensitive = isHidden || value === undefined || holdsSecret(value, context.mask)
  const written = layersAt(resource, path)
  return {
    path,
    value: sensitive ? masked : value,
    sensitive,
    ...(value === undefined && { unavailable: true }),
    layers: (written.length > 0 ? written : nameLayers(resource, path)).map((layer) =>
      layerDocument(layer, isHidden, context),
    ),
  }
}

function isSecret({ kind, sensitive }: Resource, path: string): boolean {
  const [, name = ''] = path.split('/')
  const isOwn = catalog[kind].fields[name]?.secret ?? false
  return isOwn || sensitive.some((each) => isWithin(path, each))
}

/** The origin of a field that a patch or `metadata.without` removes. */
function absentOrigin(resource: Resource, { path, layers }: Absence, context: OriginsContext): FieldLayers {
  const sensitive = isSecret(resource, path)
  const documents = layers.map(({ layer, range, value }) =>
    layerDocument({ layer, range, text: value.range }, sensitive, context),
  )
  return { path, value: null, sensitive, absent: true, layers: documents }
}

/**
 * The layers that write a field. If a value replaces a whole object, its members are in no text, so the position of the value is
 * used.
 */
function layersAt(resource: Resource, path: string): readonly Layer[] {
  const written = resource.ranges.layersAt(path).map(({ layer, range, value }) => ({ layer, range, text: value.range }))
  const above = path.slice(0, path.lastIndexOf('/'))
  if (above === '') return written
  const around = layersAt(resource, above).filter(({ text }) => valueNames(text).length > 0)
  if (written.length === 0) return around.slice(0, 1)
  return written.map((each) => around.find((one) => one.layer === each.layer && !holds(one.text, each.range)) ?? each)
}

/** The layer of a name in `metadata`, which is not among the fields of layers. */
function nameLayers({ kind, ranges, generatedBy }: Resource, path: string): readonly Layer[] {
  const { naming } = catalog[kind]
  const range = naming !== undefined && path === pointerTo(naming) ? ranges.at(path) : undefined
  return range ? [{ layer: generatedBy ? openApiKind : 'manifest', range, text: range }] : []
}

/** `range` is the position of the key, `text` that of the value. */
interface Layer {
  readonly layer: string
  readonly range: SourceRange
  readonly text: SourceRange
}

function layerDocument({ layer, range, text }: Layer, isHidden: boolean, context: OriginsContext): LayerDocument {
  const place = isHidden ? placeDocument(placeOf(range)) : writtenPlace(range, text, context)
  const values = valuesIn(text, context)
  return { layer, ...place, values: isHidden ? values.map(({ text: _, ...unreported }) => unreported) : values }
}

/** The values that a text uses, and the values that these use. */
function valuesIn(range: SourceRange, context: OriginsContext): LayerDocument['values'] {
  return valueNames(range).flatMap((name) => {
    const origin = valueOrigin(context.layers, name)
    if (!origin) return []
    const place = writtenPlace(origin.node.range, origin.node.range, context)
    return [{ name, layer: origin.layer, ...place }, ...valuesIn(origin.node.range, context)]
  })
}

const longest = 60

function writtenPlace(at: SourceRange, written: SourceRange, { mask }: OriginsContext): WrittenPlace {
  const text = textOfRange(written)
  const [first = '', ...more] = text.trimEnd().split(/\r?\n/)
  const cut = first.length > longest || more.length > 0 ? `${first.slice(0, longest)}…` : first
  return { ...placeDocument(placeOf(at)), ...(mask(text) === text && { text: cut }) }
}
