/** A cron line of five fields: minute, hour, day of the month, month, day of the week. */
interface CronLine {
  /** The largest number of runs on one day. */
  readonly runsPerDay: number
  /** The shortest time between two runs, in milliseconds. For days of the month, every month counts as 28 days. */
  readonly shortestGapMs: number
}

interface CronField {
  readonly name: string
  readonly least: number
  readonly most: number
  /** Names for the numbers, beginning with the least number. */
  readonly words?: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const cronFields: readonly CronField[] = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day of the month', least: 1, most: 31 },
  { name: 'month', least: 1, most: 12, words: months },
  // Both 0 and 7 mean Sunday.
  { name: 'day of the week', least: 0, most: 7, words: weekdays },
]

/** Parses a cron line, or describes what is wrong with it. */
export function cronLine(text: string): CronLine | { readonly fault: string } {
  const written = text.trim().split(/\s+/)
  if (written.length !== cronFields.length) {
    return {
      fault: `it has ${written.length} fields, and a cron line has five: minute, hour, day, month, day of the week`,
    }
  }
  const read = cronFields.map((field, index) => valuesIn(written[index] ?? '', field))
  const fault = read.flatMap((each) => ('fault' in each ? [each.fault] : []))
  if (fault.length > 0) return { fault: fault.join('; ') }
  const [minutes = [], hours = [], days = [], inMonths = [], weekdaysOf7 = []] = read.map((each) =>
    'values' in each ? each.values : [],
  )
  const isEveryDay = written[2] === '*'
  const isEveryWeekday = written[4] === '*'
  // The scheduler refuses such a line, even if it also has days of the week.
  if (!inMonths.some((month) => days.some((day) => day <= (longest[month - 1] ?? 0)))) {
    return { fault: 'none of its months has such a day' }
  }
  const times = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute))
  const ofWeek = [...new Set(weekdaysOf7.map((day) => day % 7))].sort((left, right) => left - right)
  const daysApart = daysBetween(isEveryDay ? undefined : days, isEveryWeekday ? undefined : ofWeek)
  const within = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  const overNight = daysApart * 1440 - (times.at(-1) ?? 0) + (times[0] ?? 0)
  return { runsPerDay: times.length, shortestGapMs: Math.min(...within, overNight) * 60_000 }
}

const longest = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/**
 * The least number of days between two runs. If both days of the month and days of the week are given, a day needs to match only
 * one of them.
 */
function daysBetween(ofMonth: readonly number[] | undefined, ofWeek: readonly number[] | undefined): number {
  if (ofMonth && ofWeek) return 1
  if (ofMonth) return gap(ofMonth, 28)
  return ofWeek ? gap(ofWeek, 7) : 1
}

/** The smallest distance between neighbours in a cycle of `all` values. */
function gap(values: readonly number[], all: number): number {
  const next = values.map((value, index) => (values[index + 1] ?? (values[0] ?? 0) + all) - value)
  return Math.max(1, Math.min(...next))
}

type CronValues = { readonly values: readonly number[] } | { readonly fault: string }

/**
 * All values of a field, sorted. The field is a list of `5`, `*`, `1-5` or `mon-fri`, of which all but single values can have a
 * `/step`: the scheduler accepts no step after a single value.
 */
function valuesIn(text: string, field: CronField): CronValues {
  const values = new Set<number>()
  const end = field.name === 'day of the week' ? 6 : field.most
  for (const part of text.split(',')) {
    const match = /^(?:(\w+)|(?:\*|(\w+)-(\w+))(?:\/(\d+))?)$/.exec(part)
    const [, single, from = single, to = single, step = '1'] = match ?? []
    const first = from === undefined ? field.least : numberIn(from, field)
    const last = to === undefined ? end : numberIn(to, field)
    const by = Number(step)
    if (!match || first === undefined || last === undefined || last < first || by === 0) {
      return { fault: `"${part}" is no ${field.name}` }
    }
    for (let value = first; value <= last; value += by) values.add(value)
  }
  return { values: [...values].sort((left, right) => left - right) }
}

function numberIn(text: string, { least, most, words = [] }: CronField): number | undefined {
  const word = words.indexOf(text.toLowerCase())
  if (word !== -1) return word + least
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  return value >= least && value <= most ? value : undefined
}
