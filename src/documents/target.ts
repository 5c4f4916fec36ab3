/** Which area a document is about, and for which project; the area is '' where only a token knows it. */
export interface TargetDocument {
  readonly url: string
  readonly area: string
  readonly project: string
  /** Only of projects with environments. */
  readonly environment?: string
}
