import { resolve } from 'node:path'
import { type ExportDocument, exportDocument } from '../documents/export.js'
import { filesAsRead } from '../files/as-read.js'
import { type Files, nodeFiles } from '../files/files.js'
import { join, normalizePath } from '../files/paths.js'
import type { JsonObject } from '../json/json.js'
import type { MapNode } from '../manifest/node.js'
import {
  declares,
  differencesIn,
  ejected,
  openApiDocument,
  parentWord,
  titleOf,
  withDefaults,
  writtenAt,
} from '../manifest/openapi/eject.js'
import { fileInRepository } from '../manifest/placeholder-sources.js'
import { problemsInOrder } from '../manifest/problems-in-order.js'
import type { Project } from '../manifest/project.js'
import { writtenDocuments } from '../manifest/read.js'
import { placeOf } from '../manifest/source.js'
import { literal } from '../manifest/values.js'
import type { Edit } from '../manifest/write/edit.js'
import { editText } from '../manifest/write/edit-text.js'
import { slugOf } from '../manifest/write/layout.js'
import { readYaml } from '../manifest/yaml/read-yaml.js'
import type { Ports } from '../ports/ports.js'
import { importedTwice, importLeft, importNeedsService, importOtherService } from '../problems/openapi.js'
import { hasErrors, type Problem, ProblemError, type ReportProblem } from '../problems/problem.js'
import { badUsage } from '../problems/project.js'
import { notWrittenBack } from '../problems/write-back.js'
import { placeProblems } from './export.js'
import { unlessInterrupted } from './interrupted.js'
import { readProjectOf } from './project.js'
import type { ProjectRequest } from './requests.js'
import { appended } from './write-back/new-files.js'
import { writeTexts } from './write-back/write-texts.js'

/** Which OpenAPI file becomes manifests, and where. */
interface ImportRequest extends ProjectRequest {
  readonly file: string
  /** The folder for the manifests, relative to `cwd`. */
  readonly dir: string | undefined
  /**
   * If no document of kind OpenAPI names the file: the name of the service; undefined: the title of the file. Otherwise it
   * selects one of these documents.
   */
  readonly service: string | undefined
  /** Whether manifests of operations that no longer exist are removed. */
  readonly prune: boolean
}

/** The result of an import. */
interface Imported {
  readonly document: ExportDocument
  readonly problems: readonly Problem[]
}

/**
 * Converts an OpenAPI file to manifests, for users who will no longer use that file. The documents of kind OpenAPI that name the
 * file determine the result; without one, the defaults do. In existing files, only differences are changed.
 */
export async function importOpenApi(request: ImportRequest, ports: Ports): Promise<Imported> {
  if (request.dir === undefined)
    throw new ProblemError([badUsage('import needs --dir', 'gatewright import openapi FILE --dir manifests')])
  const dir = normalizePath(request.dir)
  const { project } = readProjectOf(request, ports)
  const files = filesAsRead(nodeFiles(ports.cwd))
  const problems: Problem[] = []
  const report = (problem: Problem) => {
    problems.push(problem)
  }
  const texts = new Map<string, string | undefined>()
  for (const each of sourcesOf(request, project, files)) {
    const documents = ejected(each.root, { files, dir: project.dir }, report)
    if (hasErrors(problems)) throw new ProblemError(problemsInOrder(problems))
    const path = join(dir, `${slugOf(each.service, 'service')}-endpoints.yaml`)
    const isDeclared = each.declaredIn.some((file) => resolve(ports.cwd, file) !== resolve(ports.cwd, path))
    const text = textFor(path, { ...each, documents, isDeclared, prune: request.prune }, files, report)
    texts.set(path, text)
    if (each.isWritten) report(importedTwice(placeOf(each.root.range), request.file))
  }
  await unlessInterrupted(ports)
  const written = writeTexts(texts, files)
  problems.push(...placeProblems(dir, project, [...texts.keys()], ports.cwd))
  return { document: exportDocument({ files: written, leftOut: [], variables: [], problems }), problems }
}

/** A document of kind OpenAPI for the file. */
interface ImportSource {
  readonly root: MapNode
  readonly service: string
  /** Whether the document is in a manifest. */
  readonly isWritten: boolean
  /** The files that declare the service. */
  readonly declaredIn: readonly string[]
}

function sourcesOf({ file, service, paths }: ImportRequest, project: Project, files: Files): readonly ImportSource[] {
  const documents = writtenDocuments({ project, paths, files })
  const declaredIn = (name: string) =>
    documents.flatMap((each) =>
      each.is === 'object' && declares(each.root, name) ? [each.root.range.source.file] : [],
    )
  const real = files.realPath(file)
  const written = documents.flatMap((each): readonly ImportSource[] => {
    if (each.is !== 'openapi') return []
    const { root } = each
    const path = writtenAt(root, 'spec', 'file')
    const name = writtenAt(root, 'metadata', parentWord)
    const found = path === undefined ? undefined : fileInRepository(path, root.range, { files, dir: project.dir })
    if (name === undefined || found?.real !== real) return []
    return [{ root, service: name, isWritten: true, declaredIn: declaredIn(name) }]
  })
  if (written.length > 0) {
    // The service can also be named by its placeholder, as the document writes it.
    const chosen = written.filter((each) => service === undefined || [service, literal(service)].includes(each.service))
    if (chosen.length > 0) return chosen
    throw new ProblemError(written.map((each) => importOtherService(placeOf(each.root.range), file, each.service)))
  }
  const problems: Problem[] = []
  const title = titleOf(file, { files, dir: project.dir }, (problem) => problems.push(problem))
  if (hasErrors(problems)) throw new ProblemError(problems)
  const found = service ?? title
  if (!found?.trim()) throw new ProblemError([importNeedsService(file)])
  const named = literal(found)
  return [{ root: openApiDocument(file, named), service: named, isWritten: false, declaredIn: declaredIn(named) }]
}

interface ImportWriting extends ImportSource {
  readonly documents: readonly JsonObject[]
  /** Whether another manifest declares the service. */
  readonly isDeclared: boolean
  readonly prune: boolean
}

function textFor(
  path: string,
  { service, documents, isDeclared, prune }: ImportWriting,
  files: Files,
  report: ReportProblem,
): string | undefined {
  const read = files.exists(path) === 'file' ? files.readText(path) : undefined
  const before = read && 'text' in read ? read.text : ''
  if (before.trim() === '')
    return appended(undefined, isDeclared ? documents : withDefaults(service, documents), undefined)
  const source = { file: path, text: before }
  const { documents: roots, problems } = readYaml(source)
  if (hasErrors(problems)) throw new ProblemError(problems)
  const { edits, added, left } = differencesIn(roots, service, documents)
  for (const { range } of prune ? [] : left) report(importLeft(placeOf(range)))
  const sets = edits.map(({ at, field, value }): Edit => {
    return { is: 'set', at, path: [field], value, whole: value, depth: 'exact', secrecy: 'open', of: 'field' }
  })
  const removes = (prune ? left : []).map(({ range }): Edit => ({ is: 'remove', at: range.start }))
  const edited = editText(before, [...sets, ...removes], {
    namingAt: () => undefined,
    fieldAt: () => undefined,
    resolve: (text) => text,
    newMembers: 'never',
  })
  for (const edit of [...edited.lost, ...edited.shared]) {
    const range = { source, start: edit.at, end: edit.at }
    report(notWrittenBack(path, 'a difference', 'an anchor shares its text with other objects', placeOf(range)))
  }
  return added.length === 0 ? edited.text : appended(edited.text, added, undefined)
}
