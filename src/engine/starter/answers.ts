import type { CiSystem } from '../requests.js'

/** What a new project is made with. */
export interface Answers {
  readonly name: string
  readonly url: string | undefined
  readonly area: string | undefined
  readonly content: 'example' | 'export'
  readonly ci: CiSystem
  /** The version of the program that CI installs. */
  readonly version: string
}
