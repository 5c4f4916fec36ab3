import type { Problem, ReportProblem } from '../problems/problem.js'
import type { Environments } from './compose/environments.js'
import { hideDoubtful } from './hide-secrets.js'
import type { Node } from './node.js'
import type { Source } from './source.js'
import type { Documents } from './yaml/read-yaml.js'

interface ReadEnvironments {
  readonly node: Node | undefined
  readonly found: Environments
  readonly problems: readonly Problem[]
}

/**
 * Keeps the content of a project file and of the files of its environments for the next reading of the same project with another
 * environment. There may be a thousand environments.
 */
export class KnownProject {
  #text: { readonly source: Source; readonly documents: Documents } | undefined
  #environments: ReadEnvironments | undefined
  readonly #hidden = new Set<Node>()

  /** The documents of the project file. `read` is called if its text is not that of the last reading. */
  documents(source: Source, read: (source: Source) => Documents): Documents {
    const { file, text } = this.#text?.source ?? {}
    if (!this.#text || file !== source.file || text !== source.text) this.#text = { source, documents: read(source) }
    return this.#text.documents
  }

  /** The environments that a node of the project file declares. `read` is called for the first time that it is read. */
  environments(
    node: Node | undefined,
    read: (report: ReportProblem) => Environments,
    report: ReportProblem,
  ): Environments {
    if (this.#environments?.node !== node || !this.#environments) {
      const problems: Problem[] = []
      this.#environments = { node, found: read((problem) => problems.push(problem)), problems }
    }
    for (const problem of this.#environments.problems) report(problem)
    return this.#environments.found
  }

  /** Hides possible secrets in a document, once. */
  hideDoubtful(document: Node): void {
    if (this.#hidden.has(document)) return
    this.#hidden.add(document)
    hideDoubtful(document)
  }
}

/** The same for many projects: each is known by its folder, as it is written. */
export class KnownProjects {
  readonly #known = new Map<string, KnownProject>()

  of(dir: string): KnownProject {
    const known = this.#known.get(dir) ?? new KnownProject()
    this.#known.set(dir, known)
    return known
  }
}
