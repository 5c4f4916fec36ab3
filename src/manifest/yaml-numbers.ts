import { EVENT_ID, type Event, type MappingEvent, type ScalarEvent, type SequenceEvent } from 'js-yaml'

/**
 * The events of a text without anchors, tags and directives as whole numbers: offsets into the text and how to read them,
 * nothing of the text itself. Undefined where there is any of these.
 *
 * document, pop: type · sequence, mapping: type, start, style · scalar: type, start, end, form
 */
export function toNumbers(events: readonly Event[]): readonly number[] | undefined {
  const numbers: number[] = []
  for (const event of events) {
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        if (event.directives.length > 0) return undefined
        numbers.push(event.type)
        break
      case EVENT_ID.POP:
        numbers.push(event.type)
        break
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING:
        if (!isPlain(event)) return undefined
        numbers.push(event.type, event.start, event.style)
        break
      case EVENT_ID.SCALAR:
        if (!isPlain(event)) return undefined
        numbers.push(event.type, event.valueStart, event.valueEnd, formOf(event))
        break
      case EVENT_ID.ALIAS:
        return undefined
    }
  }
  return numbers
}

/** Whether a value has neither anchor nor tag. */
export const isPlain = (event: ScalarEvent | SequenceEvent | MappingEvent): boolean =>
  event.anchorStart < 0 && event.tagStart < 0

/** Style (3 bits), chomping (2), fast (1) and the indentation, which is -1 where there is none. */
const formOf = ({ style, chomping, fast, indent }: ScalarEvent): number =>
  style | (chomping << 3) | (fast ? 32 : 0) | ((indent + 1) << 6)

const plain = { anchorStart: -1, anchorEnd: -1, tagStart: -1, tagEnd: -1 } as const

/** The events again. Throws if the numbers are none. */
export function fromNumbers(numbers: Int32Array): readonly Event[] {
  const events: Event[] = []
  let at = 0
  const next = (): number => {
    const number = numbers[at] ?? 0
    at += 1
    return number
  }
  while (at < numbers.length) {
    const type = next()
    switch (type) {
      case EVENT_ID.DOCUMENT:
        events.push({ type, explicitStart: false, explicitEnd: false, directives: [] })
        break
      case EVENT_ID.POP:
        events.push({ type })
        break
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING:
        events.push({ type, start: next(), ...plain, style: next() as SequenceEvent['style'] })
        break
      case EVENT_ID.SCALAR:
        events.push(scalar(next(), next(), next()))
        break
      default:
        throw new Error(`${type} is no event`)
    }
  }
  return events
}

const scalar = (valueStart: number, valueEnd: number, form: number): ScalarEvent => ({
  type: EVENT_ID.SCALAR,
  valueStart,
  valueEnd,
  anchorStart: -1,
  anchorEnd: -1,
  tagStart: -1,
  tagEnd: -1,
  style: (form & 7) as ScalarEvent['style'],
  chomping: ((form >> 3) & 3) as ScalarEvent['chomping'],
  indent: (form >> 6) - 1,
  fast: (form & 32) !== 0,
})
