import { createDecipheriv, createHash, timingSafeEqual } from 'node:crypto'
import { pointerTo } from '../json/pointer.js'
import type { Opened } from '../ports/vault.js'

/**
 * SOPS files with age recipients, opened as in sops: every value is AES-256-GCM with the path of its keys as additional data, and
 * a MAC covers all values in their order. No value is returned before everything was checked (A240).
 */

/** The content of a file without `sops`, in its order. */
export type SopsNode =
  | { readonly is: 'map'; readonly entries: readonly SopsEntry[]; readonly line: number }
  | { readonly is: 'list'; readonly items: readonly SopsNode[]; readonly line: number }
  | { readonly is: 'value'; readonly value: string | number | boolean | null; readonly line: number }

export interface SopsEntry {
  readonly key: string
  readonly line: number
  readonly value: SopsNode
}

/** A comment without its `#`. */
export interface SopsComment {
  readonly text: string
  readonly line: number
}

/** A parsed file. */
export interface SopsFile {
  readonly root: readonly SopsEntry[]
  readonly comments: readonly SopsComment[]
  /** The metadata that sops wrote. */
  readonly metadata: SopsMetadata
}

export interface SopsMetadata {
  /** The data key, encrypted for each age recipient, in armour. */
  readonly age: readonly string[]
  /** Other keys that open the file, by the words for their kinds; `groups`: whether several keys are needed at once. */
  readonly others: readonly string[]
  readonly groups: boolean
  readonly mac: string
  readonly macLine: number
  readonly lastModified: string
  readonly macOnlyEncrypted: boolean
  readonly unencryptedSuffix: string
  readonly encryptedSuffix: string
  readonly unencryptedRegex: string
  readonly encryptedRegex: string
  /** Whether comments decide what is encrypted: then each value itself shows whether it is. */
  readonly byComments: boolean
}

/** The result of opening a file: its values by their JSON Pointers, or why there are none. */
export type OpenSops =
  | { readonly is: 'open'; readonly values: ReadonlyMap<string, string | undefined> }
  | { readonly is: 'pending' }
  | { readonly is: 'closed'; readonly why: string }
  | { readonly is: 'other keys'; readonly kinds: readonly string[] }
  | { readonly is: 'tampered'; readonly line: number; readonly what: string }

/** Opens a file with the data key that `request` decrypts; a value that is not a text is undefined. */
export function openSops(file: SopsFile, request: (sealed: string) => Opened): OpenSops {
  const { metadata } = file
  if (metadata.age.length === 0 || metadata.groups) {
    return { is: 'other keys', kinds: metadata.groups ? ['groups of keys'] : metadata.others }
  }
  const requested = metadata.age.map(request)
  const opened = requested.find((each) => each.is === 'opened')
  if (opened?.is === 'opened') return openWith(file, opened.bytes)
  if (requested.some(({ is }) => is === 'pending')) return { is: 'pending' }
  const closed = requested.find((each) => each.is === 'closed')
  if (closed?.is === 'closed') return { is: 'closed', why: closed.why }
  return tampered(metadata.macLine, 'the encrypted data key was changed')
}

const tampered = (line: number, what: string): OpenSops => ({ is: 'tampered', line, what })

/** Thrown at the first manipulation that is found. */
class Tampered extends Error {
  readonly line: number

  constructor(line: number, what: string) {
    super(what)
    this.line = line
  }
}

function openWith(file: SopsFile, dataKey: Uint8Array): OpenSops {
  if (dataKey.length !== 32) return tampered(file.metadata.macLine, 'the encrypted data key was changed')
  try {
    const opening = new Opening(file.metadata, dataKey)
    opening.map(file.root, [], '')
    opening.comments(file.comments)
    opening.checkMac()
    return { is: 'open', values: opening.values }
  } catch (error) {
    if (error instanceof Tampered) return tampered(error.line, error.message)
    throw error
  }
}

