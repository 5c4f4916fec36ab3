import type { CiSystem } from '../requests.js'

/** What a new project is made with. */
export interface Answers {
  readonly name: string
  readonly url: string | undefined
  readonly area: string | undefined
  /** In the order in which changes reach them; none if the project has one area. */
  readonly environments: readonly EnvironmentAnswers[]
  readonly content: 'example' | 'export'
  readonly ci: CiSystem
  /** The version of the program that CI installs. */
  readonly version: string
}

/** An environment of a new project. */
export interface EnvironmentAnswers {
  readonly name: string
  readonly url: string | undefined
  readonly area: string | undefined
}

/** What the workflows are fitted to: the repository, and what the manifests in it name. */
export interface Surroundings {
  /** The branch whose manifests are applied. */
  readonly branch: string
  /** Patterns of the files of manifests, policies and environments, seen from the project's folder. */
  readonly paths: readonly string[]
  /** The environment variables that the manifests name: secret ones, and those that the project calls public. */
  readonly secrets: readonly string[]
  readonly variables: readonly string[]
}
