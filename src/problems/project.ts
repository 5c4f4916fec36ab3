import { error, type Place, type Problem } from './problem.js'

export const missingProject = (path: string, reason: string): Problem =>
  error('missing-project', undefined, `${path}: ${reason}`, 'gatewright init writes a project file')

/** There is something of that name, and it cannot be read. */
export const unreadableProject = (path: string, reason: string): Problem =>
  error('missing-project', undefined, `${path}: ${reason}`, 'a project file is an ordinary file in UTF-8')

export const notAProject = (place: Place, written: string): Problem =>
  error('unknown-kind', place, `the project file has ${written}`, 'it is one document with kind: Project')

export const missingProjectField = (place: Place, field: string): Problem =>
  error('missing-field', place, `the project file lacks ${field}`, `write ${field}`)

export const invalidProjectValue = (place: Place, where: string, words: string): Problem =>
  error('invalid-value', place, `${where} ${words}`)

/** The command line as a whole cannot be understood; `message` and `hint` are the parser's own words. */
export const badUsage = (message: string, hint: string | undefined): Problem =>
  error('usage', undefined, message, hint ?? 'gatewright --help lists the commands and their options')

export const invalidOption = (option: string, value: string, expected: string): Problem =>
  error('invalid-option', undefined, `${option} has the value "${value}"`, `it takes ${expected}`)

export const notAvailable = (what: string, hint: string): Problem =>
  error('not-available', undefined, `${what} is not available in this version`, hint)

export const unknownKind = (name: string, hint: string): Problem =>
  error('unknown-kind', undefined, `there is no kind "${name}"`, hint)

export const unknownKindField = (kind: string, field: string, hint: string): Problem =>
  error('unknown-field', undefined, `${kind} has no field "${field}"`, hint)

/** `missing` are the settings that are needed, each with how to give it. */
export const missingSettings = (missing: readonly { readonly what: string; readonly how: string }[]): Problem =>
  error(
    'missing-settings',
    undefined,
    `the platform cannot be reached without ${missing.map((each) => each.what).join(', ')}`,
    missing.map((each) => `${each.what}: ${each.how}`).join('\n'),
  )

/** The credentials of the environment go only where the environment, or the command line, says. */
export const hostNotNamed = (file: string, host: string): Problem =>
  error(
    'host-not-named',
    undefined,
    `only ${file} says that the credentials of the environment go to ${host}: they are not sent there`,
    `if they belong there: export GATEWRIGHT_HOSTS=${host}, or give GATEWRIGHT_URL or --url`,
  )

/** A ready token does not say which area it is for. */
export const areaNotNamed = (): Problem =>
  error(
    'area-not-named',
    undefined,
    'nothing is changed with a ready token alone: locks and records are kept for an area',
    'name the area that the token is for: GATEWRIGHT_AREA, --area, or spec.platform.area in the project file',
  )

export const platformNotStarted = (reason: string, hint: string): Problem =>
  error('platform-not-started', undefined, `the embedded platform cannot start: ${reason}`, hint)

/** A bug of ours: whatever was thrown is no ProblemError. */
export const internalError = (reason: string): Problem =>
  error(
    'internal-error',
    undefined,
    `internal error: ${reason}`,
    'this is a bug in gatewright; please report it with what --debug prints',
  )
