import { printable } from '../../json/printable.js'

/** A piece of HTML. All texts that `html` has inserted into it are escaped. */
export interface Markup {
  readonly markup: string
}

/** The values that can be inserted into HTML: texts, pieces of HTML, and lists of them. Undefined and false insert nothing. */
export type Content = string | number | Markup | undefined | false | readonly Content[]

/** HTML with inserted values: every text is escaped, and all its characters are visible. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const rest = values.map((value, index) => `${markupOf(value)}${parts[index + 1] ?? ''}`)
  return { markup: `${parts[0] ?? ''}${rest.join('')}` }
}

/** Our own text that is already HTML. */
export const raw = (markup: string): Markup => ({ markup })

function markupOf(content: Content): string {
  if (content === undefined || content === false) return ''
  if (typeof content === 'number') return String(content)
  if (typeof content === 'string') return printable(content).replaceAll(special, (sign) => entities[sign] ?? sign)
  return 'markup' in content ? content.markup : content.map(markupOf).join('')
}

/** Special characters of HTML, and the beginnings of CI commands: a page may be printed in the log of a job. */
const special = /[&<>"'#]|:(?=:)/g

const entities: Readonly<Record<string, string>> = {
  '#': '&#35;',
  ':': '&#58;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
