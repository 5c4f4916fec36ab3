import { shippedText } from '../files/shipped-files.js'
import { once } from '../json/once.js'

/** The version that package.json states. */
export const programVersion = once((): string => {
  const { version }: { version: string } = JSON.parse(shippedText('package.json'))
  return version
})
