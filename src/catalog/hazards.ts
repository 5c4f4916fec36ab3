/** Consequences that a change may have for those who hold keys; each is allowed by its name (design §4, Deletes). */
export const hazardNames = [
  'KEY_LOSS',
  'TRAFFIC_STOP',
  'AUTH_WEAKENED',
  'LIMIT_LOWERED',
  'ID_CHANGE',
  'IRREVERSIBLE',
] as const

export type Hazard = (typeof hazardNames)[number]
