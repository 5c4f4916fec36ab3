import { mistake, type Place, type Problem } from './problem.js'

export const missingProject = (path: string, reason: string): Problem => ({
  code: 'missing-project',
  severity: 'error',
  message: `${path}: ${reason}`,
  hint: 'gatewright init writes a project file',
})

/** There is something of that name, and it cannot be read. */
export const unreadableProject = (path: string, reason: string): Problem => ({
  code: 'missing-project',
  severity: 'error',
  message: `${path}: ${reason}`,
  hint: 'a project file is an ordinary file in UTF-8',
})

export const notAProject = (place: Place, written: string): Problem =>
  mistake('unknown-kind', place, `the project file has ${written}`, 'it is one document with kind: Project')

export const missingProjectField = (place: Place, field: string): Problem =>
  mistake('missing-field', place, `the project file lacks ${field}`, `write ${field}`)

export const invalidProjectValue = (place: Place, where: string, words: string): Problem =>
  mistake('invalid-value', place, `${where} ${words}`)

/** The command line as a whole cannot be understood; `message` and `hint` are the parser's own words. */
export const badUsage = (message: string, hint: string | undefined): Problem => ({
  code: 'usage',
  severity: 'error',
  message,
  hint: hint ?? 'gatewright --help lists the commands and their options',
})

export const invalidOption = (option: string, value: string, expected: string): Problem => ({
  code: 'invalid-option',
  severity: 'error',
  message: `${option} has the value "${value}"`,
  hint: `it takes ${expected}`,
})

export const notAvailable = (what: string, hint: string): Problem => ({
  code: 'not-available',
  severity: 'error',
  message: `${what} is not available in this version`,
  hint,
})

export const unknownKind = (name: string, hint: string): Problem => ({
  code: 'unknown-kind',
  severity: 'error',
  message: `there is no kind "${name}"`,
  hint,
})

export const unknownKindField = (kind: string, field: string, hint: string): Problem => ({
  code: 'unknown-field',
  severity: 'error',
  message: `${kind} has no field "${field}"`,
  hint,
})

/** `missing` are the settings that are needed, each with how to give it. */
export const missingSettings = (missing: readonly { readonly what: string; readonly how: string }[]): Problem => ({
  code: 'missing-settings',
  severity: 'error',
  message: `the platform cannot be reached without ${missing.map((each) => each.what).join(', ')}`,
  hint: missing.map((each) => `${each.what}: ${each.how}`).join('\n'),
})

/** A ready token does not say which area it is for. */
export const areaNotNamed = (): Problem => ({
  code: 'area-not-named',
  severity: 'error',
  message: 'nothing is changed with a ready token alone: locks and records are kept for an area',
  hint: 'name the area that the token is for: GATEWRIGHT_AREA, --area, or spec.platform.area in the project file',
})

export const platformNotStarted = (reason: string, hint: string): Problem => ({
  code: 'platform-not-started',
  severity: 'error',
  message: `the embedded platform cannot start: ${reason}`,
  hint,
})

/** A bug of ours: whatever was thrown is no ProblemError. */
export const internalError = (reason: string): Problem => ({
  code: 'internal-error',
  severity: 'error',
  message: `internal error: ${reason}`,
  hint: 'this is a bug in gatewright; please report it with what --debug prints',
})
