import { missingManifest, unreadableText } from '../problems/manifests.js'
import type { Problem } from '../problems/problem.js'
import type { FileText } from './files.js'

/** Why a file has no text. `instead`: what else can be done with one that is none. */
export const notRead = (
  path: string,
  { failure, broken }: Exclude<FileText, { readonly text: string }>,
  instead?: string,
): Problem =>
  broken ? unreadableText(path, `${failure}: ${broken.what}`, broken.line, instead) : missingManifest(path, failure)
