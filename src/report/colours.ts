type Paint = (text: string) => string

/** What reports need of a terminal; with colours off each of these gives its text as it is. */
export interface Colours {
  readonly bold: Paint
  readonly dim: Paint
  readonly red: Paint
  readonly green: Paint
  readonly yellow: Paint
  readonly cyan: Paint
  readonly magenta: Paint
}

const plain: Paint = (text) => text

/** No colours at all. */
export const plainColours: Colours = {
  bold: plain,
  dim: plain,
  red: plain,
  green: plain,
  yellow: plain,
  cyan: plain,
  magenta: plain,
}
