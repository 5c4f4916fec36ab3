import { createOtherMake } from '../../other-make/area.js'
import { platform } from '../within.js'
import { chanceOf, seedOf } from './chance.js'
import { type Clock, type PlayedMake, type PlayOptions, play } from './play.js'

/** One way to play a history: the make, and whether the connection to it is good. */
interface Staging {
  /** Its name in findings. */
  readonly name: string
  readonly makeWith: (clock: Clock) => PlayedMake
  readonly origin: PlayOptions['origin']
  readonly weather: PlayOptions['weather']
}

/** The result of a history on all makes. */
export interface PlayedHistory {
  readonly seed: number
  readonly findings: readonly string[]
  readonly commits: number
  readonly applies: number
  readonly writes: number
  readonly misfortunes: number
}

/** The makes on which a seed is played: the embedded platform in both dialects, and the other make with random quirks. */
function stagingsOf(seed: number): readonly Staging[] {
  const chance = chanceOf(seedOf(seed, 99))
  const weather = seed % 3 === 0 ? 'calm' : 'rough'
  const names = ['Default', 'Default Error Set', 'Standard'] as const
  const quirks = {
    domains: chance.pick(['active', 'waiting'] as const) ?? 'active',
    defaultErrorSet: chance.pick(['never', 'unless given', 'always'] as const) ?? 'never',
    // An object with an unexpected name that a killed run has left may belong to somebody else: it stays, and is reported as
    // drift.
    errorSetName: (weather === 'calm' ? chance.pick(names) : undefined) ?? 'Default',
    singles: chance.pick(['in a list', 'bare'] as const) ?? 'bare',
    booleans: chance.pick(['words', 'zero and one'] as const) ?? 'words',
    roles: chance.pick(['apart', 'nested'] as const) ?? 'apart',
    pageLimit: chance.pick([2, 7, 37, 100]) ?? 100,
  }
  // Fields that only the notes have are drawn for makes that keep them.
  const origin = seed % 2 === 0 ? 'known' : 'documented'
  return [
    { name: `document, ${weather}`, makeWith: (clock) => platform(clock), origin, weather },
    { name: `recorded, ${weather}`, makeWith: (clock) => platform({ ...clock, dialect: 'recorded' }), origin, weather },
    {
      name: `another (${Object.values(quirks).join(', ')}), ${weather}`,
      makeWith: () => createOtherMake(quirks),
      origin: 'documented',
      weather,
    },
  ]
}

/** Plays the history of a seed on every make, and reports violated laws. */
export async function playEverywhere(
  seed: number,
  commits: number,
  without = new Set<string>(),
): Promise<PlayedHistory> {
  const sum = { seed, findings: [] as string[], commits: 0, applies: 0, writes: 0, misfortunes: 0 }
  for (const { name, makeWith, origin, weather } of stagingsOf(seed)) {
    const played = await play(seed, makeWith, {
      origin,
      weather,
      commits,
      without,
      between: seed % 2 === 0 ? 'nothing' : 'something',
    })
    sum.findings.push(...played.findings.map((each, index) => (index === 0 ? `on ${name}: ${each}` : each)))
    sum.commits += played.commits
    sum.applies += played.applies
    sum.writes += played.writes
    sum.misfortunes += played.misfortunes.length
  }
  return sum
}
