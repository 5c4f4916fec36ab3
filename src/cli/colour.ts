import pc from 'picocolors'
import type { Colours } from '../report/colours.js'
import type { OutputStream, World } from './io.js'
import type { GlobalOptions } from './options.js'

/**
 * Colours for one stream: on only where it is a terminal that can show them and nobody asked for none. The library's own
 * detection is not used, since it turns colour on in a pipe where CI is set.
 */
export function coloursFor(
  stream: OutputStream,
  options: Pick<GlobalOptions, 'color'>,
  io: Pick<World, 'env'>,
): Colours {
  const { NO_COLOR, TERM } = io.env
  const unwanted = !options.color || (NO_COLOR !== undefined && NO_COLOR !== '') || TERM === 'dumb'
  return pc.createColors(stream.isTTY === true && !unwanted)
}
