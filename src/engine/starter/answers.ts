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

/** What the workflows are fitted to: the repository, and what the manifests in it name. */
export interface Surroundings {
  /** The branch whose manifests are applied. */
  readonly branch: string
  /** Patterns of the files that manifests are read from, seen from the project's folder. */
  readonly paths: readonly string[]
  /** The environment variables that the manifests name: secret ones, and those that the project calls public. */
  readonly secrets: readonly string[]
  readonly variables: readonly string[]
}
