import type { NoticeDocument, NoticeFinding } from '../documents/notice.js'
import { printable } from '../json/printable.js'
import { counted } from '../problems/suggest.js'
import { clipped } from './budget.js'
import { happenedWords } from './happened-words.js'
import { targetText } from './target.js'
import { memberText } from './value-text.js'

/** Some chats cut off longer texts. */
const longest = 3000

/** A notice as a request body for chats: `{"text": …}` in Slack's mrkdwn. */
export function noticeText(notice: NoticeDocument): { readonly text: string } {
  const { findings, problems, more, job } = notice
  const lines = [...problems.map(problemLine), ...findings.map(findingLine)]
  const end = job === undefined ? [] : [plain(job)]
  let left = longest - headline(notice).length - end.join('').length - 100
  const displayed = lines.filter((line) => {
    left -= line.length + 1
    return left >= 0
  })
  const others = lines.length - displayed.length + more
  const rest = others === 0 ? [] : [`… and ${others} more`]
  return { text: [headline(notice), ...displayed, ...rest, ...end].join('\n') }
}

function headline({ event, of, reason, command, target, since, findings, problems, more }: NoticeDocument): string {
  const where = clipped(targetText(target), 600, plain)
  const count = findings.length + problems.length + more
  switch (event) {
    case 'drift':
      return `*Drift* of ${where}: ${counted(count, 'object')}${againText(reason, since)}`
    case 'error':
      return `*gatewright ${command} failed* for ${where}${againText(reason, since)}`
    case 'recovery': {
      const what = of === 'drift' ? 'No drift any more' : `gatewright ${command} works again`
      return `*${what}* for ${where}, first reported ${since}`
    }
  }
}

function againText(reason: NoticeDocument['reason'], since: string): string {
  switch (reason) {
    case 'first':
    case 'over':
      return ''
    case 'changed':
      return `, not the same as before (first reported ${since})`
    case 'reminder':
      return `, still the same (first reported ${since})`
  }
}

const problemLine = ({ code, message }: NoticeDocument['problems'][number]): string =>
  `• ${plain(message)} [${plain(code)}]`

function findingLine({ address, what, fields = [], editor, updated, error }: NoticeFinding): string {
  const by = [...(editor === undefined ? [] : [`by ${editor}`]), ...(updated === undefined ? [] : [updated])]
  const names = fields.map(({ path, verdict }) =>
    verdict === 'conflict' ? `${memberText(path)} (conflict)` : memberText(path),
  )
  const reported = [
    words[what] ?? what,
    ...(names.length === 0 ? [] : [`: ${names.join(', ')}`]),
    ...(by.length === 0 ? [] : [` (${by.join(', ')})`]),
    ...(error === undefined ? [] : [`: ${error}`]),
  ]
  return `• \`${plain(address).replaceAll('`', "'")}\` ${plain(reported.join(''))}`
}

const words: Readonly<Record<string, string>> = {
  ...happenedWords,
  notStarted: 'not started',
  notKept: 'not kept by the platform',
}

/**
 * Escapes a text of others: without these three characters it contains no link, mention or command of Slack. Other chats notify
 * everybody if a text contains `@all` or `@everyone`, so a zero-width space is added after the `@`.
 */
const plain = (text: string): string =>
  printable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/(?<!\w)@(?=\w)|@(?=everyone|here)/gi, '@\u200b')
