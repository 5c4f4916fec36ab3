import { error, note, type Place, type Problem } from './problem.js'
import { choice } from './suggest.js'

/**
 * No key here can decrypt the value; `why` says where keys were searched for. The messages of this file show no part of a value.
 */
export const secretClosed = (place: Place, what: string, why: string): Problem =>
  note('secret-unavailable', place, `${what} is not open here: ${why}`, 'apply needs an age key that opens it')

export const brokenSecret = (place: Place): Problem =>
  error(
    'secret-tampered',
    place,
    'this value is not as age wrote it: it was changed, or a part of it is missing',
    'create it again: gatewright secret encrypt',
  )

/** `at`: the file and line of the change. */
export const sopsTampered = (place: Place, at: string, what: string): Problem =>
  error(
    'secret-tampered',
    place,
    `${at}: ${what}`,
    'take the file from git as it was, and change it with sops alone: sops edit',
  )

export const sopsUnreadable = (place: Place, at: string, why: string): Problem =>
  error('sops-unreadable', place, `${at}: ${why}`, 'a file that sops wrote, as YAML, JSON or .env, is needed')

export const sopsOtherKeys = (place: Place, file: string, kinds: readonly string[]): Problem =>
  error(
    'sops-keys',
    place,
    `${file} is encrypted for ${kinds.length === 0 ? 'no age key' : kinds.join(', ')}: only age keys open files here`,
    `add an age recipient, or write \${env:NAME} and run gatewright with sops exec-env ${file}`,
  )

export const sopsValue = (
  place: Place,
  file: string,
  pointer: string,
  why: string,
  near: string | undefined,
): Problem =>
  error(
    'sops-value',
    place,
    `${file} has no text at "${pointer}": ${why}`,
    choice(near) ?? 'a JSON Pointer leads to one value: ${sops:secrets.yaml#/orders/password}',
  )

export const secretInSettings = (place: Place): Problem =>
  error(
    'secret-in-settings',
    place,
    'what is encrypted can be used in manifests, values, defaults and patches, not in settings of the project',
    'use ${env:NAME} here',
  )

export const badRecipient = (word: string, place?: Place): Problem =>
  error(
    'bad-recipient',
    place,
    // A user who confuses the two keys of a pair has given the secret one, so only its beginning is shown.
    `"${/^age1/.test(word) || word.length <= 12 ? word : `${word.slice(0, 12)}…`}" is not an age recipient`,
    'a recipient begins with age1; age-keygen prints it for a new key',
  )

export const noRecipients = (): Problem =>
  error(
    'no-recipients',
    undefined,
    'there is no recipient to encrypt for',
    'give --recipient age1…, or list spec.secrets.recipients in the project file',
  )

export const nothingToEncrypt = (): Problem =>
  error('nothing-to-encrypt', undefined, 'there is nothing to encrypt', 'give the value on the standard input')

export const notEncryptable = (why: string): Problem =>
  error(
    'nothing-to-encrypt',
    undefined,
    `this value cannot stand in a manifest: ${why}`,
    'give text; encode anything else',
  )

export const notRotated = (place: Place, why: string): Problem =>
  error(
    'secret-not-rotated',
    place,
    `this value is not open here: ${why}`,
    'nothing was changed; rotate where age keys open every value: after a run that was stopped, the former key and the new one',
  )
