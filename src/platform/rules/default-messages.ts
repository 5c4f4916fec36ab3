import { defaultMessages } from '../../catalog/error-messages.js'

/** The HTTP code of a message: the known code of a default message, otherwise the number in its id. */
export function messageCode(id: string): number {
  const known = defaultMessages.find((each) => each.id === id)
  return known?.code ?? Number(/^ERR_(\d{3})/.exec(id)?.[1] ?? 500)
}
