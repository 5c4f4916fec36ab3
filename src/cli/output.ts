import { fstatSync, writeSync } from 'node:fs'
import type { WriteStream } from 'node:tty'
import { codeOf, reasonOf } from '../files/system-error.js'
import { writeAll } from '../files/write-all.js'
import type { OutputStream } from './io.js'

/**
 * An output stream whose failures do not stop the program: the first failure is stored, and the command continues. A reader that
 * closes early (`| head`) is no failure. A file gets all of a text, even if a nearly full disk accepts it in parts.
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
    // After a failure nothing is written, because a part would be missing before it.
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

/** A device that is no terminal, such as /dev/full, is written like a file. */
function isFile(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor)
    return found.isFile() || found.isCharacterDevice()
  } catch {
    return false
  }
}
