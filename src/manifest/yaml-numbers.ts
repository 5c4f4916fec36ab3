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
const isPlain = (event: ScalarEvent | SequenceEvent | MappingEvent): boolean =>
  event.anchorStart < 0 && event.tagStart < 0

/** Style (3 bits), chomping (2), fast (1) and the indentation, which is -1 where there is none. */
const formOf = ({ style, chomping, fast, indent }: ScalarEvent): number =>
  style | (chomping << 3) | (fast ? 32 : 0) | ((indent + 1) << 6)

/** The scalar event of these three numbers. */
export const scalarOf = (valueStart: number, valueEnd: number, form: number): ScalarEvent => ({
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
