import { spawn } from 'node:child_process'
import { env, kill, platform } from 'node:process'

/** What a git process has said. */
export interface Said {
  /** Its exit code; undefined if it was ended by a signal. */
  readonly code: number | undefined
  /** That signal; `late`: that of the time limit. */
  readonly endedBy?: NodeJS.Signals | 'late'
  readonly out: Buffer
  /** Without logins. */
  readonly err: string
}

export interface GitInput {
  readonly cwd: string
  /** Beside those of this process; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly stdin?: Buffer | string | undefined
  /** After so long the process and what it has started are ended. */
  readonly limitMs: number
}

/** Runs git and never asks anybody for anything. Rejects only if git cannot be started. */
export function git(args: readonly string[], { cwd, env: more, stdin, limitMs }: GitInput): Promise<Said> {
  return new Promise((resolve, reject) => {
    // In a group of its own: Ctrl-C ends the run in order, and what is being written down must not end before it.
    const detached = platform !== 'win32'
    const child = spawn('git', args, {
      cwd,
      env: { ...quiet(env), ...more },
      detached,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
    const { stdout: output, stderr: errors } = child
    const out: Buffer[] = []
    const err: Buffer[] = []
    output.on('data', (chunk: Buffer) => out.push(chunk))
    errors.on('data', (chunk: Buffer) => err.push(chunk))
    // A process that ends early reads no more: its exit code tells.
    child.stdin.on('error', () => undefined)
    let isLate = false
    const limit = setTimeout(() => {
      isLate = true
      if (detached && child.pid !== undefined) endGroup(child.pid)
      else child.kill('SIGKILL')
    }, limitMs)
    child.on('error', (error) => {
      clearTimeout(limit)
      reject(error)
    })
    child.on('close', (code, signal) => {
      clearTimeout(limit)
      resolve({
        code: code ?? undefined,
        ...(signal && { endedBy: isLate ? 'late' : signal }),
        out: Buffer.concat(out),
        err: withoutLogins(Buffer.concat(err).toString('utf8')),
      })
    })
    child.stdin.end(stdin ?? '')
  })
}

function endGroup(pid: number): void {
  try {
    kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** The login of an address, which git repeats in its messages. */
export const withoutLogins = (text: string): string =>
  text.replaceAll(/:\/\/(?:[^/\s'":]*:[^\s'"]*|[^/\s'"]*)@/g, '://***@')

/**
 * No prompt in any form, no tracing (it shows tokens), the words of git in English; a repository of a hook around us is not
 * ours.
 */
function quiet(given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const left = Object.entries(given).filter(([name]) => !/^GIT_(TRACE|CURL_VERBOSE)/.test(name))
  return {
    ...Object.fromEntries(left),
    GIT_TERMINAL_PROMPT: '0',
    GCM_INTERACTIVE: 'never',
    SSH_ASKPASS: '',
    LC_ALL: 'C',
    LANGUAGE: 'C',
  }
}
