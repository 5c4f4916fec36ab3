import { once } from 'node:events'
import { chmodSync, symlinkSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'

/** Programs that scripts call by name, and that this process answers; `called.sh` replaces them. */

export interface Call {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

interface Answer {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The answer of a program, or the file that runs instead. */
export type Served = (call: Call) => Promise<Answer | { readonly instead: string }>

export interface Server {
  /** The variable with the address of this process. */
  readonly env: Readonly<Record<string, string>>
  readonly close: () => void
}

/** Answers the programs, by their names. */
export async function serve(programs: Readonly<Record<string, Served>>): Promise<Server> {
  const server = createServer((socket) => void answer(socket, programs))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { env: { SERVED_PORT: String(port) }, close: () => server.close() }
}

/** Puts a program into a folder of PATH. */
export function putProgram(folder: string, name: string): void {
  const script = join(import.meta.dirname, 'called.sh')
  chmodSync(script, 0o755)
  symlinkSync(script, join(folder, name))
}

async function answer(socket: Socket, programs: Readonly<Record<string, Served>>): Promise<void> {
  // The caller may have ended already.
  socket.on('error', () => undefined)
  const { name, call } = await callFrom(socket)
  const program = programs[name]
  const failed = (error: unknown) => ({ code: 1, stdout: '', stderr: `${name}: ${String(error)}\n` })
  const answered = program ? await program(call).catch(failed) : failed('nobody serves it')
  socket.end(
    'instead' in answered
      ? `exec ${quoted(answered.instead)} "$@" 3>&-`
      : `printf %s ${quoted(answered.stdout)}; printf %s ${quoted(answered.stderr)} >&2; exit ${answered.code}`,
  )
}

/** Its name, folder, number of words, words and variables, each followed by a zero; one more zero is the end. */
async function callFrom(socket: Socket): Promise<{ readonly name: string; readonly call: Call }> {
  const parts: Buffer[] = []
  for await (const part of socket.iterator({ destroyOnReturn: false })) {
    parts.push(part as Buffer)
    const [name = '', cwd = '', count = '', ...more] = Buffer.concat(parts).toString('utf8').split('\0')
    const end = more.indexOf('', Number(count))
    // After the last zero, the rest has not arrived yet.
    if (end === -1 || end === more.length - 1) continue
    const env = more.slice(Number(count), end).map((each) => {
      const at = each.indexOf('=')
      return [each.slice(0, at), each.slice(at + 1)]
    })
    return { name, call: { args: more.slice(0, Number(count)), cwd, env: Object.fromEntries(env) } }
  }
  throw new Error('the call ended early')
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
