import type { Json } from '../json/json.js'
import { by, canonicalText } from '../json/order.js'
import { valueOrigin } from '../manifest/compose/given-values.js'
import { plain } from '../manifest/node.js'
import type { SourceRange } from '../manifest/source.js'
import type { Difference } from './compare-areas.js'
import {
  type Cause,
  type CausedDifference,
  causeKey,
  type EnvironmentSides,
  type SideName,
} from './compare-environments.js'

/** The text of one layer, as it is written. */
interface LayerValue {
  readonly layer: string
  readonly range: SourceRange
  /** Absent for a patch, because a patch contains several values. */
  readonly value?: Json
}

/** One layer that differs between the two environments, with all differences that it causes. */
export interface LayerDifference {
  readonly is: Cause['is']
  /** The name of the value, the target of the patch, or kind and field of the default. */
  readonly name: string
  readonly a?: LayerValue
  readonly b?: LayerValue
  /** JSON Pointers of the fields that differ because of it, each once. */
  readonly fields: readonly string[]
  /** The number of these fields in all objects. */
  readonly count: number
  /** Addresses of the objects with these fields. */
  readonly objects: readonly string[]
  /** Addresses of the objects that are missing on one side because of it. */
  readonly omitted: readonly string[]
  readonly sensitive: boolean
}

/** The differences by the layers that cause them, and the differences that no layer explains. */
export interface ByLayers {
  readonly layers: readonly LayerDifference[]
  readonly differences: readonly Difference[]
}

/** Groups differences by layer: one entry per layer, even if it causes many differences. */
export function byLayers(differences: readonly CausedDifference[], sides: EnvironmentSides): ByLayers {
  const groups = new Map<string, DifferenceGroup>()
  const groupOf = (cause: Cause): DifferenceGroup => {
    const key = causeKey(cause)
    const group = groups.get(key) ?? {
      causes: [],
      fields: new Set(),
      objects: new Set(),
      omitted: [],
      count: 0,
      sensitive: false,
    }
    groups.set(key, group)
    group.causes.push(cause)
    return group
  }
  const left = differences.flatMap(({ causes, ...difference }): readonly Difference[] => {
    for (const cause of causes) groupOf(cause).omitted.push(difference.address)
    for (const field of difference.fields) {
      for (const group of new Set(field.causes.map(groupOf))) {
        group.fields.add(field.path)
        group.objects.add(difference.address)
        group.count += 1
        group.sensitive ||= field.sensitive
      }
    }
    const fields = difference.fields.flatMap(({ causes: own, ...field }) => (own.length > 0 ? [] : [field]))
    const isReported = causes.length > 0 || (difference.in === 'both' && fields.length === 0)
    return isReported ? [] : [{ ...difference, fields }]
  })
  return {
    layers: [...groups.values()].map((group) => layerDifference(group, sides)).sort(byLayerKind),
    differences: left,
  }
}

interface DifferenceGroup {
  readonly causes: Cause[]
  readonly fields: Set<string>
  readonly objects: Set<string>
  readonly omitted: string[]
  count: number
  sensitive: boolean
}

function layerDifference(
  { causes, fields, objects, omitted, count, sensitive }: DifferenceGroup,
  sides: EnvironmentSides,
): LayerDifference {
  const [cause] = causes
  if (!cause) throw new Error('a difference without a cause')
  const found = { fields: [...fields], count, objects: [...objects], omitted, sensitive }
  switch (cause.is) {
    case 'value': {
      const valueOn = (side: SideName): Partial<Record<SideName, LayerValue>> => {
        const origin = valueOrigin(sides[side].layers, cause.name)
        if (!origin) return {}
        return { [side]: { layer: origin.layer, range: origin.node.range, value: plain(origin.node) } }
      }
      return { is: 'value', name: cause.name, ...valueOn('a'), ...valueOn('b'), ...found }
    }
    case 'patch': {
      const { effect } = cause
      return { is: 'patch', name: effect.target, [cause.in]: { layer: effect.layer, range: effect.range }, ...found }
    }
    case 'default': {
      const values = causes.flatMap((each) =>
        each.is === 'default'
          ? [
              [
                each.in,
                { layer: each.written.layer, range: each.written.range, value: plain(each.written.value) },
              ] as const,
            ]
          : [],
      )
      return { is: 'default', name: cause.name, ...Object.fromEntries(values), ...found }
    }
  }
}

const ranks = { value: 0, default: 1, patch: 2 } as const

const byLayerKind = (left: LayerDifference, right: LayerDifference): number =>
  ranks[left.is] - ranks[right.is] || by(orderText)(left, right)

const orderText = ({ name, a, b }: LayerDifference): string =>
  canonicalText([name, a ? 'a' : 'b', (a ?? b)?.range.start ?? 0], 'as written')
