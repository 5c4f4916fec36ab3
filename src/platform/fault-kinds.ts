import { type BodyWord, bodyWords, type FixedWord, isFixed } from './fault-answers.js'
import { isNameForm, type NameForm, nameForms } from './stored-names.js'

/** What happens to a call. docs/reference/platform.md explains each word of the grammar. */
export type FaultKind =
  | { readonly is: PlainWord }
  | { readonly is: 'slow' | 'lag' | 'stale'; readonly milliseconds: number }
  /** The call is not executed. */
  | { readonly is: 'status'; readonly status: number; readonly body: FixedWord }
  /** The call is executed. */
  | { readonly is: 'after'; readonly status: number; readonly body: BodyWord }
  /** The parent and its first children are created, then the call is refused. */
  | { readonly is: 'partial'; readonly children: number; readonly status: number; readonly body: FixedWord }
  | { readonly is: 'late'; readonly milliseconds: number; readonly answer: 'reset' | 'timeout' }
  | { readonly is: 'page'; readonly items: number }
  | { readonly is: 'names'; readonly form: NameForm }

const plainWords = [
  'reset-before',
  'reset-after',
  'truncate',
  'expire-token',
  'over-qps',
  'over-rate',
  'uncounted',
] as const

type PlainWord = (typeof plainWords)[number]

interface Word {
  /** The form of the word in messages. */
  readonly form: string
  readonly pattern: RegExp
  readonly make: (groups: readonly (string | undefined)[]) => FaultKind | undefined
}

const timed = (is: 'slow' | 'lag' | 'stale'): Word => ({
  form: `${is}-MS`,
  pattern: new RegExp(`^${is}-(\\d+)$`),
  make: ([milliseconds]) => ({ is, milliseconds: Number(milliseconds) }),
})

const words: readonly Word[] = [
  ...plainWords.map((is): Word => ({ form: is, pattern: new RegExp(`^${is}$`), make: () => ({ is }) })),
  { form: 'html', pattern: /^html$/, make: () => ({ is: 'status', status: 200, body: 'html' }) },
  {
    form: 'status-STATUS[-BODY]',
    pattern: /^status-([2-5]\d\d)(?:-([a-z-]+))?$/,
    make: ([status, word]) => {
      const body = bodyWord(word, Number(status))
      return body && isFixed(body) ? { is: 'status', status: Number(status), body } : undefined
    },
  },
  {
    form: 'after-STATUS[-BODY]',
    pattern: /^after-([2-5]\d\d)(?:-([a-z-]+))?$/,
    make: ([status, word]) => {
      const body = bodyWord(word, Number(status))
      return body && { is: 'after', status: Number(status), body }
    },
  },
  {
    form: 'partial-N[-STATUS[-BODY]]',
    pattern: /^partial-(\d+)(?:-([45]\d\d)(?:-([a-z]+))?)?$/,
    make: ([children, status = '400', word]) => {
      const body = bodyWord(word, Number(status))
      if (!body || !isFixed(body)) return undefined
      return { is: 'partial', children: Number(children), status: Number(status), body }
    },
  },
  timed('slow'),
  timed('lag'),
  timed('stale'),
  {
    form: 'late-MS[-reset]',
    pattern: /^late-(\d+)(-reset)?$/,
    make: ([milliseconds, reset]) => ({
      is: 'late',
      milliseconds: Number(milliseconds),
      answer: reset === undefined ? 'timeout' : 'reset',
    }),
  },
  { form: 'page-N', pattern: /^page-([1-9]\d*)$/, make: ([items]) => ({ is: 'page', items: Number(items) }) },
  {
    form: `names-FORM (${Object.keys(nameForms).join(', ')})`,
    pattern: /^names-(\w+)$/,
    make: ([form = '']) => (isNameForm(form) ? { is: 'names', form } : undefined),
  },
]

/** The forms of all words, for messages. */
export const kindForms: string = words.map((word) => word.form).join(', ')

/** Parses one KIND; undefined if it is none. */
export function parseKind(text: string): FaultKind | undefined {
  for (const { pattern, make } of words) {
    const found = pattern.exec(text)
    if (found) return make(found.slice(1))
  }
  return undefined
}

/** The default body: an error of the interface, or the usual answer for a success status. */
function bodyWord(text: string | undefined, status: number): BodyWord | undefined {
  if (text === undefined) return status >= 400 ? 'object' : 'usual'
  return bodyWords.find((word) => word === text)
}

/** Whether a fault applies to calls with that method: some faults are for writes only, some for reads only. */
export function concerns({ is }: FaultKind, method: string): boolean {
  switch (is) {
    case 'late':
    case 'names':
      return method !== 'GET'
    case 'partial':
      return method === 'POST'
    case 'lag':
    case 'stale':
    case 'page':
    case 'uncounted':
      return method === 'GET'
    default:
      return true
  }
}
