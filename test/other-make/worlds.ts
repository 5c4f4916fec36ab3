import { embedded, type World, world } from '../kit/world.js'
import { createOtherMake } from './area.js'

/** A world for each make: the embedded platform in both of its dialects, and the other make. */
export const makes: readonly (readonly [name: string, make: () => World])[] = [
  ['document', () => embedded()],
  ['recorded', () => embedded({ dialect: 'recorded' })],
  ['another make', () => world(createOtherMake())],
]
