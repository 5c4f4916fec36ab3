import { describeKind, type FieldDescription, type KindDescription } from '../../catalog/describe.js'
import { type Hazard, hazardNames, hazards } from '../../catalog/hazards.js'
import { type DocumentKind, documentKinds, metadataAbout, schemaOf } from '../../catalog/json-schema.js'
import { outlineOf } from '../../catalog/outline.js'
import { elementOf, findKind, kindNames, kinds } from '../../catalog/queries.js'
import { ownValue } from '../../catalog/record.js'
import type { Kind, KindName } from '../../catalog/types.js'
import { originsOf } from '../../engine/origins.js'
import { jsonText } from '../../json/json.js'
import { type ProblemCode, problemCodes, severitiesOf } from '../../problems/codes.js'
import { ProblemError } from '../../problems/problem.js'
import { unknownKind, unknownKindField } from '../../problems/project.js'
import { nearest } from '../../problems/suggest.js'
import { factsText, fieldReport, kindsText, kindText, memberReport, rowsText } from '../../report/explain.js'
import { originsText } from '../../report/origins.js'
import type { Report } from '../../report/problems.js'
import { textForm } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'

/**
 * `explain [TOPIC]`: the catalogue's facts about a KIND[.FIELD[.MEMBER]] or a hazard, the meaning of a problem code, or the keys
 * of `metadata`, of the project file and of other documents (`Project.spec.limits`). For an address: the origin of the object's
 * fields.
 */
export async function explainCommand(
  options: GlobalOptions & { readonly topic: string | undefined },
  io: Io,
): Promise<number> {
  if (options.topic?.includes('/')) return await explainObject(options.topic, options, io)
  io.stdout.write(explained(options, io).output)
  return exit.done
}

function explained(options: GlobalOptions & { readonly topic: string | undefined }, io: Io): Report {
  const word = options.topic?.toLowerCase()
  const code = codes.find((each) => each === word)
  if (code) return problemReport(code, options, io)
  const hazard = hazardNames.find((each) => each.toLowerCase() === word)
  if (hazard) return hazardReport(hazard, options, io)
  const [documentWord, ...keys] = options.topic?.split('.') ?? []
  if (documentWord?.toLowerCase() === 'metadata') return metadataReport(keys.join('.'), options, io)
  const document = otherDocuments.find((each) => each.toLowerCase() === documentWord?.toLowerCase())
  if (document) return documentReport(document, keys.join('.'), options, io)
  const topic = topicOf(options.topic)
  return options.output === 'json' ? topicJson(topic) : topicText(topic, options, io)
}

// The keys are exactly those of the table.
const codes = Object.keys(problemCodes) as readonly ProblemCode[]

/** Documents that are not objects of the catalogue. */
const otherDocuments: readonly DocumentKind[] = documentKinds.filter((name) => findKind(name) === undefined)

/** All topics except addresses. */
export const topicsOf = (which: 'all' | 'without codes'): readonly string[] => [
  ...kindNames,
  ...otherDocuments,
  'metadata',
  ...hazardNames,
  ...(which === 'all' ? codes : []),
]

function problemReport(code: ProblemCode, options: GlobalOptions, io: Io): Report {
  const { means, remedy } = problemCodes[code]
  const severity = severitiesOf(code)
  if (options.output === 'json') return jsonReport({ problems: { [code]: { severity, means, remedy } } })
  return factsText(
    code,
    Object.entries({ severity: severity.join(', '), means, remedy }),
    textForm(io.stdout, options, io),
  )
}

function hazardReport(name: Hazard, options: GlobalOptions, io: Io): Report {
  const { means, stated } = hazards[name]
  if (options.output === 'json') return jsonReport({ hazards: { [name]: { means, stated } } })
  return factsText(name, Object.entries({ means, stated }), textForm(io.stdout, options, io))
}

