/** The offset of the closing quote of a string in a JSON text, or the end of the text. `start`: the offset of the opening quote. */
export function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1
    while (text[before] === '\\') before -= 1
    // A quote behind an odd number of backslashes is a part of the string.
    if ((quote - before) % 2 === 1) return quote
  }
  return text.length
}
