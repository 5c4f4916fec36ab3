/** The possible consequences of a change for the holders of keys. Each is permitted by its name (design §4, Deletes). */
export const hazardNames = [
  'KEY_LOSS',
  'TRAFFIC_STOP',
  'AUTH_WEAKENED',
  'LIMIT_LOWERED',
  'ID_CHANGE',
  'IRREVERSIBLE',
] as const

export type Hazard = (typeof hazardNames)[number]

interface HazardRow {
  /** A short description for refusals. */
  readonly words: string
  readonly means: string
  readonly stated: string
}

/** The meaning of each hazard for the holders of keys, and the changes that have it. */
export const hazards: Readonly<Record<Hazard, HazardRow>> = {
  KEY_LOSS: {
    words: 'keys are lost',
    means: 'Keys are lost: calls with them are refused.',
    stated:
      'A key is deleted, or an object that contains keys or that keys belong to: a member, an application, a package, a plan.',
  },
  TRAFFIC_STOP: {
    words: 'calls are no longer served',
    means: 'Calls that were served before are no longer served.',
    stated:
      'A service, an endpoint or a method is deleted or removed from a plan; an endpoint loses a path, a domain or a verb; a key moves to a plan that lacks some of these; a key or a member is no longer active.',
  },
  AUTH_WEAKENED: {
    words: 'calls are checked less',
    means: 'Calls are checked less than before.',
    stated:
      'A field gets its less strict value, such as allowMissingApiKey: true; the credentials for a back end are removed; a response filter is deleted or removed from a plan.',
  },
  LIMIT_LOWERED: {
    words: 'keys are allowed less',
    means: 'Holders of keys may call less often.',
    stated:
      'A rate or a quota becomes lower, or is set where there was none, or counts for a longer period; a key moves to a plan that allows less; an exemption from limits ends.',
  },
  ID_CHANGE: {
    words: 'objects get new ids',
    means:
      'A new object is created although one under an earlier name looks like the same object: the new one has a new id, and no keys.',
    stated: 'A suspected rename. If it is a rename, write metadata.formerly.',
  },
  IRREVERSIBLE: {
    words: 'this cannot be undone',
    means: 'A deleted object cannot be created again as it was.',
    stated: 'An account is deleted: its password cannot be read back.',
  },
}
