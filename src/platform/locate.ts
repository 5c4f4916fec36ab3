import { catalog } from '../catalog/catalog.js'
import { childField } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import { findChild, type PlatformArea, type Site } from './area.js'
import { childrenIn, type Entity } from './entity.js'
import type { HostList } from './hosts.js'
import { notFound } from './refusal.js'
import type { RouteStep } from './routes.js'

/** What the path of a request names at this time. */
export type ObjectPath =
  | { readonly is: 'collection'; readonly kind: Kind; readonly site: Site; readonly members: () => readonly Entity[] }
  | { readonly is: 'object'; readonly entity: Entity }
  | { readonly is: 'single'; readonly kind: Kind; readonly parent: Entity; readonly slot: string }
  /** References below an object: the fields on the path, each with the id from the path, if there is one. */
  | { readonly is: 'referred'; readonly holder: Entity; readonly trail: readonly Trace[] }
  | { readonly is: 'inverseReference'; readonly kind: Kind; readonly holder: Entity }
  | { readonly is: 'value'; readonly holder: Entity; readonly trail: readonly [field: string, member?: string] }
  | { readonly is: 'hosts'; readonly list: HostList }

export interface Trace {
  readonly kind: Kind
  readonly field: string
  readonly id: string | undefined
  readonly holds: 'list' | 'one'
}

export type Parameters = Readonly<Record<string, string>>

/** Two views of the area: one to find objects by their ids, one for lists. */
export interface Views {
  readonly area: PlatformArea
  readonly lists: PlatformArea
}

/** Follows the steps of a route. Refuses with 404 if an object on the path does not exist. */
export function locate({ area, lists }: Views, steps: readonly RouteStep[], parameters: Parameters): ObjectPath {
  let owner: string | undefined
  let place: ObjectPath | undefined
  for (const [index, step] of steps.entries()) {
    switch (step.is) {
      case 'owner':
        owner = parameters[step.parameter]
        break
      case 'root':
        place = rootPlace({ area, lists }, catalog[step.kind], owner, parameterId(parameters, step.parameter))
        break
      case 'child':
        place = childPlace(
          { area, lists },
          catalog[step.kind],
          { parent: entityAt(place), slot: step.field },
          parameterId(parameters, step.parameter),
        )
        break
      case 'single':
        place = { is: 'single', kind: catalog[step.kind], parent: entityAt(place), slot: step.field }
        break
      case 'inverseReference':
        place = { is: 'inverseReference', kind: catalog[step.kind], holder: entityAt(place) }
        break
      case 'value':
        return { is: 'value', holder: entityAt(place), trail: step.trail }
      case 'hosts':
        return { is: 'hosts', list: step.list }
      case 'picked':
        throw new Error(`a route to a ${step.kind} that nothing picks`)
      case 'referred':
        return { is: 'referred', holder: entityAt(place), trail: traces(steps.slice(index), parameters) }
    }
  }
  if (!place) throw new Error('a route without steps')
  return place
}

function traces(steps: readonly RouteStep[], parameters: Parameters): readonly Trace[] {
  return steps.flatMap((step) =>
    step.is === 'referred' || step.is === 'child' || step.is === 'picked' ? [traceOf(step, parameters)] : [],
  )
}

const traceOf = (step: Extract<RouteStep, { is: 'referred' | 'child' | 'picked' }>, parameters: Parameters): Trace => ({
  kind: catalog[step.kind],
  field: step.field,
  id: step.is === 'picked' ? undefined : parameterId(parameters, step.parameter),
  holds: step.is === 'picked' ? 'one' : 'list',
})

const parameterId = (parameters: Parameters, parameter: string | undefined): string | undefined =>
  parameter === undefined ? undefined : parameters[parameter]

function entityAt(place: ObjectPath | undefined): Entity {
  if (place?.is !== 'object') throw new Error('a route that goes through no object')
  return place.entity
}

function rootPlace({ area, lists }: Views, kind: Kind, owner: string | undefined, id: string | undefined): ObjectPath {
  if (id === undefined) {
    const members = () => lists.store.all(kind.name).filter((entity) => entity.owner === owner)
    return { is: 'collection', kind, site: { parent: undefined, slot: '', owner }, members }
  }
  const entity = area.store.find(kind.name, id)
  return entity && entity.owner === owner ? { is: 'object', entity } : notFound(kind.name, id)
}

function childPlace(
  { area, lists }: Views,
  kind: Kind,
  { parent, slot }: { readonly parent: Entity; readonly slot: string },
  id: string | undefined,
): ObjectPath {
  if (id === undefined) {
    const members = () => {
      const known = lists.store.entity(parent.uid)
      return known ? childrenIn(known, slot) : []
    }
    return { is: 'collection', kind, site: { parent, slot }, members }
  }
  const entity = findChild(area, kind.name, { parent, slot }, id)
  return entity ? { is: 'object', entity } : notFound(kind.name, id)
}

/** The child field with that name. */
export function childFieldOf(parent: Entity, slot: string) {
  const child = childField(catalog[parent.kind], slot)
  if (!child) throw new Error(`a ${parent.kind} has no child '${slot}'`)
  return child
}
