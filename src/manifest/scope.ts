import type { Kind } from '../catalog/types.js'
import type { Problem } from '../problem.js'
import type { Mark } from './source.js'

/** What the readers of one object's fields share. */
export interface Scope {
  readonly kind: Kind
  /** Fields that nobody knows: passed through with a warning (`metadata.extraFields`), or an error. */
  readonly extraFields: 'pass' | 'refuse'
  readonly clearSecrets: 'warning' | 'error'
  report(problem: Problem): void
  /** Remembers where the value at that JSON Pointer is written. */
  mark(pointer: string, mark: Mark): void
}

export type Reporter = Pick<Scope, 'report'>

/** Where a value stands in its object: for messages ("Endpoint.cors.maxAge") and as a JSON Pointer ("/cors/maxAge"). */
export interface At {
  readonly words: string
  readonly pointer: string
}

export const member = (at: At, name: string): At => ({
  words: `${at.words}.${name}`,
  pointer: `${at.pointer}/${name.includes('~') || name.includes('/') ? escaped(name) : name}`,
})

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

export const entry = (at: At, index: number): At => ({ words: at.words, pointer: `${at.pointer}/${index}` })
