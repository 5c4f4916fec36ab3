import { error, note, type Place, type Problem } from './problem.js'
import { choice, nearest } from './suggest.js'

export const missingProject = (path: string): Problem =>
  error('missing-project', undefined, `${path}: there is no such file`, 'gatewright init writes a project file')

/** `path` is the folder where the search for the project starts. */
export const missingProjectFolder = (path: string, reason: string): Problem =>
  error('missing-project', undefined, `${path}: ${reason}`, 'give a folder that exists (-C DIR)')

/** There is something with that name, but it cannot be read. */
export const unreadableProject = (path: string, reason: string): Problem =>
  error('missing-project', undefined, `${path}: ${reason}`, 'a project file is an ordinary file in UTF-8')

export const notAProject = (place: Place, written: string): Problem =>
  notADocumentOf(place, 'the project file', written, 'Project')

/** `document`: a description, such as `the project file`; `kind`: the required kind. */
export const notADocumentOf = (place: Place, document: string, written: string, kind: string): Problem =>
  error('unknown-kind', place, `${document} has ${written}`, `it is one document with kind: ${kind}`)

export const missingProjectField = (place: Place, field: string, document: string): Problem =>
  error('missing-field', place, `${document} lacks ${field}`, `write ${field}`)

export const invalidProjectValue = (place: Place, where: string, expected: string, found: string): Problem =>
  error('invalid-value', place, `${where} takes ${expected}, and ${found} is written`, `write ${expected}`)

/** The command line cannot be parsed; `message` and `hint` are those of the parser. */
export const badUsage = (message: string, hint: string | undefined, command?: string): Problem =>
  error(
    'usage',
    undefined,
    message,
    hint ??
      (command === undefined
        ? 'gatewright --help lists the commands and their options'
        : `gatewright ${command} --help lists its arguments and options`),
  )

export const emptyWord = (what: string): Problem =>
  badUsage(`${what} is empty`, 'give it a value, or leave it out; a variable of the shell that is not set is empty')

/** There is one argument too many; `means` is its probable meaning. */
export const extraArgument = (command: string, argument: string, takes: string, means: string | undefined): Problem =>
  badUsage(
    `too many arguments for '${command}': it takes ${takes}, and "${argument}" is one more`,
    means === undefined ? undefined : `did you mean gatewright ${command} ${means}?`,
    command,
  )

/** An option that only has an effect on other commands. */
export const hasNoEffect = (option: string, command: string): Problem =>
  error(
    'usage',
    undefined,
    `${option} has no effect on gatewright ${command}`,
    `leave it out; gatewright ${command} --help lists what it takes`,
  )

export const invalidOption = (option: string, value: string, expected: string): Problem =>
  error('invalid-option', undefined, `${option} has the value "${value}"`, `it takes ${expected}`)

/** `message` is that of the parser; `usage`: the command with its arguments. */
export const missingArgument = (message: string, command: string, usage: string): Problem =>
  badUsage(message, `write gatewright ${usage}; gatewright ${command} --help explains it`)

/** A caller of the programming interface gives a member that the function does not have. */
export const unknownInput = (of: string, name: string, known: readonly string[]): Problem =>
  error('usage', undefined, `${of} takes no "${name}"`, choice(nearest(name, known), known))

/** The value is not shown, because it is unknown and could be secret. */
export const wrongInput = (of: string, name: string, expected: string): Problem =>
  error('invalid-option', undefined, `"${name}" of ${of} has a value that it does not take`, `it takes ${expected}`)

export const notAvailable = (what: string, hint: string): Problem =>
  error('not-available', undefined, `${what} is not available in this version`, hint)

export const unknownKind = (name: string, near: string | undefined, known: readonly string[]): Problem =>
  error('unknown-kind', undefined, `there is no kind "${name}"`, meantOr(near, `the kinds are ${known.join(', ')}`))

/** `others`: how to list the existing fields, if no name is similar. */
export const unknownKindField = (kind: string, field: string, near: string | undefined, others: string): Problem =>
  error('unknown-field', undefined, `${kind} has no field "${field}"`, meantOr(near, others))

const meantOr = (near: string | undefined, others: string): string =>
  near === undefined ? others : `did you mean ${near}?`

/** The name of an unknown variable is similar to that of a known one. */
export const misspeltVariable = (name: string, meant: string): Problem =>
  note('misspelt-variable', undefined, `${name} is set and means nothing here: did you mean ${meant}?`)

/** The selected environment has another URL or area than the variable, which takes precedence. */
export const targetOverridden = (variable: string, field: string): Problem =>
  note('target-overridden', undefined, `${variable} is used instead of ${field} of the environment, which differs`)

/** `missing`: the required settings, each with the way to give it. */
export const missingSettings = (missing: readonly { readonly what: string; readonly how: string }[]): Problem =>
  error(
    'missing-settings',
    undefined,
    `the platform cannot be reached without ${missing.map((each) => each.what).join(', ')}`,
    [...new Set(missing.map(({ how }) => how))]
      .map((how) => {
        const settings = missing.filter((each) => each.how === how)
        return `${settings.map(({ what }) => what).join(', ')}: ${how}`
      })
      .join('\n'),
  )

/** Credentials from environment variables are only sent to hosts that the environment or the command line names. */
export const hostNotNamed = (file: string, host: string): Problem =>
  error(
    'host-not-named',
    undefined,
    `only ${file} names the host ${host}: credentials from environment variables are not sent there`,
    `if they belong there: export GATEWRIGHT_HOSTS=${host}, or give GATEWRIGHT_URL or --url`,
  )

/** A token does not contain the area for which it is valid. */
export const areaNotNamed = (): Problem =>
  error(
    'area-not-named',
    undefined,
    'a token alone is not enough to change anything: locks and records are kept for an area',
    'set the area of the token: GATEWRIGHT_AREA, --area, or spec.platform.area in the project file',
  )

export const platformNotStarted = (reason: string, hint: string): Problem =>
  error('platform-not-started', undefined, `the embedded platform cannot start: ${reason}`, hint)

/** A bug of the program: the exception was no ProblemError. */
export const internalError = (reason: string): Problem =>
  error(
    'internal-error',
    undefined,
    `internal error: ${reason}`,
    'this is a bug in gatewright; please report it with what --debug prints',
  )
