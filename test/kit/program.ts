import { join } from 'node:path'
import { inject } from 'vitest'

/** The built program, to be started by Node in a process of its own. */
export const program = join(inject('built'), 'bin.js')
