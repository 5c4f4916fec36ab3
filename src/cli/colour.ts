import pc from 'picocolors'
import type { Colours } from '../report/colours.js'
import type { TextForm } from '../report/table.js'
import type { OutputStream, World } from './io.js'
import type { GlobalOptions } from './options.js'

/**
 * The colours for one stream. If the command line does not decide, colours are on if FORCE_COLOR says so, or if the stream is a
 * terminal that can show them and no variable turns them off. The library's own detection is not used, because it turns colours
 * on in a pipe if CI is set.
 */
export function coloursFor(
  stream: OutputStream,
  options: Pick<GlobalOptions, 'color'>,
  io: Pick<World, 'env'>,
): Colours {
  return pc.createColors(isColoured(stream, options, io))
}

/** The form of text on one stream. */
export const textForm = (
  stream: OutputStream,
  options: Pick<GlobalOptions, 'color'>,
  io: Pick<World, 'env'>,
): TextForm => ({ colours: coloursFor(stream, options, io), columns: stream.columns })

function isColoured({ isTTY }: OutputStream, { color }: Pick<GlobalOptions, 'color'>, { env }: Pick<World, 'env'>) {
  if (color !== 'auto') return color === 'always'
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = env
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return isTTY === true && NO_COLOR === '' && TERM !== 'dumb'
}
