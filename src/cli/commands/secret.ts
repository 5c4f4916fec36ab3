import { isUtf8 } from 'node:buffer'
import { encryptSecret, rotateSecrets } from '../../engine/secret.js'
import { tooLarge } from '../../files/ordinary-file.js'
import { notEncryptable } from '../../problems/encrypted.js'
import { ProblemError } from '../../problems/problem.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { SecretOptions } from '../options.js'

/** `secret encrypt` prints an encrypted value for manifests. Sends no requests. */
export async function secretEncryptCommand(options: SecretOptions, io: Io): Promise<number> {
  if (io.stdin.isTTY) io.stderr.write('Type the value, then Ctrl-D on a line of its own.\n')
  io.stdout.write(`${await encryptSecret(options, withoutLineEnd(await inputOf(io)), io)}\n`)
  return exit.done
}

/** `secret rotate` encrypts the values of the project again. Sends no requests. */
export async function secretRotateCommand(options: SecretOptions, io: Io): Promise<number> {
  const rotated = await rotateSecrets(options, io)
  for (const { path, values } of rotated) io.stdout.write(`${path}  ${values} encrypted again\n`)
  if (rotated.length === 0) io.stdout.write('No file of the project has a value that age encrypted.\n')
  return exit.done
}

/** The maximum size in bytes, the same as for a file that a placeholder names. */
const largest = 2 ** 20

async function inputOf({ stdin }: Io): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Uint8Array | string)
    size += bytes.length
    if (size > largest) throw new ProblemError([notEncryptable(tooLarge({ largest }))])
    chunks.push(bytes)
  }
  const bytes = Buffer.concat(chunks)
  // A manifest is text: other bytes would be decoded to another value.
  if (!isUtf8(bytes)) throw new ProblemError([notEncryptable('it is not text in UTF-8')])
  return bytes.toString()
}

/** The line end that a shell or an editor adds after the last line does not belong to the value. */
const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, '')
