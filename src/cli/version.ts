import { shippedText } from '../files/shipped-files.js'
import { once } from '../json/once.js'

/** The version in package.json. */
export const programVersion = once((): string => {
  const { version }: { version: string } = JSON.parse(shippedText('package.json'))
  return version
})
