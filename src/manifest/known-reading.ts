import type { Problem } from '../problems/problem.js'
import type { Layers } from './compose/layers.js'
import type { ObjectCollector } from './object-collector.js'
import type { Resource } from './resource.js'
import type { Source } from './source.js'
import { type Documents, readYaml } from './yaml/read-yaml.js'

/** The objects and problems of one text. */
interface ObjectsOfText {
  readonly objects: readonly Resource[]
  readonly problems: readonly Problem[]
}

/** Reads the documents of a text. */
export type YamlReader = (source: Source) => Documents

/**
 * Keeps the results of one reading of manifests for the next one: most files at a git reference are the same as in the working
 * tree. If only the text and the layers determine the objects of a file, these objects are kept for the same text under the same
 * layers. For other files the documents are kept; the documents of all files would fill the memory. The next reading does not
 * learn what the layers do to the kept objects.
 */
export class KnownReading {
  readonly #texts = new Map<string, string>()
  readonly #documents = new Map<string, Documents>()
  readonly #known = new Map<string, ObjectsOfText>()
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

  /** Sets the layers of the objects that follow. Other layers make other objects, so the kept ones are dropped. */
  take(layers: Layers): void {
    const words = layersKey(layers)
    if (this.#layers !== words) this.#known.clear()
    this.#layers = words
  }

  /** Adds the kept objects of a text; false if there are none. */
  add({ file, text }: Source, collector: ObjectCollector): boolean {
    const earlier = this.#texts.get(file) === text ? this.#known.get(file) : undefined
    for (const problem of earlier?.problems ?? []) collector.report(problem)
    for (const object of earlier?.objects ?? []) collector.add(object)
    return earlier !== undefined
  }

  /**
   * Reads the objects of a text, and keeps them if only the text and the layers determine them. `reading` returns whether it got
   * everything in the text.
   */
  read({ file }: Source, collector: ObjectCollector, reading: (collector: ObjectCollector) => boolean): void {
    const objects: Resource[] = []
    const problems: Problem[] = []
    let isAlone = true
    const noting =
      <Reported extends readonly unknown[]>(report: (...reported: Reported) => void) =>
      (...reported: Reported): void => {
        isAlone = false
        report(...reported)
      }
    const isAll = reading({
      ...collector,
      add: (resource) => {
        objects.push(resource)
        collector.add(resource)
      },
      report: (problem) => {
        problems.push(problem)
        collector.report(problem)
      },
      misses: noting(collector.misses),
      lacks: (found) => {
        if (found.length > 0) isAlone = false
        collector.lacks(found)
      },
      relate: noting(collector.relate),
      addSecret: noting(collector.addSecret),
      lacksSecrets: noting(collector.lacksSecrets),
      compose: (text, key, id) => {
        const composed = collector.compose(text, key, id)
        // Every reading must find again the defaults that others inherit, the objects that are left out, and the objects of each
        // patch.
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
    this.#known.set(file, { objects, problems })
    this.#documents.delete(file)
  }
}

/** The content of the layers, without the places where it is written. */
const layersKey = ({ environment, environments, defaults, patches }: Layers): string =>
  JSON.stringify({ environment, environments, defaults, patches }, (key, value: unknown) => {
    if (key === 'mark') return undefined
    return value instanceof Map ? [...value] : value
  })
