import type { Problem } from '../problems/problem.js'
import type { Layers } from './compose/layers.js'
import type { Gathering } from './gathering.js'
import type { Resource } from './resource.js'
import type { Source } from './source.js'
import { type Documents, readYaml } from './yaml/read-yaml.js'

/** What a text comes to. */
interface Gathered {
  readonly objects: readonly Resource[]
  readonly problems: readonly Problem[]
}

/** Reads the documents of a text. */
export type YamlReader = (source: Source) => Documents

/**
 * What one reading of manifests leaves to the next one, as most files at a git reference are as they are in the working tree:
 * the objects of a file with the same text, under the same layers, where nothing else makes them; of other files their
 * documents, of which thousands would fill the memory. The next reading is told nothing of what layers do to these objects.
 * It holds all that as long as somebody holds it.
 */
export class KnownReading {
  readonly #texts = new Map<string, string>()
  readonly #documents = new Map<string, Documents>()
  readonly #gathered = new Map<string, Gathered>()
  #layers: string | undefined

  /** The documents of a text. */
  readonly documents: YamlReader = (source) => {
    const { file, text } = source
    const earlier = this.#texts.get(file) === text ? this.#documents.get(file) : undefined
    const found = earlier ?? readYaml(source)
    this.#texts.set(file, text)
    this.#documents.set(file, found)
    return found
  }

  /** The texts of files, by their paths. */
  texts(): ReadonlyMap<string, string> {
    return this.#texts
  }

  /** From now on objects are taken with these layers: under other ones they are others. */
  take(layers: Layers): void {
    const words = wordsOf(layers)
    if (this.#layers !== words) this.#gathered.clear()
    this.#layers = words
  }

  /** Adds the objects that all of a text comes to; false where they are not known. */
  add({ file, text }: Source, gathering: Gathering): boolean {
    const earlier = this.#texts.get(file) === text ? this.#gathered.get(file) : undefined
    for (const problem of earlier?.problems ?? []) gathering.report(problem)
    for (const object of earlier?.objects ?? []) gathering.add(object)
    return earlier !== undefined
  }

  /**
   * Reads the objects of a text, and keeps them where nothing but the text and the layers makes them. `reading` says whether
   * it was given all that the text holds.
   */
  read({ file }: Source, gathering: Gathering, reading: (gathering: Gathering) => boolean): void {
    const objects: Resource[] = []
    const problems: Problem[] = []
    let isAlone = true
    const noting =
      <Told extends readonly unknown[]>(tell: (...told: Told) => void) =>
      (...told: Told): void => {
        isAlone = false
        tell(...told)
      }
    const isAll = reading({
      ...gathering,
      add: (resource) => {
        objects.push(resource)
        gathering.add(resource)
      },
      report: (problem) => {
        problems.push(problem)
        gathering.report(problem)
      },
      misses: noting(gathering.misses),
      lacks: (found) => {
        if (found.length > 0) isAlone = false
        gathering.lacks(found)
      },
      relate: noting(gathering.relate),
      addSecret: noting(gathering.addSecret),
      lacksSecrets: noting(gathering.lacksSecrets),
      compose: (text, key, id) => {
        const composed = gathering.compose(text, key, id)
        // What others inherit, or are left out with, must be found once more; and each patch, what it is for.
        if (
          !composed ||
          composed.isLeftOut ||
          composed.isPatched ||
          text.metadata.defaults ||
          text.metadata.environments.length > 0
        ) {
          isAlone = false
        }
        return composed
      },
    })
    if (!isAll || !isAlone || objects.length === 0) return
    this.#gathered.set(file, { objects, problems })
    this.#documents.delete(file)
  }
}

/** What layers say, wherever it stands. */
const wordsOf = ({ environment, environments, defaults, patches }: Layers): string =>
  JSON.stringify({ environment, environments, defaults, patches }, (key, value: unknown) => {
    if (key === 'mark') return undefined
    return value instanceof Map ? [...value] : value
  })
