import { fstatSync, writeSync } from 'node:fs'
import type { WriteStream } from 'node:tty'
import { codeOf, reasonOf } from '../files/system-error.js'
import { writeAll } from '../files/write-all.js'
import type { OutputStream } from './io.js'

/**
 * A stream of the process that nothing stops: what cannot be written is remembered, and what is under way goes on. A reader
 * that goes away early (`| head`) is no error. A file takes all of a text, also where a disk that fills up takes it in parts.
 */
export function steadyOutput(
  stream: WriteStream & { readonly fd: number },
): Required<Pick<OutputStream, 'delivered'>> & OutputStream {
  let failure: string | undefined
  const noted = (error: unknown): void => {
    if (codeOf(error) !== 'EPIPE') failure ??= reasonOf(error)
  }
  stream.on('error', noted)
  const toFile = !stream.isTTY && isFile(stream.fd)
  const writeFile = (text: string): void => {
    // What lacks a part is not continued behind it.
    if (failure !== undefined) return
    try {
      writeAll(Buffer.from(text), (rest) => writeSync(stream.fd, rest))
    } catch (error) {
      noted(error)
    }
  }
  return {
    get isTTY() {
      return stream.isTTY
    },
    get columns() {
      return stream.columns
    },
    write: (text) => (toFile ? writeFile(text) : stream.write(text)),
    delivered: async () => {
      if (!toFile) await new Promise<void>((resolve) => stream.write('', () => resolve()))
      return failure
    },
  }
}

/** A device that is no terminal, such as /dev/full, is written to as a file is. */
function isFile(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor)
    return found.isFile() || found.isCharacterDevice()
  } catch {
    return false
  }
}
