import type { Source } from '../source.js'
import { type Documents, readYaml } from './read-yaml.js'

/** Reads the documents of a text. */
export type YamlReader = (source: Source) => Documents

/**
 * A reader that gives what it found before to whoever asks for a file with the same text again: most files at a git reference
 * are as they are in the working tree. It holds the documents as long as somebody holds it.
 */
export function rememberingReader(): YamlReader {
  const known = new Map<string, { readonly text: string; readonly found: Documents }>()
  return (source) => {
    const earlier = known.get(source.file)
    if (earlier?.text === source.text) return earlier.found
    const found = readYaml(source)
    known.set(source.file, { text: source.text, found })
    return found
  }
}
