import type { IsSecret } from '../catalog/secret-places.js'
import type { LiveObject } from '../live/live-object.js'
import { fieldsWithSecrets, type LeftOutField, unknownFields, unreadChildren } from '../live/unknown-fields.js'
import type { Problem } from '../problems/problem.js'
import { childrenNotRead, fieldLeftOut, fieldWithSecretLeftOut } from '../problems/write-back.js'

/** What an export leaves out of objects, and what is told of that; `says…`: whether a manifest says it all the same. */
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
