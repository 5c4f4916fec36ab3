import { embedded, type World, world } from '../kit/world.js'
import { createOtherMake } from './area.js'

/** A world on each make: the embedded platform in both of its dialects, and another one. */
export const makes: readonly (readonly [name: string, make: () => World])[] = [
  ['document', () => embedded()],
  ['recorded', () => embedded({ dialect: 'recorded' })],
  ['another make', () => world(createOtherMake())],
]
