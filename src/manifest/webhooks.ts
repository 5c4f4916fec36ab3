import { urlIn } from '../catalog/base-url.js'
import { noticeEvents, noticeFormats } from '../catalog/project-schema.js'
import { ownValue } from '../catalog/record.js'
import { badWebhook } from '../problems/notify.js'
import type { ReportProblem } from '../problems/problem.js'
import { durationMs } from './duration.js'
import { type MapNode, type Node, type ScalarNode, scalarText, valueAt } from './node.js'
import type { ValueSources } from './placeholder-sources.js'
import { hide, placeOf } from './source.js'

/** A webhook that gets notifications about drift and failed runs. */
export interface Webhook {
  /** The address as written in the project file: `${env:NAME}`, or an address. */
  readonly written: string
  /** undefined: its variable is not set here. The value of a variable may be anything, even an invalid address. */
  readonly url: string | undefined
  /** Where the address comes from: a variable of the environment, or the project file. */
  readonly from: 'environment' | 'file'
  readonly format: (typeof noticeFormats)[number]
  readonly on: readonly (typeof noticeEvents)[number][]
  /** After how many milliseconds an unchanged state is sent again; undefined: never. */
  readonly remindMs: number | undefined
}

/**
 * Reads `spec.notify`. The schema checks its shape, and entries of another shape are left out here. A variable that is not set is
 * not a problem: a command that only plans does not need it (A250).
 */
export function readWebhooks(
  node: Node | undefined,
  { env }: Pick<ValueSources, 'env'>,
  report: ReportProblem,
): readonly Webhook[] {
  const items = node?.is === 'list' ? node.items : []
  return items.flatMap((item) => {
    const url = item.is === 'map' ? valueAt(item, 'url') : undefined
    if (item.is !== 'map' || url?.is !== 'scalar' || typeof url.value !== 'string' || url.value === '') return []
    const address = addressOf(url, url.value, env)
    if ('fault' in address) {
      report(badWebhook(placeOf(url.range), address.fault))
      return []
    }
    return [{ written: url.value, ...address, ...choicesIn(item) }]
  })
}

type Address = Pick<Webhook, 'url' | 'from'> | { readonly fault: string }

/** A text with a variable in it is refused: anyone who may change the project file could send any variable to any host (A251). */
function addressOf(node: ScalarNode, written: string, env: ValueSources['env']): Address {
  const [, variable] = /^\$\{env:(\w+)\}$/.exec(written) ?? []
  if (variable === undefined) {
    // Anyone who knows the address can write there.
    hide(node.range)
    if (written.includes('${')) return { fault: 'one variable and nothing else, such as ${env:CHAT_WEBHOOK}' }
    const fault = addressFault(written)
    return fault === undefined ? { url: written, from: 'file' } : { fault: `an address that ${fault}` }
  }
  if (/^(?:GATEWRIGHT_|PG)/.test(variable)) return { fault: 'no variable of gatewright or of PostgreSQL' }
  return { url: ownValue(env, variable) || undefined, from: 'environment' }
}

/** The condition that an address does not meet, as the end of "an address that"; undefined if the address may be used. */
export function addressFault(written: string): string | undefined {
  const url = urlIn(written)
  if (!url) return 'can be read as a URL'
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))
    return 'begins with https://'
  return url.username !== '' || url.password !== '' ? 'holds no login' : undefined
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)

function choicesIn(item: MapNode): Pick<Webhook, 'format' | 'on' | 'remindMs'> {
  const format = scalarText(valueAt(item, 'format'))
  const on = valueAt(item, 'on')
  const words =
    on?.is === 'list' ? on.items.map((each) => (each.is === 'scalar' ? each.value : undefined)) : noticeEvents
  return {
    format: noticeFormats.find((each) => each === format) ?? 'json',
    on: noticeEvents.filter((each) => words.includes(each)),
    remindMs: durationMs(scalarText(valueAt(item, 'remind')) ?? '7d'),
  }
}
