import type { ProjectRequest } from '../engine/requests.js'
import type { Json } from '../json/json.js'
import type { FleetArea } from './fleet.js'

/** The request for one area, as the use cases of a single project take it. */
export const requestOf = ({ project, environment, area, values }: FleetArea): ProjectRequest => ({
  ...{ directory: project, environment, area, url: undefined, paths: [], allowFile: [], logHttp: undefined },
  ...{ select: [], labels: [], values: valueWords(values) },
})

/** `NAME=TEXT` for each value, the form of the option `--value`. */
export const valueWords = (values: FleetArea['values']): readonly string[] =>
  Object.entries(values).map(([name, value]) => `${name}=${valueWord(value)}`)

const valueWord = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))
