import { basename, resolve } from 'node:path'
import { catalog } from '../catalog/catalog.js'
import { hasSecretName, isNamedByHost } from '../catalog/queries.js'
import type { Vocabulary } from '../catalog/vocabulary.js'
import { exportDocument, type WrittenFile } from '../documents/export.js'
import { filesAsRead } from '../files/as-read.js'
import { nodeFiles } from '../files/files.js'
import type { Texts } from '../files/overlay.js'
import { join } from '../files/paths.js'
import { digest } from '../json/digest.js'
import { append, countsOf } from '../json/groups.js'
import type { Json } from '../json/json.js'
import { by } from '../json/order.js'
import { indexLive, type LiveIndex } from '../live/live-index.js'
import type { LiveObject } from '../live/live-object.js'
import { rootAbove } from '../live/names.js'
import { nameVariables, type Variables, variableNames } from '../live/variables.js'
import { isFolderCovered } from '../manifest/covered.js'
import { projectFile } from '../manifest/project-files.js'
import { layOut } from '../manifest/write/layout.js'
import { compactText } from '../manifest/write/yaml-text.js'
import { withoutTemporaryPaths } from '../planner/routes.js'
import type { Ports } from '../ports/ports.js'
import { distinctProblems, type Problem, ProblemError } from '../problems/problem.js'
import { hasNoEffect } from '../problems/project.js'
import { badStages, stageInNoName, stagesInsideProject, stagesNeedNewFolder } from '../problems/stages.js'
import { secretsLeftOut } from '../problems/write-back.js'
import { showsSecret } from '../secrets/mask.js'
import { type Exported, folderOf, kindsOf, variablesIn } from './export.js'
import { leftOutOf } from './left-out.js'
import { projectOf, type RecordedReading, readingFile, readingLive } from './live-area.js'
import { wasSecretIn } from './recorded-base.js'
import type { ExportRequest } from './requests.js'
import { type Target, vocabularyOf } from './settings.js'
import { projectDocument } from './stages/documents.js'
import { asWord, type StageWords, stageWords } from './stages/stage-words.js'
import { type StagedManifests, stagedManifests } from './stages/staged-manifests.js'
import { exportSpec } from './write-back/export-spec.js'
import { mayBeManifest } from './write-back/new-files.js'
import { selects } from './write-back/selection.js'
import { writeTexts } from './write-back/write-texts.js'

/**
 * Exports the live area as a new project with an environment for each stage. If objects differ only by the stage's word in their
 * names, they become one manifest (A167, A168). Sends only GET.
 */
export async function exportByStages(request: ExportRequest, ports: Ports): Promise<Exported> {
  const stages = stagesOf(request.stages ?? '')
  const words = stageWords(stages)
  const dir = newFolder(request, ports)
  const kinds = kindsOf(request)
  const reading = await readStages(stages, request, ports)
  const snapshot = withoutTemporaryPaths(reading.snapshot, digest)
  const live = indexLive(snapshot)
  checkWords(words, live)
  const variables = nameVariables(live)
  const problems: Problem[] = []
  const vocabulary = vocabularyOf(projectOf(request, ports), ports)
  const forms = {
    live,
    variables: request.withSecrets ? variables : new Map<never, never>(),
    fullness: request.full ? 'full' : 'short',
    vocabulary,
    isSecret: (value: Json) => showsSecret(value, ports.mask),
    wasSecret: wasSecretIn(reading.recorded),
    report: (problem: Problem) => void problems.push(problem),
  } as const
  const isSelected = selects(request.select, kinds)
  const roots = snapshot.objects.filter((object) => isSelected([object]) && mayBeManifest(object, forms))
  const staged = stagedManifests(roots, { words, forms, variables })
  const texts = stagedTexts(staged, {
    words,
    dir,
    name: basename(resolve(ports.cwd, dir)),
    target: reading.target,
    vocabulary,
  })
  const chosen = indexLive({ ...snapshot, objects: roots }).all
  const left = leftOutOf(chosen, forms.isSecret, { saysField: () => false, saysPath: () => false })
  const found = [
    ...distinctProblems(problems),
    ...left.problems,
    ...staged.problems,
    ...reading.recorded.problems,
    ...(request.withSecrets ? [] : secretsIn(roots, variables)),
  ]
  const names = request.withSecrets ? usedVariables(texts, variables) : []
  const files = writeProject(texts, join(dir, projectFile), ports)
  return {
    document: exportDocument({ files, leftOut: left.fields, variables: names, problems: found }),
    problems: found,
  }
}

/** Writes the files. The project file comes last, because an interrupted export without it is no project. */
function writeProject(texts: Texts, project: string, ports: Ports): readonly WrittenFile[] {
  const files = filesAsRead(nodeFiles(ports.cwd))
  const others = new Map([...texts].filter(([path]) => path !== project))
  const last = new Map([...texts].filter(([path]) => path === project))
  return [...writeTexts(others, files), ...writeTexts(last, files)].sort(by(({ path }) => path))
}

const stageForm = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]*[\p{L}\p{N}])?$/u

