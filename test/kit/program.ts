import { join } from 'node:path'
import { inject } from 'vitest'

/** The built program, which Node runs in a separate process. */
export const program = join(inject('built'), 'bin.js')
