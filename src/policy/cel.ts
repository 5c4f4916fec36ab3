import {
  type ASTNode,
  type Environment,
  EvaluationError,
  ParseError,
  TypeError as TypeFault,
} from '@marcbachmann/cel-js'
import { catalog } from '../catalog/catalog.js'
import { kindNames, ownFields } from '../catalog/queries.js'
import { shapes } from '../catalog/shapes.js'
import type { FieldType, KindName } from '../catalog/types.js'
import { append } from '../json/groups.js'
import { once } from '../json/once.js'
import { placeOf } from '../manifest/source.js'
import { rangeInside } from '../manifest/yaml/inside.js'
import { badExpression, unknownInExpression } from '../problems/policies.js'
import type { ReportProblem } from '../problems/problem.js'
import { errorText } from '../problems/problem.js'
import { nearest } from '../problems/suggest.js'
import { environmentOf, type RuleReads, typedFor, untyped, variablesOf } from './cel-types.js'
import type { ExpressionUse, Language, PolicyVariables, Question, RuleAnswer } from './language.js'
import type { Expression, Rule } from './policy.js'

/**
 * CEL. The members in an expression are checked against the catalogue before it is evaluated. Evaluation itself uses values
 * without types, because fields may be absent, and live values may be ones that no manifest could write.
 */
export function celLanguage(): Language {
  const checkers = new Map<string, Checker>()
  const runner = environmentOf(untyped)
  return {
    compile(expression, use, report) {
      const kinds = use.kinds.length === 0 ? kindNames : use.kinds
      const reads = use.of === 'plan' || /\bplan\b/.test(expression.text) ? 'the plan as well' : 'its change'
      const key = `${use.of} ${reads} ${[...kinds].sort().join(' ')}`
      const checker = checkers.get(key) ?? checkerOf(use.of, kinds, reads)
      checkers.set(key, checker)
      return isRight(expression, use, checker, report) ? questionOf(expression, use, runner) : undefined
    },
  }
}

/** What expressions about objects of some kinds may use. */
interface Checker {
  readonly environment: Environment
  /** The fields of both sides of a change; undefined in a rule of the whole plan. */
  readonly fields: MemberTypes | undefined
}

const checkerOf = (of: Rule['of'], kinds: readonly KindName[], reads: RuleReads): Checker => ({
  environment: environmentOf(typedFor(of, kinds, reads)),
  fields: of === 'change' ? fieldTypes(kinds) : undefined,
})

/** Reports what is wrong with an expression; returns whether it is right. */
function isRight(
  expression: Expression,
  use: ExpressionUse,
  { environment, fields }: Checker,
  report: ReportProblem,
): boolean {
  const { text, node } = expression
  const place = (start: number, end: number) => placeOf(rangeInside(node, start, end))
  const parsed = attempted(() => environment.parse(text))
  if ('fault' in parsed) {
    const { start, end, why } = parsed.fault
    report(badExpression(place(start, end), use.what, why, use.gives === 'string' ? plainText : languageHint))
    return false
  }
  const unknown = fields ? unknownNames(parsed.value.ast, fields) : []
  for (const { name, at, known } of unknown) {
    report(unknownInExpression(place(at, at + name.length), use.what, name, nearest(name, known), [...known].sort()))
  }
  const patterns = badPatterns(parsed.value.ast)
  for (const { start, end, why } of patterns) report(badExpression(place(start, end), use.what, why, undefined))
  if (unknown.length + patterns.length > 0) return false
  const { valid, type = 'dyn', error } = parsed.value.check()
  if (!valid) {
    const { start, end, why } = faultOf(error)
    const [, name] = /^Unknown variable: (.*)$/.exec(why) ?? []
    if (name === undefined) report(badExpression(place(start, end), use.what, why, hintFor(why)))
    else {
      const known = variablesOf(use.of).map((each) => each.name)
      const near = nearest(name, known)
      report(
        near === undefined && use.gives === 'string'
          ? badExpression(place(start, end), use.what, `there is no "${name}"`, plainText)
          : unknownInExpression(place(start, end), use.what, name, near, known),
      )
    }
    return false
  }
  if (type === use.gives || type === 'dyn') return true
  const expected = use.gives === 'bool' ? 'true or false' : 'a text'
  const hint = use.gives === 'bool' ? 'compare it with something' : 'string(…) makes a text of it'
  report(badExpression(place(0, text.length), use.what, `it gives ${type}, not ${expected}`, hint))
  return false
}

const languageHint = 'see the language definition of CEL, or docs/how-to/policies.md'

/** YAML removes the outer quotes. */
const plainText = `an expression gives the text; a plain text has quotes of its own: "'too much'"`

function hintFor(why: string): string | undefined {
  if (/[!=]= null|null [!=]=/.test(why)) return 'what is empty is not there: has(after.FIELD), or action == "create"'
  if (/string \+ (int|double|bool)|(int|double|bool) \+ string/.test(why)) return 'string(…) makes a text of it'
  return undefined
}

