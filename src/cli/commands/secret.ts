import { encryptSecret, rotateSecrets } from '../../engine/secret.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { SecretOptions } from '../options.js'

/** `secret encrypt` prints a value for manifests. Sends nothing. */
export async function secretEncryptCommand(options: SecretOptions, io: Io): Promise<number> {
  if (io.stdin.isTTY) io.stderr.write('Type the value, then Ctrl-D on a line of its own.\n')
  io.stdout.write(`${await encryptSecret(options, withoutLineEnd(await inputOf(io)), io)}\n`)
  return exit.done
}

/** `secret rotate` encrypts the values of the project anew. Sends nothing. */
export async function secretRotateCommand(options: SecretOptions, io: Io): Promise<number> {
  const rotated = await rotateSecrets(options, io)
  for (const { path, values } of rotated) io.stdout.write(`${path}  ${values} encrypted anew\n`)
  if (rotated.length === 0) io.stdout.write('No file of the project has a value that age encrypted.\n')
  return exit.done
}

async function inputOf({ stdin }: Io): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array | string))
  return Buffer.concat(chunks).toString()
}

/** What a shell or an editor puts behind the last line is no part of a value. */
const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, '')
