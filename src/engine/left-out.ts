import type { IsSecret } from '../catalog/secret-places.js'
import type { LiveObject } from '../live/live-object.js'
import { fieldsWithSecrets, type LeftOutField, unknownFields, unreadChildren } from '../live/unknown-fields.js'
import type { Problem } from '../problems/problem.js'
import { childrenNotRead, fieldLeftOut, fieldWithSecretLeftOut } from '../problems/write-back.js'

/**
 * The parts of objects that an export leaves out, with the messages about them. `says…`: whether a manifest contains the part
 * anyway.
 */
export function leftOutOf(
  objects: readonly LiveObject[],
  isSecret: IsSecret,
  {
    saysField,
    saysPath,
  }: {
    readonly saysField: (object: LiveObject, field: string) => boolean
    readonly saysPath: (object: LiveObject, path: string) => boolean
  },
): { readonly fields: readonly LeftOutField[]; readonly problems: readonly Problem[] } {
  const unknown = unknownFields(objects, saysField)
  const unread = unreadChildren(objects)
  const withSecrets = fieldsWithSecrets(objects, isSecret, saysPath)
  return {
    fields: [...unknown, ...unread],
    problems: [
      ...unknown.map(({ kind, field, objects }) => fieldLeftOut(kind, field, objects)),
      ...unread.map(({ kind, field, objects }) => childrenNotRead(kind, field, objects)),
      ...withSecrets.map(({ kind, field, objects }) => fieldWithSecretLeftOut(kind, field, objects)),
    ],
  }
}
