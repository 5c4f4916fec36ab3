import { createHash } from 'node:crypto'

export const digest = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`
