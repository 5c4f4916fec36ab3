import { spawn } from 'node:child_process'
import { env, kill, platform } from 'node:process'

/** The result of a git process. */
export interface GitResult {
  /** Its exit code; undefined if a signal ended it. */
  readonly code: number | undefined
  /** That signal, or `late` for the time limit. */
  readonly endedBy?: NodeJS.Signals | 'late'
  readonly out: Buffer
  /** Without logins. */
  readonly err: string
}

export interface GitInput {
  readonly cwd: string
  /** Variables besides those of this process; undefined removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly stdin?: Buffer | string | undefined
  /** The time limit: after it, the process and what it has started are ended. */
  readonly limitMs: number
}

/** Runs git without any prompt. Rejects only if git cannot be started. */
export function git(args: readonly string[], { cwd, env: more, stdin, limitMs }: GitInput): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    // git runs in a process group of its own: Ctrl-C ends the run in order, and must not end git while it still records
    // something.
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
    // A process that ends early does not read its input; its exit code shows that.
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
    // It has already ended by itself.
  }
}

/** Hides the login in an address, which git repeats in its messages. */
export const withoutLogins = (text: string): string =>
  text.replaceAll(/:\/\/(?:[^/\s'":]*:[^\s'"]*|[^/\s'"]*)@/g, '://***@')

/**
 * No prompt in any form, no tracing (it shows tokens), and messages of git in English. If a hook calls this program, the hook's
 * repository is not the one that is meant.
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
