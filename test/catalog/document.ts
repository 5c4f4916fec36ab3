import { readFileSync } from 'node:fs'

/** The interface document, read from its own Markdown: the fields and operations in its tables and its prose. */

export interface DocumentField {
  readonly name: string
  readonly type: string
  readonly rules: string
  readonly note: string
}

export interface DocumentOperation {
  readonly section: string
  readonly op: string
  readonly method: string
  readonly path: string
}

interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

interface Section {
  readonly part: string
  readonly title: string
  readonly text: string
  readonly tables: readonly Table[]
}

const document = readFileSync(new URL('../fixtures/service-management-api-v3.md', import.meta.url), 'utf8')

const sections: readonly Section[] = document.split(/^## /m).flatMap((part) => {
  const partTitle = part.slice(0, part.indexOf('\n'))
  return part
    .split(/^### /m)
    .slice(1)
    .map((text) => ({ part: partTitle, title: text.slice(0, text.indexOf('\n')), text, tables: tablesOf(text) }))
})

/** Sections whose title names the kind in other words. */
const titles: Readonly<Record<string, string>> = {
  PlanService: 'Plan Service',
  Cache: 'Endpoint cache',
  PackageKey: 'Package Key',
  EmailTemplate: 'Email Template',
}

/** The rows of a kind's table; combined rows are split, and rules from prose are added. */
export function documentFields(kind: string): readonly DocumentField[] {
  const section = sectionOf('Resources and their fields', titles[kind] ?? kind)
  const [table] = section.tables
  // Plan Service has no table: "Same fields, rules and meanings as Service".
  if (!table)
    return section.text.includes('Same fields, rules and meanings as Service') ? documentFields('Service') : []
  if (table.head.join() === 'field,type,notes')
    return [...proseFields(section.text), ...table.rows.flatMap(endpointRow)]
  return table.rows.flatMap(fieldRow)
}

/** Every row of the operation tables, with its complete path. */
export const tableOperations: readonly DocumentOperation[] = sections
  .filter(({ part }) => part === 'Endpoints')
  .flatMap(({ title, tables }) =>
    tables.filter(({ head }) => head[1] === 'Method').flatMap(({ rows }) => operationRows(title, rows)),
  )

/** "Each is a single sub-resource … with segment cache, … Operations: GET (fetch), POST (assign; …), …" */
export const proseOperations: readonly DocumentOperation[] = (() => {
  const { title, text } = sectionOf('Endpoints', 'Endpoint cache')
  const [, base = ''] = /sub-resource of an endpoint at (\S+)\/<segment>/.exec(text) ?? []
  const [, list = ''] = /with segment ([^.]+)\./.exec(text) ?? []
  const [, operations = ''] = /Operations: (.+?)\. Responses/.exec(text) ?? []
  const methods = [...operations.matchAll(/\b(GET|POST|PUT|DELETE) \((\w+)/g)]
  return list
    .split(/, | or /)
    .flatMap((segment) =>
      methods.map(([, method = '', op = '']) => ({ section: title, op, method, path: `${base}/${segment}` })),
    )
})()

function sectionOf(part: string, title: string): Section {
  const found = sections.find((each) => each.part === part && wordsBefore(each.title) === title)
  if (!found) throw new Error(`the document has no section "${title}"`)
  return found
}

/** "Endpoint (path segment endpoints)", "Endpoint cache, system domain authentication, …": the title without its remark. */
function wordsBefore(title: string): string {
  return title.split(/ \(|, /)[0] ?? title
}

function tablesOf(text: string): readonly Table[] {
  const blocks = text.match(/(?:^\|.*\|\n)+/gm) ?? []
  return blocks.map((block) => {
    const [head = [], , ...rows] = block.trim().split('\n').map(cellsOf)
    return { head, rows }
  })
}

function cellsOf(line: string): readonly string[] {
  const cells = line.slice(1, -1).split('|')
  return cells.map((cell) => cell.trim())
}

const commonRules: Readonly<Record<string, Pick<DocumentField, 'type' | 'rules'>>> = {
  id: { type: 'string', rules: 'Ign Ctx Imp' },
  created: { type: 'datetime', rules: 'Ign Ign Imp' },
  updated: { type: 'datetime', rules: 'Ign Ign Imp' },
}

function fieldRow([names = '', type = '', create = '', update = '', fetch = '', note = '']: readonly string[]) {
  return names.split(', ').map((name): DocumentField => {
    // "| id, created, updated | | | | | common fields |"; the table of ServiceRole has no column for notes.
    if (type === '') return { name, ...(commonRules[name] ?? { type: '?', rules: '?' }), note: '' }
    return { name, type, rules: `${create} ${update} ${fetch}`, note }
  })
}

/** "Every other field is Exp and Optional on create and update unless a rule is given." */
function endpointRow([name = '', type = '', note = '']: readonly string[]): readonly DocumentField[] {
  const [, create = 'Opt', update = 'Opt'] = /(?:^|; )(Req|Opt) on create, (Req|Opt) on update/.exec(note) ?? []
  return [
    { name, type, rules: `${create} ${update} Exp`, note: note.replace(/(?:^|; )Req on create, Opt on update/, '') },
  ]
}

/** "id (Ign, Ctx, Imp, …), created and updated (Imp) and name (string, Req, Opt, Imp) are as in the common fields." */
function proseFields(text: string): readonly DocumentField[] {
  const [, id = ''] = /^id \((Ign, Ctx, Imp)/m.exec(text) ?? []
  const [, name = ''] = /name \(string, (Req, Opt, Imp)\)/.exec(text) ?? []
  const dates = /created and updated \(Imp\)/.test(text) ? ['created', 'updated'] : []
  return [
    { name: 'id', type: 'string', rules: id.replaceAll(',', ''), note: '' },
    ...dates.map((each) => ({ name: each, type: 'datetime', rules: 'Ign Ign Imp', note: '' })),
    { name: 'name', type: 'string', rules: name.replaceAll(',', ''), note: '' },
  ]
}

/** ".../methods/{methodId}" continues the common beginning of the paths in the section before it. */
function operationRows(section: string, rows: readonly (readonly string[])[]): readonly DocumentOperation[] {
  let full = ''
  return rows.map(([op = '', method = '', path = '']) => {
    if (!path.startsWith('...')) full = path
    const tail = path.slice(4)
    const segment = tail.split('/')[0] ?? ''
    return { section, op, method, path: path.startsWith('...') ? expanded(full, segment, tail) : path }
  })
}

function expanded(full: string, segment: string, tail: string): string {
  return `${full.slice(0, full.lastIndexOf(`/${segment}`))}/${tail}`
}