/** `keys`: one of its keys, such as `spec.keys`, with the keys below it; empty: all. */
function documentReport(name: DocumentKind, keys: string, options: GlobalOptions, io: Io): Report {
  const whole = schemaOf(name)
  const outline = outlineOf(whole)
  const schema = keys === '' ? whole : outline.find(({ key }) => key === keys)?.schema
  if (schema === undefined) {
    const all = outline.map(({ key }) => key)
    const near = nearest(keys, all)
    const others = `gatewright explain ${name} lists its fields`
    throw new ProblemError([unknownKindField(name, keys, near && `${name}.${near}`, others)])
  }
  const topic = keys === '' ? name : `${name}.${keys}`
  if (options.output === 'json') return jsonReport({ documents: { [topic]: schema } })
  const isBelow = (key: string) => key.startsWith(keys) && /^([.[]|$)/.test(key.slice(keys.length))
  const found = keys === '' ? outline : outline.filter(({ key }) => isBelow(key))
  const rows = found.map(({ key, takes, about }) => [key, takes, about])
  return rowsText(name, ['KEY', 'TAKES', 'IS'], rows, textForm(io.stdout, options, io))
}

/** `key`: only this key; empty: all. */
function metadataReport(key: string, options: GlobalOptions, io: Io): Report {
  const rows = key === '' ? metadataAbout : metadataAbout.filter(([each]) => each === key)
  if (rows.length === 0) {
    const near = nearest(
      key,
      metadataAbout.map(([each]) => each),
    )
    const others = 'gatewright explain metadata lists them'
    throw new ProblemError([unknownKindField('metadata', key, near && `metadata.${near}`, others)])
  }
  if (options.output === 'json') return jsonReport({ metadata: Object.fromEntries(rows) })
  return rowsText('metadata', ['KEY', 'IS'], rows, textForm(io.stdout, options, io))
}

const jsonReport = (answer: Readonly<Record<string, unknown>>): Report => ({
  output: jsonText({ format: 'gatewright.explain/1', ...answer }),
})

/** For an address: the layers of each field of that object. */
async function explainObject(address: string, options: GlobalOptions, io: Io): Promise<number> {
  const document = await originsOf(options, address, io)
  io.stdout.write(
    options.output === 'json' ? jsonText(document) : originsText(document, textForm(io.stdout, options, io)),
  )
  return exit.done
}

type Topic = {
  readonly kinds: Readonly<Record<string, KindDescription>>
  readonly kind?: string
  readonly field?: string
  readonly member?: string
}

function topicOf(words: string | undefined): Topic {
  if (words === undefined) return { kinds: Object.fromEntries(kinds.map((kind) => [kind.name, describeKind(kind)])) }
  const [kindWord = '', field, ...members] = words.split('.')
  const kind = kindOfTopic(kindWord)
  const description = describeKind(kind)
  if (field === undefined) return { kinds: { [kind.name]: description }, kind: kind.name }
  const whole = fieldOf(kind, description, field)
  const held = heldKind(kind, field)
  // A field of the list's elements is a field of their kind.
  if (held && members.length > 0) return topicOf([held, ...members].join('.'))
  const member = members.length === 0 ? undefined : members.join('.')
  const displayed = member === undefined ? whole : withOnlyMember(kind, field, whole, member)
  const only = { ...description, fields: { [field]: displayed } }
  return { kinds: { [kind.name]: only }, kind: kind.name, field, ...(member !== undefined && { member }) }
}

function heldKind(kind: Kind, field: string): KindName | undefined {
  const found = kind.fields[field]
  const element = found && elementOf(found.type)
  return element?.is === 'child' ? element.kind : undefined
}

/** The field with only one of its members. */
function withOnlyMember(kind: Kind, name: string, field: FieldDescription, word: string): FieldDescription {
  const { members = {} } = field
  const member = ownValue(members, word)
  if (member) return { ...field, members: { [word]: member } }
  const others = `gatewright explain ${kind.name}.${name} tells what there is`
  throw new ProblemError([unknownKindField(`${kind.name}.${name}`, word, nearest(word, Object.keys(members)), others)])
}

function kindOfTopic(word: string): Kind {
  const name = kindNames.find((each) => each.toLowerCase() === word.toLowerCase())
  const kind = name === undefined ? undefined : findKind(name)
  if (kind) return kind
  throw new ProblemError([unknownKind(word, nearest(word, topicsOf('all')), kindNames)])
}

function fieldOf(kind: Kind, description: KindDescription, word: string) {
  const field = ownValue(description.fields, word)
  if (field) return field
  const near = nearest(word, Object.keys(description.fields))
  throw new ProblemError([unknownKindField(kind.name, word, near, `gatewright explain ${kind.name} lists its fields`)])
}

const topicJson = (topic: Topic): Report => jsonReport({ kinds: topic.kinds })

function topicText(topic: Topic, options: GlobalOptions & { readonly topic: string | undefined }, io: Io): Report {
  const form = textForm(io.stdout, options, io)
  const { kinds: described, kind, field, member } = topic
  const description = kind === undefined ? undefined : described[kind]
  if (kind === undefined || description === undefined) return kindsText(described, form)
  const fieldDescription = field === undefined ? undefined : description.fields[field]
  if (fieldDescription === undefined) return kindText(kind, description, form)
  const memberDescription = member === undefined ? undefined : fieldDescription.members?.[member]
  if (memberDescription) return memberReport(`${kind}.${field}.${member}`, memberDescription, form)
  return fieldReport(`${kind}.${field}`, fieldDescription, form)
}
