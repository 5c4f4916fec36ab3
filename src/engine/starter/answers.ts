import type { CiSystem } from '../requests.js'

/** The settings for a new project. */
export interface Answers {
  readonly name: string
  readonly url: string | undefined
  readonly area: string | undefined
  /** In the order in which changes reach them. Empty if the project has one area. */
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

/** The facts to which the workflows are adapted: the repository, and the variables in the manifests. */
export interface Surroundings {
  /** The branch whose manifests are applied. */
  readonly branch: string
  /** Patterns for the files of manifests, policies and environments, relative to the project's folder. */
  readonly paths: readonly string[]
  /** The environment variables in the manifests: `secrets`, and `variables`, which the project declares public. */
  readonly secrets: readonly string[]
  readonly variables: readonly string[]
}
