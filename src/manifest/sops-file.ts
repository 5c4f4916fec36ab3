import { isObject, type Json, type JsonObject } from '../json/json.js'
import { hasErrors } from '../problems/problem.js'
import type { SopsComment, SopsEntry, SopsFile, SopsMetadata, SopsNode } from '../secrets/sops.js'
import { type Entry, entryAt, type MapNode, type Node, plain, type ScalarNode } from './node.js'
import { placeOf, type Source, textOfRange } from './source.js'
import { readYaml } from './yaml/read-yaml.js'

/**
 * Reads a file of sops by the extension of its name: YAML, JSON, or variables (`.env`). If this is not possible, returns the
 * reason.
 */
export function readSopsFile(
  file: string,
  text: string,
): SopsFile | { readonly line: number; readonly unreadable: string } {
  if (/\.(?:ini|properties)$/.test(file)) return { line: 1, unreadable: 'files of this form are not read' }
  // sops encrypts the content of a merge key again, below that key: here the merge key is an ordinary key.
  const unmerged = text.replaceAll(/^([ -]*)!!merge <<:/gm, '$1"<<":')
  return /\.env$/.test(file) ? readVariables(text) : readTree({ file, text: unmerged })
}

type Read = ReturnType<typeof readSopsFile>

function readTree(source: Source): Read {
  const { documents, problems } = readYaml(source)
  const [broken] = problems.filter((each) => hasErrors([each]))
  if (broken) return { line: broken.place?.line ?? 1, unreadable: 'this is neither YAML nor JSON' }
  const [root, second] = documents
  if (second) return { line: lineOf(second), unreadable: 'a second document is not read' }
  const own = root?.is === 'map' ? entryAt(root, 'sops') : undefined
  const metadata = own && plain(own.value)
  if (root?.is !== 'map' || own?.value.is !== 'map' || !isObject(metadata)) {
    return { line: 1, unreadable: 'sops did not write this file: it has no mapping "sops"' }
  }
  const mac = entryAt(own.value, 'mac')
  return {
    root: root.entries.filter((entry) => entry !== own).map(sopsEntry),
    comments: commentsOutside(source, root, own),
    metadata: metadataOf(metadata, lineOf(mac ?? own)),
  }
}

const lineOf = ({ range }: Pick<Node, 'range'> | Entry): number => placeOf(range).line

const sopsEntry = (entry: Entry): SopsEntry => ({ key: entry.key, line: lineOf(entry), value: nodeOf(entry.value) })

function nodeOf(node: Node): SopsNode {
  const line = lineOf(node)
  switch (node.is) {
    case 'map':
      return { is: 'map', entries: node.entries.map(sopsEntry), line }
    case 'list':
      return { is: 'list', items: node.items.map(nodeOf), line }
    case 'scalar':
      return { is: 'value', value: exact(node), line }
  }
}

/** The MAC covers all digits of a whole number. The digits of a long number and the sign of -0 are only in the text. */
function exact({ value, range }: ScalarNode): ScalarNode['value'] {
  const text = textOfRange(range)
  return typeof value === 'number' && /^-?\d+$/.test(text) ? text : value
}

/** Comments of the text, except those in scalars and in the metadata of sops. */
function commentsOutside(source: Source, root: MapNode, own: Entry): readonly SopsComment[] {
  const scalars = scalarRanges(root)
  const isFree = (at: number) =>
    !scalars.some(({ start, end }) => start <= at && at < end) && !(own.range.start <= at && at < own.value.range.end)
  return [...source.text.matchAll(/(?:^|(?<=[ \t]))#([^\r\n]*)/gm)].flatMap(({ 1: text = '', index }) =>
    isFree(index) ? [{ text: text.trimEnd(), line: placeOf({ source, start: index, end: index }).line }] : [],
  )
}

function scalarRanges(node: Node): readonly { readonly start: number; readonly end: number }[] {
  switch (node.is) {
    case 'scalar':
      return [node.range]
    case 'list':
      return node.items.flatMap(scalarRanges)
    case 'map':
      return node.entries.flatMap(({ range, value }) => [range, ...scalarRanges(value)])
  }
}

/** The kinds of keys that sops knows besides age, by their names in files. */
const otherKeys = { kms: 'AWS KMS', gcp_kms: 'GCP KMS', azure_kv: 'Azure Key Vault', hc_vault: 'Vault', pgp: 'PGP' }

function metadataOf(metadata: JsonObject, macLine: number): SopsMetadata {
  const text = (name: string): string => {
    const value = metadata[name]
    return typeof value === 'string' ? value : ''
  }
  const list = (name: string): readonly Json[] => {
    const value = metadata[name]
    return Array.isArray(value) ? value : []
  }
  return {
    age: list('age').flatMap((each) => (isObject(each) && typeof each.enc === 'string' ? [each.enc] : [])),
    others: Object.entries(otherKeys).flatMap(([name, words]) => (list(name).length > 0 ? [words] : [])),
    groups: list('key_groups').length > 0,
    mac: text('mac'),
    macLine,
    lastModified: text('lastmodified'),
    macOnlyEncrypted: metadata.mac_only_encrypted === true || metadata.mac_only_encrypted === 'true',
    unencryptedSuffix: text('unencrypted_suffix'),
    encryptedSuffix: text('encrypted_suffix'),
    unencryptedRegex: text('unencrypted_regex'),
    encryptedRegex: text('encrypted_regex'),
    byComments: text('unencrypted_comment_regex') !== '' || text('encrypted_comment_regex') !== '',
  }
}

/** Reads `NAME=value` lines. The names of sops' own metadata begin with sops_; its lists are numbered. */
function readVariables(text: string): Read {
  const root: SopsEntry[] = []
  const comments: SopsComment[] = []
  const own = new Map<string, string>()
  let macLine = 1
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const at = index + 1
    if (line === '') continue
    if (line.startsWith('#')) {
      comments.push({ text: line.slice(1), line: at })
      continue
    }
    const [, key, written = ''] = /^([^=]+)=(.*)$/.exec(line) ?? []
    if (key === undefined) return { line: at, unreadable: 'this line is no NAME=value' }
    const value = written.replaceAll('\\n', '\n')
    if (key === 'sops_mac') macLine = at
    if (key.startsWith('sops_')) own.set(key.slice('sops_'.length), value)
    else root.push({ key, line: at, value: { is: 'value', value, line: at } })
  }
  if (!own.has('mac')) return { line: 1, unreadable: 'sops did not write this file: it has no sops_mac' }
  const listed = (name: string): JsonObject[] =>
    [...own].flatMap(([key, enc]) => (new RegExp(`^${name}__list_\\d+__map_\\w+$`).test(key) ? [{ key, enc }] : []))
  const lists = Object.keys(otherKeys).map((name): [string, Json] => [name, listed(name)])
  const age = listed('age').filter(({ key }) => String(key).endsWith('_enc'))
  return { root, comments, metadata: metadataOf({ ...Object.fromEntries([...own, ...lists]), age }, macLine) }
}
