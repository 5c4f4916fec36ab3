import type { CallsGranted, TakeCalls } from '../ports/child.js'

/**
 * Asks whoever started this process as the job of an area for calls. Rejects when that one is gone, or when the process is
 * asked to end before there is an answer. One question at a time.
 */
export function callsFromParent(own: NodeJS.Process, signal: AbortSignal): TakeCalls {
  return (asked) =>
    new Promise((resolve, reject) => {
      const finish = (end: () => void) => {
        own.off('message', heard)
        own.off('disconnect', gone)
        signal.removeEventListener('abort', gone)
        // Nothing else keeps the process alive while it waits.
        own.channel?.unref()
        end()
      }
      const heard = (message: unknown): void => {
        if (isGranted(message)) finish(() => resolve(message))
      }
      const gone = (): void => finish(() => reject(new Error('nobody answers')))
      if (!own.connected) return reject(new Error('nobody answers'))
      own.on('message', heard)
      own.on('disconnect', gone)
      signal.addEventListener('abort', gone)
      own.channel?.ref()
      own.send?.(asked)
    })
}

const isGranted = (message: unknown): message is CallsGranted =>
  typeof message === 'object' &&
  message !== null &&
  'calls' in message &&
  'until' in message &&
  typeof message.calls === 'number' &&
  typeof message.until === 'number'