/** The stages in the option. Throws a ProblemError if it contains none. */
function stagesOf(written: string): readonly string[] {
  const stages = written.split(',').map((each) => each.trim())
  const wrong = stages.find((stage) => !stageForm.test(stage))
  const refuse = (fault: string) => new ProblemError([badStages(written, fault)])
  if (wrong !== undefined) throw refuse(`"${wrong}" cannot be the name of an environment`)
  if (stages.length < 2) throw refuse('one stage alone has no other to be compared with')
  const spelled = new Set(stages.map((stage) => stage.toLowerCase()))
  if (spelled.size < stages.length) throw refuse('two of them are the same word')
  return stages
}

/** The folder of the export. Throws a ProblemError if the folder is not empty, or if another project would read its manifests. */
function newFolder(request: ExportRequest, ports: Ports): string {
  const idle = [...(request.prune ? ['--prune'] : []), ...(request.into === undefined ? [] : ['--into'])]
  if (idle.length > 0) throw new ProblemError(idle.map((option) => hasNoEffect(option, 'export --stages')))
  const dir = folderOf(request)
  const files = nodeFiles(ports.cwd)
  const there = files.exists(dir)
  if (there !== 'no' && (there !== 'folder' || files.list(dir).length > 0)) {
    throw new ProblemError([stagesNeedNewFolder(dir)])
  }
  const project = projectOf(request, ports)
  if (project.file !== undefined && isFolderCovered(dir, project, ports.cwd)) {
    throw new ProblemError([stagesInsideProject(dir, project.file)])
  }
  return dir
}

async function readStages(
  stages: readonly string[],
  request: ExportRequest,
  ports: Ports,
): Promise<RecordedReading & { readonly target?: Target }> {
  if (request.snapshot !== undefined) return readingFile(request.snapshot, [], ports)
  const kinds = kindsOf(request).map(({ name }) => name)
  const spec = exportSpec(kinds, { resources: [], removals: [] }, undefined, request.full ? 'full' : 'short')
  // The stages may be environments that have been applied already.
  return await readingLive(request, ports, (client) => client.read({ ...spec, unknown: 'looked for' }), stages)
}

/** Throws a ProblemError if no name of an object contains a stage. */
function checkWords({ stages, stagesIn }: StageWords, { all }: LiveIndex): void {
  const names = all.filter(({ kind }) => !hasSecretName(catalog[kind])).map(({ kind, key }) => ({ kind, key }))
  const found = new Set(
    names.flatMap(({ kind, key }) => stagesIn(key, isNamedByHost(catalog[kind]) ? 'any case' : 'exact')),
  )
  const problems = stages.flatMap((stage, index) => {
    if (found.has(index)) return []
    const near = new RegExp(asWord(stage), 'iu')
    const spelled = names.map(({ key }) => near.exec(key)?.[0]).find((each) => each !== undefined)
    return [stageInNoName(stage, spelled)]
  })
  if (problems.length > 0) throw new ProblemError(problems)
}

interface Destination {
  readonly words: StageWords
  readonly dir: string
  readonly name: string
  /** Undefined if a snapshot file was read: it does not contain its target. */
  readonly target: Target | undefined
  readonly vocabulary: Vocabulary
}

const manifestsFolder = 'manifests'

/** The mappings that are written with one line per member, even if they are short. */
const inLines = { document: ['spec', 'defaults'], project: ['spec', 'values', 'environments'] }

/** The files of the project, by path. */
function stagedTexts(staged: StagedManifests, { words, dir, name, target, vocabulary }: Destination): Texts {
  const documents = new Map(staged.roots.map((root) => [root.object, root.documents]))
  const files = new Map<string, string[]>()
  for (const [object, file] of layOut([...documents.keys()], new Set())) {
    const path = join(dir, `${manifestsFolder}/${file}`)
    for (const each of documents.get(object) ?? []) append(files, path, compactText(each, inLines.document))
  }
  const { values, defaults } = staged
  const platform = target && {
    url: target.url,
    area: target.area,
    ...(vocabulary !== 'document' && { vocabulary }),
  }
  const project = projectDocument({ name, manifests: manifestsFolder, platform, words, values, defaults })
  return new Map([
    [join(dir, projectFile), compactText(project, inLines.project)],
    ...[...files].map(([path, texts]): [string, string] => [path, texts.join('---\n')]),
  ])
}

/** A note about the secrets that no manifest contains. */
function secretsIn(roots: readonly LiveObject[], variables: Variables): readonly Problem[] {
  const written = new Set(roots)
  const left = [...variables].filter(([object]) => written.has(rootAbove(object)))
  const counts = countsOf(left.flatMap(([{ kind }, fields]) => [...fields.keys()].map((field) => `${kind}.${field}`)))
  return counts.size === 0 ? [] : [secretsLeftOut(counts)]
}

/** The names of the variables that the files use. */
function usedVariables(texts: Texts, variables: Variables): readonly string[] {
  const taken = new Set([...texts.values()].flatMap((text = '') => variablesIn(text)))
  return variableNames(variables)
    .filter((name) => taken.has(name))
    .sort()
}
