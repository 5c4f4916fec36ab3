import { describeKind, type FieldDescription, type KindDescription } from '../../catalog/describe.js'
import { findKind, kindNames, kinds } from '../../catalog/queries.js'
import type { Kind } from '../../catalog/types.js'
import { originsOf } from '../../engine/origins.js'
import { jsonText } from '../../json/json.js'
import { ProblemError } from '../../problems/problem.js'
import { unknownKind, unknownKindField } from '../../problems/project.js'
import { nearest } from '../../problems/suggest.js'
import { fieldText, kindsText, kindText, memberText } from '../../report/explain.js'
import { originsText } from '../../report/origins.js'
import type { Report } from '../../report/problems.js'
import { coloursFor } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'

/** `explain [KIND[.FIELD[.MEMBER]]]`: what the catalogue knows. */
export function explainCommand(options: GlobalOptions & { readonly topic: string | undefined }, io: Io): number {
  if (options.topic?.includes('/')) return explainObject(options.topic, options, io)
  const topic = topicOf(options.topic)
  const report = options.output === 'json' ? topicJson(topic) : topicText(topic, options, io)
  io.stdout.write(report.output)
  return exit.done
}

/** An address: the layers of each field of that object. */
function explainObject(address: string, options: GlobalOptions, io: Io): number {
  const document = originsOf(options, address, io)
  io.stdout.write(
    options.output === 'json'
      ? jsonText(document)
      : originsText(document, { colours: coloursFor(io.stdout, options, io) }),
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
  const kind = kindOf(kindWord)
  const description = describeKind(kind)
  if (field === undefined) return { kinds: { [kind.name]: description }, kind: kind.name }
  const whole = fieldOf(kind, description, field)
  const member = members.length === 0 ? undefined : members.join('.')
  const shown = member === undefined ? whole : withMember(kind, field, whole, member)
  const only = { ...description, fields: { [field]: shown } }
  return { kinds: { [kind.name]: only }, kind: kind.name, field, ...(member !== undefined && { member }) }
}

/** The field with that one of its members alone. */
function withMember(kind: Kind, name: string, field: FieldDescription, word: string): FieldDescription {
  const { members = {} } = field
  const member = Object.hasOwn(members, word) ? members[word] : undefined
  if (member) return { ...field, members: { [word]: member } }
  const near = nearest(word, Object.keys(members))
  const hint =
    near === undefined ? `gatewright explain ${kind.name}.${name} tells what there is` : `did you mean ${near}?`
  throw new ProblemError([unknownKindField(`${kind.name}.${name}`, word, hint)])
}

function kindOf(word: string): Kind {
  const name = kindNames.find((each) => each.toLowerCase() === word.toLowerCase())
  const kind = name === undefined ? undefined : findKind(name)
  if (kind) return kind
  const near = nearest(word, kindNames)
  throw new ProblemError([
    unknownKind(word, near === undefined ? `the kinds are ${kindNames.join(', ')}` : `did you mean ${near}?`),
  ])
}

function fieldOf(kind: Kind, description: KindDescription, word: string) {
  const field = Object.hasOwn(description.fields, word) ? description.fields[word] : undefined
  if (field) return field
  const near = nearest(word, Object.keys(description.fields))
  const hint = near === undefined ? `gatewright explain ${kind.name} lists its fields` : `did you mean ${near}?`
  throw new ProblemError([unknownKindField(kind.name, word, hint)])
}

const topicJson = (topic: Topic): Report => ({
  output: jsonText({ format: 'gatewright.explain/1', kinds: topic.kinds }),
})

function topicText(topic: Topic, options: GlobalOptions & { readonly topic: string | undefined }, io: Io): Report {
  const form = { colours: coloursFor(io.stdout, options, io), columns: io.stdout.columns }
  const { kinds: described, kind, field, member } = topic
  const description = kind === undefined ? undefined : described[kind]
  if (kind === undefined || description === undefined) return kindsText(described, form)
  const fieldDescription = field === undefined ? undefined : description.fields[field]
  if (fieldDescription === undefined) return kindText(kind, description, form)
  const memberDescription = member === undefined ? undefined : fieldDescription.members?.[member]
  if (memberDescription) return memberText(`${kind}.${field}.${member}`, memberDescription, form)
  return fieldText(`${kind}.${field}`, fieldDescription, form)
}
