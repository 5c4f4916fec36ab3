import { shippedFiles } from '../../files/shipped-files.js'
import type { StarterFile } from './starter-file.js'

/**
 * The files of a folder of `starter/`, which lie there as they lie in the new project. Their first comment says what they
 * are for. A hole such as `__URL__` is replaced by its lines, each indented as the first one; the line of a hole that has none
 * goes.
 */
export const templates = (folder: string, holes: Readonly<Record<string, readonly string[]>>): readonly StarterFile[] =>
  shippedFiles(`starter/${folder}`).map(({ path, text }) => ({
    path,
    about: /^(?:#|\/\/) (.*)$/m.exec(text)?.[1] ?? '',
    text: text.replaceAll(
      /^( *)(.*)__([A-Z]+)__(.*)\n/gm,
      (_, indent: string, before: string, name: string, behind: string) => {
        const lines = holes[name] ?? []
        return lines.length === 0 ? '' : `${indent}${before}${lines.join(`\n${indent}`)}${behind}\n`
      },
    ),
  }))