class Opening {
  readonly values = new Map<string, string | undefined>()
  readonly #metadata: SopsMetadata
  readonly #key: Uint8Array
  readonly #hash = createHash('sha512')
  /** The paths of all mappings and lists: comments are encrypted with the path of what contains them. */
  readonly #paths = new Set<string>()
  readonly #isSelected: (path: readonly string[], value: string) => boolean
  /** Whether a mapping or a list is in clear text: then the comments in it are, too. */
  #hasClearPart = false

  constructor(metadata: SopsMetadata, key: Uint8Array) {
    this.#metadata = metadata
    this.#key = key
    this.#isSelected = selection(metadata)
    if (metadata.macOnlyEncrypted) this.#hash.update(macOnlyEncryptedStart)
  }

  map(entries: readonly SopsEntry[], path: readonly string[], pointer: string): void {
    this.#container(path)
    for (const { key, value } of entries) this.#node(value, [...path, key], pointer + pointerTo(key))
  }

  #container(path: readonly string[]): void {
    this.#paths.add(dataOf(path))
    this.#hasClearPart ||= !this.#isSelected(path, '')
  }

  #node(node: SopsNode, path: readonly string[], pointer: string): void {
    switch (node.is) {
      case 'map':
        this.values.set(pointer, undefined)
        this.map(node.entries, path, pointer)
        return
      case 'list':
        this.values.set(pointer, undefined)
        this.#container(path)
        this.#items(node.items, path, pointer)
        return
      case 'value':
        this.values.set(pointer, this.#value(node.value, path, node.line))
    }
  }

  /** A comment in a list is an item there, but is not counted by the index. */
  #items(items: readonly SopsNode[], path: readonly string[], pointer: string): void {
    let index = 0
    for (const item of items) {
      const sealed = item.is === 'value' && typeof item.value === 'string' ? sealedIn(item.value) : undefined
      if (sealed?.type === 'comment') this.#checkComment(sealed, [dataOf(path)], item.line)
      else {
        this.#node(item, path, `${pointer}/${index}`)
        index += 1
      }
    }
  }

  #value(value: string | number | boolean | null, path: readonly string[], line: number): string | undefined {
    if (value === null) return undefined
    const isEncrypted = this.#isSelected(path, String(value))
    const text = isEncrypted ? this.#opened(value, path, line) : this.#clear(value)
    // The MAC does not cover empty values, so nobody guarantees their keys.
    return text === '' ? undefined : text
  }

  #clear(value: string | number | boolean): string {
    // The MAC does not cover this value, so nobody guarantees it, and it counts as absent.
    if (this.#metadata.macOnlyEncrypted) return ''
    this.#hash.update(textForMac(value))
    return String(value)
  }

  #opened(value: string | number | boolean, path: readonly string[], line: number): string {
    if (value === '') return ''
    const name = path.join('/')
    const sealed = typeof value === 'string' ? sealedIn(value) : undefined
    if (!sealed) throw new Tampered(line, `the value of ${name} is not encrypted, and must be`)
    const text = unsealed(sealed, this.#key, dataOf(path))
    if (text !== undefined) this.#hash.update(text)
    if (text === undefined || sealed.type === 'comment') {
      throw new Tampered(line, `the value of ${name}, or its key, was changed after it was encrypted`)
    }
    return sealed.type === 'bool' ? text.toLowerCase() : text
  }

  comments(comments: readonly SopsComment[]): void {
    for (const { text, line } of comments) {
      const sealed = sealedIn(text)
      if (!sealed) {
        if (encryptsAll(this.#metadata) && !this.#hasClearPart)
          throw new Tampered(line, 'a comment is not encrypted, and must be')
      } else this.#checkComment(sealed, [...this.#paths], line)
    }
  }

  #checkComment(sealed: Sealed, paths: readonly string[], line: number): void {
    if (paths.some((path) => unsealed(sealed, this.#key, path) !== undefined)) return
    throw new Tampered(line, 'a comment was changed after it was encrypted')
  }

  checkMac(): void {
    const { mac, macLine, lastModified } = this.#metadata
    const sealed = sealedIn(mac)
    const written = sealed && unsealed(sealed, this.#key, lastModified)
    if (written === undefined) throw new Tampered(macLine, 'the MAC, or lastmodified, was changed')
    const [one, other] = [written, this.#hash.digest('hex').toUpperCase()].map((each) => Buffer.from(each))
    if (!one || !other || one.length !== other.length || !timingSafeEqual(one, other)) {
      throw new Tampered(macLine, 'the MAC does not fit: a value was added, changed, moved or taken away')
    }
  }
}

/** What sops hashes first if the MAC covers only encrypted values: the SHA-256 of the word sops. */
const macOnlyEncryptedStart = createHash('sha256').update('sops').digest()

const dataOf = (path: readonly string[]): string => `${path.join(':')}:`

interface Sealed {
  readonly data: Buffer
  readonly iv: Buffer
  readonly tag: Buffer
  readonly type: string
}

function sealedIn(text: string): Sealed | undefined {
  const [, data, iv, tag, type] =
    /^ENC\[AES256_GCM,data:([A-Za-z0-9+/=]+),iv:([A-Za-z0-9+/=]+),tag:([A-Za-z0-9+/=]+),type:([a-z]+)\]$/.exec(text) ??
    []
  if (data === undefined || iv === undefined || tag === undefined || type === undefined) return undefined
  const [one, two, three] = [data, iv, tag].map((each) => Buffer.from(each, 'base64'))
  return one && two && three && { data: one, iv: two, tag: three, type }
}

/** The clear text, or undefined if anything was changed. */
function unsealed({ data, iv, tag }: Sealed, key: Uint8Array, additional: string): string | undefined {
  if (tag.length !== 16 || iv.length === 0) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, iv)
  decipher.setAAD(Buffer.from(additional)).setAuthTag(tag)
  try {
    return Buffer.concat([decipher.update(data), decipher.final()]).toString()
  } catch {
    return undefined
  }
}

/** The text of a value in the MAC: numbers without an exponent, as in Go; booleans as in Python. */
function textForMac(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return value
  if (!Number.isFinite(value)) return String(value).replace(/^(-?)Infinity$/, (_, sign) => `${sign || '+'}Inf`)
  return withoutExponent(String(value))
}

function withoutExponent(number: string): string {
  const [, sign = '', whole = '', part = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(number) ?? []
  if (exponent === undefined) return number
  const places = Number(exponent)
  if (places < 0) return `${sign}0.${'0'.repeat(-places - 1)}${whole}${part}`
  return sign + (whole + part).padEnd(places + 1, '0')
}

const encryptsAll = (metadata: SopsMetadata): boolean =>
  !metadata.byComments && !metadata.encryptedSuffix && !metadata.encryptedRegex && !metadata.unencryptedRegex

/**
 * Which values are encrypted, by the keys on their paths. If comments decide this, or a pattern of Go that JavaScript does not
 * have, each value itself shows it: the MAC covers all of them.
 */
function selection(metadata: SopsMetadata): (path: readonly string[], value: string) => boolean {
  const { unencryptedSuffix, encryptedSuffix } = metadata
  const [unencrypted, encrypted] = [patternIn(metadata.unencryptedRegex), patternIn(metadata.encryptedRegex)]
  if (metadata.byComments || unencrypted === 'unknown' || encrypted === 'unknown') {
    return (_, value) => sealedIn(value) !== undefined
  }
  return (path) => {
    let isEncrypted = !(unencryptedSuffix && path.some((key) => key.endsWith(unencryptedSuffix)))
    if (encryptedSuffix) isEncrypted = path.some((key) => key.endsWith(encryptedSuffix))
    if (unencrypted && path.some((key) => unencrypted.test(key))) isEncrypted = false
    if (encrypted) isEncrypted = path.some((key) => encrypted.test(key))
    return isEncrypted
  }
}

/** A pattern of Go, if JavaScript has the same. */
function patternIn(text: string): RegExp | 'unknown' | undefined {
  if (text === '') return undefined
  const [, flags = '', pattern = text] = /^\(\?([ims]+)\)(.*)$/s.exec(text) ?? []
  try {
    return new RegExp(pattern, `${flags}u`)
  } catch {
    return 'unknown'
  }
}
