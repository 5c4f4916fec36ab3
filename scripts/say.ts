/** Writes a line to stdout. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
