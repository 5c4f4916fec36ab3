import { environmentKeys } from '../../catalog/project-schema.js'
import { nameFault, nameWords } from '../../catalog/schema-parts.js'
import type { Files } from '../../files/files.js'
import { findManifests } from '../../files/find-manifests.js'
import { readOrReport } from '../../files/not-read.js'
import { join } from '../../files/paths.js'
import { environmentTwice, excludingName, notAnEnvironment } from '../../problems/compose.js'
import { missingName, wrongType } from '../../problems/manifests.js'
import type { Place, ReportProblem } from '../../problems/problem.js'
import { itemsOf, readString } from '../field-value.js'
import { hideCredentials, hideInUnreadable, hideLogins } from '../hide-secrets.js'
import { entryAt, formWords, isNull, type MapNode, type Node, valueAt, wordsFor } from '../node.js'
import { settingPlace } from '../setting-place.js'
import { placeOf, type Source, type SourceRange } from '../source.js'
import { reportUnknownDocumentKeys, reportUnknownKeys } from '../unknown-keys.js'
import { readYaml } from '../yaml/read-yaml.js'

/** An environment as it is written: in the project file, or in a file of its own. */
export interface WrittenEnvironment {
  readonly name: string
  readonly range: SourceRange
  readonly spec: MapNode
}

/** The environments of a project. */
export interface Environments {
  readonly written: readonly WrittenEnvironment[]
  /** The files with environments besides the project file, and the documents in them. */
  readonly files: readonly string[]
  readonly documents: readonly Node[]
}

/** Reads `spec.environments`: a mapping of environments, or files and globs of documents of kind Environment. */
export function readEnvironments(
  node: Node | undefined,
  dir: string,
  files: Files,
  report: ReportProblem,
): Environments {
  if (!node || isNull(node)) return { written: [], files: [], documents: [] }
  const found =
    node.is === 'map'
      ? { written: inline(node, report), files: [], documents: [] }
      : fromFiles(node, dir, files, report)
  const known = new Map<string, WrittenEnvironment>()
  for (const each of found.written) {
    const first = known.get(each.name)
    if (first) report(environmentTwice(placeOf(each.range), each.name, placeOf(first.range)))
    else known.set(each.name, each)
    reportUnknownKeys(each.spec, `environment ${each.name}`, environmentKeys, report, (key) =>
      settingPlace(key, 'environment'),
    )
  }
  return { ...found, written: [...known.values()] }
}

const emptyMap = (range: SourceRange): MapNode => ({ is: 'map', entries: [], range })

const inline = (node: MapNode, report: ReportProblem): readonly WrittenEnvironment[] =>
  node.entries.flatMap(({ key, range, value }) => {
    if (!isName(key, range, 'the name of an environment', report)) return []
    if (value.is === 'map' || isNull(value))
      return [{ name: key, range, spec: value.is === 'map' ? value : emptyMap(range) }]
    report(wrongType(placeOf(value.range), `environments.${key}`, 'a mapping', formWords(value)))
    return []
  })

/** Whether the text is a valid name; if not, this is reported. */
function isName(text: string, range: SourceRange, where: string, report: ReportProblem): boolean {
  const fault = nameFault(text)
  if (fault !== undefined) report(wrongType(placeOf(range), where, nameWords, fault))
  else if (text.startsWith('!')) report(excludingName(placeOf(range), text))
  return fault === undefined && !text.startsWith('!')
}

const byName = 'write a mapping of names instead of the list, such as environments: {dev: {…}}, or name a file'

function fromFiles(node: Node, dir: string, files: Files, report: ReportProblem): Environments {
  const writtenAt = new Map(
    itemsOf(node, 'environments', { report }).flatMap((item): [string, Place][] => {
      if (item.is === 'map') {
        report(wrongType(placeOf(item.range), 'a list of environments', 'the names of files', 'a mapping', byName))
        return []
      }
      const path = readString(item, 'environments', { report })
      return path === undefined ? [] : [[join(dir, path), placeOf(item.range)]]
    }),
  )
  const where = { origin: 'named', paths: [...writtenAt.keys()], writtenAt, pipes: 'refuse' } as const
  const found = findManifests(where, files, report).map(({ path }) => path)
  const documents = found.flatMap((path) =>
    readOrReport(path, files, report).flatMap((source) => documentsIn(source, report)),
  )
  return { written: documents.flatMap((root) => readDocument(root, report) ?? []), files: found, documents }
}

function documentsIn(source: Source, report: ReportProblem): readonly Node[] {
  const { documents, problems } = readYaml(source)
  hideLogins(source)
  if (problems.length > 0) hideInUnreadable(source)
  for (const problem of problems) report(problem)
  for (const document of documents) hideCredentials(document)
  return documents
}

function readDocument(root: Node, report: ReportProblem): WrittenEnvironment | undefined {
  const kind = root.is === 'map' ? valueAt(root, 'kind') : undefined
  if (root.is !== 'map' || kind?.is !== 'scalar' || kind.value !== 'Environment') {
    report(notAnEnvironment(placeOf((kind ?? root).range), kind ? wordsFor(kind) : 'no kind'))
    return undefined
  }
  const metadata = valueAt(root, 'metadata')
  const named = metadata?.is === 'map' ? entryAt(metadata, 'name') : undefined
  const name = named && readString(named.value, 'metadata.name', { report })
  if (!named) report(missingName(placeOf((metadata ?? root).range), 'Environment', 'metadata.name'))
  if (!named || name === undefined || !isName(name, named.value.range, 'metadata.name', report)) return undefined
  reportUnknownDocumentKeys(root, report, (key) => (environmentKeys.includes(key) ? 'spec' : undefined))
  const spec = valueAt(root, 'spec')
  if (spec && spec.is !== 'map' && !isNull(spec)) {
    report(wrongType(placeOf(spec.range), `spec of environment ${name}`, 'a mapping', formWords(spec)))
  }
  return { name, range: named.range, spec: spec?.is === 'map' ? spec : emptyMap(root.range) }
}
