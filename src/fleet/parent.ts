import type { CallsGranted, TakeCalls } from '../ports/child.js'

/**
 * Requests calls from the parent process, which started this process as the job of an area. Rejects if the parent has ended, or
 * if this process is asked to end before the answer arrives. Only one request at a time.
 */
export function callsFromParent(own: NodeJS.Process, signal: AbortSignal): TakeCalls {
  return (requested) =>
    new Promise((resolve, reject) => {
      const finish = (end: () => void) => {
        own.off('message', heard)
        own.off('disconnect', gone)
        signal.removeEventListener('abort', gone)
        // Only the open channel keeps the process alive while it waits.
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
      own.send?.(requested)
    })
}

const isGranted = (message: unknown): message is CallsGranted =>
  typeof message === 'object' &&
  message !== null &&
  'calls' in message &&
  'until' in message &&
  typeof message.calls === 'number' &&
  typeof message.until === 'number'
