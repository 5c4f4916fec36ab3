import { shippedFiles } from '../../files/shipped-files.js'
import type { StarterFile } from './starter-file.js'

/**
 * The files in a folder of `starter/`, with the same paths as in the new project. Their first comment describes their purpose. A
 * hole such as `__URL__` is replaced by its lines, each with the same indentation. If a hole has no lines, its line is removed.
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
