import { stringify } from 'yaml'
import { describeKind, type FieldDescription, type KindDescription } from '../../src/catalog/describe.js'
import { exampleManifest } from '../../src/catalog/examples.js'
import { ancestors, childFields, kinds, metadataWord } from '../../src/catalog/queries.js'
import type { Kind } from '../../src/catalog/types.js'
import { code, table } from './page.js'

/** docs/reference/kinds.md: all kinds, from the catalogue. */
export function kindsPage(): string {
  return `${[head, contents(), ...kinds.map(kindSection)].join('\n\n')}\n`
}

const head = `# Kinds

<!-- Generated from the catalogue by scripts/generate-schemas.ts: change src/catalog/kinds/ instead. -->

Every kind that manifests can declare, with its fields, an example, its operations, and what cannot be done. The same is
shown by \`gatewright explain KIND\`, and for one field by \`gatewright explain KIND.FIELD\`.

Rules of a field: **C** on create, **U** on update, **F** on fetch. *Req* required, *Opt* optional, *Ign* ignored if sent,
*Ctx* given by the path, *Imp* returned by default, *Exp* returned only on request. Operations are *documented* by the
interface document, or *conventional*: named there without a shape, or known from the field notes alone, so that they follow
its conventions.`

const contents = (): string => {
  const line = (kind: Kind) => `${'  '.repeat(ancestors(kind).length)}- [${kind.name}](#${kind.name.toLowerCase()})`
  const below = (kind: Kind): readonly string[] => [
    line(kind),
    ...kinds.filter((each) => each.parent?.kind === kind.name).flatMap(below),
  ]
  return kinds
    .filter((kind) => !kind.parent)
    .flatMap(below)
    .join('\n')
}

function kindSection(kind: Kind): string {
  const described = describeKind(kind)
  return [
    `## ${kind.name}`,
    described.about,
    facts(kind, described).join('\n'),
    '### Fields',
    fieldTable(described),
    ...membersText(described),
    '### Example',
    `\`\`\`yaml\n${stringify(exampleManifest(kind), { lineWidth: 0, collectionStyle: 'any' })}\`\`\``,
    '### Operations',
    operationTable(described),
    ...blockedText(described),
  ].join('\n\n')
}

function facts(kind: Kind, { parent, identity, association }: KindDescription): readonly string[] {
  const words = [...ancestors(kind).map(metadataWord), ...(kind.within ? [kind.within.metadata] : [])]
  const list = parent && (parent.single ? 'field' : 'list')
  const held = childFields(kind).map(
    (child) => `\`${child.field}\` ([${child.kind.name}](#${child.kind.name.toLowerCase()}))`,
  )
  return [
    ...(parent
      ? [`- Lives in the ${list} \`${parent.field}\` of its [${parent.kind}](#${parent.kind.toLowerCase()}).`]
      : []),
    ...(words.length > 0
      ? [`- As a document of its own, \`metadata\` names: ${words.map((word) => `\`${word}\``).join(', ')}.`]
      : []),
    identity === null
      ? '- A parent has at most one.'
      : `- Identified by its \`${identity}\`${association ? `, that of the ${association}` : ''}.`,
    ...(held.length > 0 ? [`- Holds ${held.join(', ')}.`] : []),
    ...(kind.approval
      ? [`- A new one is \`${kind.approval.waiting}\` until it is approved outside the interface.`]
      : []),
  ]
}

function fieldTable({ fields }: KindDescription): string {
  const rows = Object.entries(fields).map(([name, field]) => [
    ...[code(name), field.type, field.create, field.update, field.fetch, remarks(field)],
  ])
  return table(['field', 'type', 'C', 'U', 'F', 'notes'], rows)
}

function remarks(field: FieldDescription): string {
  const words = [
    field.enum && `one of ${field.enum.join(', ')}`,
    field.note,
    field.default !== undefined && `default \`${JSON.stringify(field.default)}\``,
    field.immutable && '**immutable**: a difference is a replace',
    field.writeOnly && '**write-only**: sent on create, never compared',
    field.secret && '**secret**',
    field.readOnly !== undefined && `read-only: ${field.readOnly}`,
    field.origin === 'notes' && '*field notes*',
  ]
  return words.filter((word) => typeof word === 'string' && word !== '').join('; ')
}

/** The members of value objects, which the document names without showing them. */
function membersText({ fields }: KindDescription): readonly string[] {
  return Object.entries(fields).flatMap(([name, { members }]) => {
    if (!members) return []
    const rows = Object.entries(members).map(([member, { type, note, enum: values, default: usual }]) => {
      const words = [values?.join(', '), note, usual === undefined ? undefined : `default \`${JSON.stringify(usual)}\``]
      return [code(member), type, words.filter((word) => word !== undefined).join('; ')]
    })
    return [`Members of \`${name}\`:`, table(['member', 'type', 'notes'], rows)]
  })
}

function operationTable({ operations }: KindDescription): string {
  const rows = Object.entries(operations).map(([name, { method, path, documented, origin, caveat }]) => {
    const conventional = origin === 'notes' ? 'conventional, from the field notes' : 'conventional'
    const support = documented ? 'documented' : conventional
    return [name, method, code(path), caveat === undefined ? support : `${support}, but ${caveat}`]
  })
  return table(['operation', 'method', 'path', 'support'], rows)
}

function blockedText({ blocked = {} }: KindDescription): readonly string[] {
  const lines = Object.entries(blocked).map(([action, reason]) => `- **No ${action}**: ${reason}.`)
  return lines.length === 0 ? [] : ['### Blocked', lines.join('\n')]
}
