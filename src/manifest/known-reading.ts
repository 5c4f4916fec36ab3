import type { Problem } from '../problems/problem.js'
import type { Layers } from './compose/layers.js'
import type { Gathering } from './gathering.js'
import type { MapNode } from './node.js'
import type { Resource } from './resource.js'
import type { Source } from './source.js'
import { type Documents, readYaml } from './yaml/read-yaml.js'

/** What a document comes to. */
interface Gathered {
  readonly objects: readonly Resource[]
  readonly problems: readonly Problem[]
}

/** Reads the documents of a text. */
export type YamlReader = (source: Source) => Documents

/**
 * What one reading of manifests leaves to the next one, as most files at a git reference are as they are in the working tree:
 * the documents of a file with the same text, and what is gathered of a document that is the same, under the same layers. The
 * next reading is told nothing of what layers do to these. It holds all that as long as somebody holds it.
 */
export class KnownReading {
  readonly #documents = new Map<string, { readonly text: string; readonly found: Documents }>()
  readonly #gathered = new Map<MapNode, Gathered>()
  #layers: string | undefined

  /** The documents of a text. */
  readonly documents: YamlReader = (source) => {
    const earlier = this.#documents.get(source.file)
    if (earlier?.text === source.text) return earlier.found
    const found = readYaml(source)
    this.#documents.set(source.file, { text: source.text, found })
    return found
  }

  /** The texts of files, by their paths. */
  texts(): ReadonlyMap<string, string> {
    return new Map([...this.#documents].map(([file, { text }]) => [file, text]))
  }

  /** From now on objects are taken with these layers: under other ones they are others. */
  take(layers: Layers): void {
    const words = wordsOf(layers)
    if (this.#layers !== words) this.#gathered.clear()
    this.#layers = words
  }

  /**
   * Reads a document at the root of an area, or hands on what is known of it: that is kept where nothing but the document and
   * the layers makes it.
   */
  read(root: MapNode, gathering: Gathering, reading: (gathering: Gathering) => void): void {
    const earlier = this.#gathered.get(root)
    if (earlier) {
      for (const problem of earlier.problems) gathering.report(problem)
      for (const object of earlier.objects) gathering.add(object)
      return
    }
    const objects: Resource[] = []
    const problems: Problem[] = []
    let isWhole = true
    const noting =
      <Told extends readonly unknown[]>(tell: (...told: Told) => void) =>
      (...told: Told): void => {
        isWhole = false
        tell(...told)
      }
    reading({
      ...gathering,
      add: (resource) => {
        objects.push(resource)
        gathering.add(resource)
      },
      report: (problem) => {
        problems.push(problem)
        gathering.report(problem)
      },
      relate: noting(gathering.relate),
      addSecret: noting(gathering.addSecret),
      lacksSecrets: noting(gathering.lacksSecrets),
      compose: (text, key, id) => {
        const composed = gathering.compose(text, key, id)
        // What others inherit, or are left out with, must be found once more.
        if (!composed || text.metadata.defaults || text.metadata.environments.length > 0) isWhole = false
        return composed
      },
    })
    if (isWhole) this.#gathered.set(root, { objects, problems })
  }
}

/** What layers say, wherever it stands. */
const wordsOf = ({ environment, environments, defaults, patches }: Layers): string =>
  JSON.stringify({ environment, environments, defaults, patches }, (key, value: unknown) => {
    if (key === 'mark') return undefined
    return value instanceof Map ? [...value] : value
  })
