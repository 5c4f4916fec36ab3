/** The area and the project of a document. The area is '' if only the token determines it. */
export interface TargetDocument {
  readonly url: string
  readonly area: string
  readonly project: string
  /** Only for projects with environments. */
  readonly environment?: string
}
