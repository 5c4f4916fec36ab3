import { shippedText } from '../files/shipped-files.js'

/** The version that package.json states. */
export function programVersion(): string {
  const { version }: { version: string } = JSON.parse(shippedText('package.json'))
  return version
}