interface UnknownName {
  readonly name: string
  readonly at: number
  readonly known: ReadonlySet<string>
}

/** Members that no object has: `has()` and `.?` would always find them absent. */
function unknownNames(node: ASTNode, fields: MemberTypes): readonly UnknownName[] {
  const own = unknownMember(node, fields)
  return [...(own ? [own] : []), ...partsOf(node).flatMap((part) => unknownNames(part, fields))]
}

function unknownMember(node: ASTNode, fields: MemberTypes): UnknownName | undefined {
  const member = memberIn(node)
  const known = member && memberTypes(member.of, fields)
  return known && !known.has(member.name) ? { ...member, known: new Set(known.keys()) } : undefined
}

/** Literal patterns of `matches()` that are not valid: they would fail for every object. */
function badPatterns(node: ASTNode): readonly CelFault[] {
  const [pattern] = node.op === 'rcall' && node.args[0] === 'matches' ? node.args[2] : []
  const written = pattern?.op === 'value' && typeof pattern.args === 'string' ? pattern.args : undefined
  const made = written === undefined ? undefined : attempted(() => new RegExp(written))
  const own = pattern && made && 'fault' in made ? [{ ...made.fault, start: pattern.start, end: pattern.end }] : []
  return [...own, ...partsOf(node).flatMap(badPatterns)]
}

interface NamedMember {
  readonly of: ASTNode
  readonly name: string
  readonly at: number
}

function memberIn(node: ASTNode): NamedMember | undefined {
  switch (node.op) {
    case '.':
    case '.?':
      return { of: node.args[0], name: node.args[1], at: node.pos }
    case '[]':
    case '[?]': {
      const [of, index] = node.args
      return index.op === 'value' && typeof index.args === 'string'
        ? { of, name: index.args, at: index.start + 1 }
        : undefined
    }
    default:
      return undefined
  }
}

type MemberTypes = ReadonlyMap<string, readonly FieldType[]>

/** The members of the value of a part of an expression; undefined if they are not known. */
function memberTypes(node: ASTNode, fields: MemberTypes): MemberTypes | undefined {
  if (node.op === 'id') return sides.includes(node.args) ? fields : undefined
  const member = memberIn(node)
  const types = member && memberTypes(member.of, fields)?.get(member.name)
  const shapesOf = types?.flatMap((type) => (type.is === 'shape' ? [type.shape] : [])) ?? []
  if (!types || types.length === 0 || shapesOf.length < types.length) return undefined
  return merged(shapesOf.flatMap((shape) => Object.entries(shapes[shape])))
}

const sides: readonly string[] = ['before', 'after']

const fieldTypes = (kinds: readonly KindName[]): MemberTypes =>
  merged(kinds.flatMap((kind) => ownFields(catalog[kind]).map((field) => [field.name, field] as const)))

function merged(members: readonly (readonly [string, { readonly type: FieldType }])[]): MemberTypes {
  const types = new Map<string, FieldType[]>()
  for (const [name, { type }] of members) append(types, name, type)
  return types
}

/** The expressions inside an expression. */
function partsOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return []
    case '.':
    case '.?':
      return [node.args[0]]
    case 'call':
      return node.args[1]
    case 'rcall':
      return [node.args[1], ...node.args[2]]
    case 'map':
      return node.args.flat()
    case '!_':
    case '-_':
      return [node.args]
    default:
      return node.args
  }
}

function questionOf({ text }: Expression, { gives }: ExpressionUse, runner: Environment): Question {
  // Most plans change nothing, so an expression is prepared at its first use.
  const ready = once(() => runner.parse(text))
  const expected = gives === 'bool' ? 'boolean' : 'string'
  return (variables: PolicyVariables): RuleAnswer => {
    const run = ready()
    const answered = attempted<unknown>(() => run(variables))
    if ('fault' in answered) return { is: 'failed', ...answered.fault }
    const { value } = answered
    if (typeof value === expected && (typeof value === 'boolean' || typeof value === 'string'))
      return { is: 'value', value }
    return {
      is: 'failed',
      why: `it gives no ${gives === 'bool' ? 'true or false' : 'text'}`,
      start: 0,
      end: text.length,
    }
  }
}

interface CelFault {
  readonly why: string
  readonly start: number
  readonly end: number
}

function attempted<Value>(act: () => Value): { readonly value: Value } | { readonly fault: CelFault } {
  try {
    return { value: act() }
  } catch (error) {
    return { fault: faultOf(error) }
  }
}

/** Any error: an expression that ends with one has given no answer. */
function faultOf(error: unknown): CelFault {
  if (error instanceof ParseError || error instanceof EvaluationError || error instanceof TypeFault) {
    return { why: error.summary, start: error.range?.start ?? 0, end: error.range?.end ?? 0 }
  }
  return { why: errorText(error), start: 0, end: 0 }
}
