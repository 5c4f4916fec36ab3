/**
 * A reader of XML that is as strict as the format: it throws an error if a parser would stop. Only the parts that JUnit needs:
 * no DTD, no CDATA.
 */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  readonly text: string
}

export function parseXml(source: string): Element {
  for (const character of source) {
    const code = character.codePointAt(0) ?? 0
    const isChar =
      [0x9, 0xa, 0xd].includes(code) ||
      (code >= 0x20 && code <= 0xd7ff) ||
      (code >= 0xe000 && code <= 0xfffd) ||
      code >= 0x10000
    if (!isChar) throw new Error(`character ${code.toString(16)}`)
  }
  const body = source.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '')
  if (body === source) throw new Error('no declaration')
  const open: { name: string; attributes: Record<string, string>; children: Element[]; text: string }[] = []
  let root: Element | undefined
  const tokens = /<(\/?)([a-z]+)((?: [a-z]+="[^"<]*")*)(\/?)>|([^<]+)/gy
  let end = 0
  for (const [whole, closes, name = '', attributes = '', isEmpty, text] of body.matchAll(tokens)) {
    end += whole.length
    if (text !== undefined) {
      const last = open.at(-1)
      if (last) last.text += decoded(text)
      else if (text.trim() !== '') throw new Error('text outside of the root')
      continue
    }
    if (root) throw new Error('two roots')
    if (closes === '') open.push({ name, attributes: attributesOf(attributes), children: [], text: '' })
    if (closes === '' && isEmpty === '') continue
    const element = open.pop()
    if (!element || element.name !== name) throw new Error(`</${name}> ends nothing`)
    const holder = open.at(-1)
    if (holder) holder.children.push(element)
    else root = element
  }
  if (end !== body.length || !root || open.length > 0) throw new Error(`no XML behind ${body.slice(0, end).slice(-40)}`)
  return root
}

function attributesOf(text: string): Record<string, string> {
  const found = [...text.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, decoded(value)])
  if (new Set(found.map(([name]) => name)).size < found.length) throw new Error('an attribute twice')
  return Object.fromEntries(found)
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const decoded = (text: string): string =>
  text.replaceAll(/&([^;]*);?/g, (whole, name) => {
    const sign = entities[name]
    if (sign === undefined || !whole.endsWith(';')) throw new Error(`entity ${whole}`)
    return sign
  })
