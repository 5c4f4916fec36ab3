/** The age keys of this machine, found where sops finds them (A241). */
export interface AgeKeys {
  /** `AGE-SECRET-KEY-1…` and `AGE-SECRET-KEY-PQ-1…`. */
  readonly keys: readonly string[]
  /** Where keys were looked for, and what could not be used, in words for a message. */
  readonly searched: string
}

/** Where keys are looked for. */
interface KeySources {
  readonly env: Readonly<Record<string, string | undefined>>
  /** `linux`, `darwin`, `win32`, …, as in Node. */
  readonly platform: string
  /** The home directory of the user. */
  readonly home: string
  /** The text of a file, or undefined if it cannot be read. */
  readonly readText: (path: string) => string | undefined
}

/** Reads SOPS_AGE_KEY, the file of SOPS_AGE_KEY_FILE and the usual key file, as far as they exist. Runs no program. */
export function ageKeysOf(sources: KeySources): AgeKeys {
  const { env, readText } = sources
  const usual = usualKeyFile(sources)
  const file = env.SOPS_AGE_KEY_FILE
  const named = file ? readText(file) : undefined
  const texts = [env.SOPS_AGE_KEY, named, usual === undefined ? undefined : readText(usual)]
  const keys = new Set(texts.flatMap((text) => keysIn(text)))
  const places = ['SOPS_AGE_KEY', 'SOPS_AGE_KEY_FILE', ...(usual === undefined ? [] : [usual])].join(', ')
  const unusable = [
    ...(env.SOPS_AGE_KEY && keysIn(env.SOPS_AGE_KEY).length === 0 ? ['SOPS_AGE_KEY is set, and holds no age key'] : []),
    ...(file && keysIn(named).length === 0
      ? [`the file of SOPS_AGE_KEY_FILE ${named === undefined ? 'cannot be read' : 'holds no age key'}`]
      : []),
    ...(env.SOPS_AGE_KEY_CMD ? ['SOPS_AGE_KEY_CMD is not run'] : []),
    ...(env.SOPS_AGE_SSH_PRIVATE_KEY_FILE || env.SOPS_AGE_SSH_PRIVATE_KEY_CMD ? ['keys of SSH are not used'] : []),
  ]
  return { keys: [...keys], searched: [places, ...unusable].join('; ') }
}

const keysIn = (text = ''): readonly string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => /^AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]+$/.test(line))

/** sops/age/keys.txt in the folder for the user's settings on this system. */
function usualKeyFile({ env, platform, home }: KeySources): string | undefined {
  const within = (folder: string | undefined) => (folder ? `${folder}/sops/age/keys.txt` : undefined)
  if (platform === 'win32') return within(env.AppData ?? env.APPDATA)
  if (env.XDG_CONFIG_HOME) return within(env.XDG_CONFIG_HOME)
  if (home === '') return undefined
  return within(platform === 'darwin' ? `${home}/Library/Application Support` : `${home}/.config`)
}
