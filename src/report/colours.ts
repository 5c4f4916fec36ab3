type Paint = (text: string) => string

/** The colours that reports use on a terminal. Without colours, each function returns its text unchanged. */
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

export const plainColours: Colours = {
  bold: plain,
  dim: plain,
  red: plain,
  green: plain,
  yellow: plain,
  cyan: plain,
  magenta: plain,
}
