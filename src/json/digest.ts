import { createHash } from 'node:crypto'

export const digest = (text: string): string => `sha256:${hexDigest(text)}`

/** Enough of a digest to tell a few names apart. */
export const shortDigest = (text: string): string => hexDigest(text).slice(0, 6)

const hexDigest = (text: string): string => createHash('sha256').update(text).digest('hex')
