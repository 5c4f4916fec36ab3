import fc from 'fast-check'
import { expect, test } from 'vitest'
import { catalog } from '../../src/catalog/catalog.js'
import { ownFields, referredKind } from '../../src/catalog/queries.js'
import type { Field } from '../../src/catalog/types.js'
import { canonical, sameValue } from '../../src/catalog/value.js'
import { collectionOf } from '../../src/client/nesting.js'
import type { Json } from '../../src/json/json.js'
import { isBlank } from '../../src/planner/compare/blank.js'
import { restOf } from '../kit/rest.js'
import { allObjects, areas, type Desired, type DrawnArea } from './area.js'
import { anyOf, type Origin } from './drawn.js'
import { applied, makes, runs, within } from './within.js'

/** Fields whose value may change freely, and whose change is visible. */
const changeable = ({ kind, fields }: Desired): readonly Field[] =>
  ownFields(kind).filter(
    (field) =>
      fields[field.name] !== undefined &&
      !field.immutable &&
      !field.writeOnly &&
      !field.secret &&
      field.name !== kind.naming &&
      field.name !== kind.route?.path &&
      referredKind(field) === undefined &&
      // The members of an object field are separate changes.
      field.type.is !== 'shape' &&
      field.update !== 'Ign' &&
      field.create !== 'Req',
  )

interface Edit {
  readonly object: Desired
  readonly field: Field
  readonly value: Json
}

interface Edited {
  readonly area: DrawnArea
  readonly edits: readonly Edit[]
}

/** An area, and new values for some of its fields. */
const edited = (origin: Origin): fc.Arbitrary<Edited> => areas(origin).chain((area) => editsOf(area))

function editsOf(area: DrawnArea): fc.Arbitrary<Edited> {
  // An object with only defaults counts as absent: with another value it is created, with all of its fields.
  const there = allObjects(area).filter(({ kind, fields }) => !isBlank({ kind: kind.name, fields }))
  const locations = there.flatMap((object) => changeable(object).map((field) => ({ object, field })))
  if (locations.length === 0) return fc.constant({ area, edits: [] })
  return fc
    .subarray(locations, { minLength: 1, maxLength: Math.min(4, locations.length) })
    .chain((chosen) =>
      fc.tuple(...chosen.map(({ object, field }) => anyOf(field.type).map((value) => ({ object, field, value })))),
    )
    .map((edits) => shownShort({ area, edits: edits.filter(isTelling) }))
}

/** The output of a failed law: the manifests and the edits, without the catalogue. */
const shownShort = (drawn: Edited): Edited =>
  Object.assign(drawn, {
    [fc.toStringMethod]: () =>
      [
        fc.stringify(drawn.area),
        ...drawn.edits.map(
          ({ object, field, value }) => `${object.kind.name} ${object.name} ${field.name} = ${JSON.stringify(value)}`,
        ),
      ].join('\n'),
  })

/** Omits new values with the same meaning as the old ones. */
const isTelling = ({ object, field, value }: Edit): boolean => {
  const before = object.fields[field.name]
  if (canonical(field.type, before) === undefined && before !== null)
    return !sameValue(field.type, value, null, field.default)
  return !sameValue(field.type, value, before, field.default)
}

test.each(makes)(
  'on the make "%s" a plan of changed fields has exactly these, and is empty after an apply',
  async (_, origin, maker) => {
    await fc.assert(
      fc.asyncProperty(edited(origin), async ({ area, edits }) => {
        const make = maker()
        await within(make, area, (world) => applied(world))
        const kept = edits.map(({ object, field }) => object.fields[field.name] ?? null)
        for (const { object, field, value } of edits) object.fields[field.name] = value
        try {
          await within(make, area, async (world) => {
            const plan = await world.plan()
            const named = plan.changes
              .flatMap((change) => change.fields.map((field) => `${change.kind} ${field.path}`))
              .sort()
            expect(named).toEqual(edits.map(({ object, field }) => `${object.kind.name} /${field.name}`).sort())
            await applied(world, '--allow', 'AUTH_WEAKENED', '--allow', 'LIMIT_LOWERED', '--allow', 'TRAFFIC_STOP')
            expect((await world.plan()).changes).toEqual([])
          })
        } finally {
          edits.forEach(({ object, field }, index) => {
            object.fields[field.name] = kept[index] ?? null
          })
        }
      }),
      runs(8),
    )
  },
)

test.each(makes)(
  'on the make "%s" changes by somebody on the platform are reported by address and path, and corrected',
  async (_, origin, maker) => {
    await fc.assert(
      fc.asyncProperty(edited(origin), ({ area, edits }) =>
        within(maker(), area, async (world) => {
          await applied(world)
          const [edit] = edits.filter(({ object }) => object.parent === undefined && object.kind.operations.update)
          if (!edit) return
          const { object, field, value } = edit
          const rest = await restOf(world.make)
          const collection = collectionOf(catalog[object.kind.name])
          const [live] = (await rest.get(`/${collection}?limit=1000`)).filter(
            (each) => each[object.kind.naming ?? ''] === object.name,
          )
          await rest.put(`/${collection}/${String(live?.id)}`, { [field.name]: value })
          const drift = await world.drift()
          expect(drift.exitCode).toBe(2)
          const [change, ...more] = drift.json().changes
          expect(more).toEqual([])
          expect(change?.kind).toBe(object.kind.name)
          expect(change?.fields.map(({ path }) => path)).toEqual([`/${field.name}`])
          await applied(world, '--allow', 'AUTH_WEAKENED', '--allow', 'LIMIT_LOWERED', '--allow', 'TRAFFIC_STOP')
          expect((await world.drift()).exitCode).toBe(0)
        }),
      ),
      runs(8),
    )
  },
)
