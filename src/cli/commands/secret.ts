import { encryptSecret, rotateSecrets } from '../../engine/secret.js'
import { ProblemError } from '../../problems/problem.js'
import { badUsage } from '../../problems/project.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { SecretOptions } from '../options.js'

/** `secret encrypt` prints a value for manifests; `secret rotate` encrypts those of the project anew. Neither sends anything. */
export async function secretCommand(options: SecretOptions & { readonly action: string }, io: Io): Promise<number> {
  switch (options.action) {
    case 'encrypt': {
      if (io.stdin.isTTY) io.stderr.write('Type the value, then Ctrl-D on a line of its own.\n')
      io.stdout.write(`${await encryptSecret(options, withoutLineEnd(await inputOf(io)), io)}\n`)
      return exit.done
    }
    case 'rotate': {
      const rotated = await rotateSecrets(options, io)
      for (const { path, values } of rotated) io.stdout.write(`${path}  ${values} encrypted anew\n`)
      if (rotated.length === 0) io.stdout.write('No file of the project has a value that age encrypted.\n')
      return exit.done
    }
  }
  throw new ProblemError([badUsage(`secret does not know "${options.action}"`, 'encrypt or rotate', 'secret')])
}

async function inputOf({ stdin }: Io): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array | string))
  return Buffer.concat(chunks).toString()
}

/** What a shell or an editor puts behind the last line is no part of a value. */
const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, '')
