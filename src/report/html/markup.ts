import { printable } from '../../json/printable.js'

/** A piece of HTML: everything that came into it by `html` is escaped. */
export interface Markup {
  readonly markup: string
}

/** What may stand in HTML: texts of others, pieces of HTML, lists of both; nothing for what is not there. */
export type Content = string | number | Markup | undefined | false | readonly Content[]

/** HTML with values in it: every text is escaped, and every character of it shows. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const rest = values.map((value, index) => `${markupOf(value)}${parts[index + 1] ?? ''}`)
  return { markup: `${parts[0] ?? ''}${rest.join('')}` }
}

/** Words of our own that are HTML already. */
export const raw = (markup: string): Markup => ({ markup })

function markupOf(content: Content): string {
  if (content === undefined || content === false) return ''
  if (typeof content === 'number') return String(content)
  if (typeof content === 'string') return printable(content).replaceAll(special, (sign) => entities[sign] ?? sign)
  return 'markup' in content ? content.markup : content.map(markupOf).join('')
}

/** Signs of HTML, and what commands of CI systems begin with: a page may be shown in the log of a job. */
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
