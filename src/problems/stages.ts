import { error, note, type Problem, warning } from './problem.js'
import { firstOf } from './suggest.js'

/** Problems of the stages of an export, or of the names of objects in them (A167). */

export const badStages = (written: string, fault: string): Problem =>
  error(
    'invalid-option',
    undefined,
    `--stages has the value "${written}": ${fault}`,
    'it takes names, such as DEV,QA,PRD',
  )

export const stageInNoName = (stage: string, spelled: string | undefined): Problem =>
  error(
    'stage-without-objects',
    undefined,
    `no object has the word ${stage} in its name`,
    spelled === undefined
      ? 'write a stage as in the names of objects, where it must be a separate word'
      : `there are names with "${spelled}": write the stage like that`,
  )

export const nothingInStages = (stages: readonly string[]): Problem =>
  error(
    'stage-without-objects',
    undefined,
    `no two objects have the same name except for the words ${stages.join(', ')}`,
    'gatewright export without --stages writes the area as it is',
  )

export const stagesNeedNewFolder = (dir: string): Problem =>
  error(
    'folder-not-empty',
    undefined,
    `${dir} is not empty: export --stages writes a separate project, with a project file`,
    'name a new folder with --dir; files of an interrupted export can be removed',
  )

export const stagesInsideProject = (dir: string, file: string): Problem =>
  error(
    'folder-not-empty',
    undefined,
    `${dir} is among the manifests of ${file}: export --stages writes a separate project`,
    'name a folder outside of it with --dir',
  )

export const severalStagesInName = (addresses: readonly string[]): Problem =>
  warning(
    'stage-unclear',
    undefined,
    `in every environment, since the name has the words of several stages: ${firstOf(addresses)}`,
    'metadata.environments limits a manifest to some environments',
  )

export const inOneStage = (addresses: readonly string[]): Problem =>
  note(
    'stage-unclear',
    undefined,
    `in one environment only, since the other stages have no such object: ${firstOf(addresses)}`,
    'metadata.environments of the manifest says which; without it the object is in every environment',
  )
