/**
 * `remaining`: git no longer has the object, but apply may not delete it. The last three are used if nobody knows which side has
 * changed: another value, a missing object, an additional object.
 */
export type Happened = 'deleted' | 'created' | 'changed' | 'conflict' | 'remaining' | 'differs' | 'missing' | 'extra'

export const happenedWords: Readonly<Record<Happened, string>> = {
  deleted: 'deleted on the platform',
  created: 'created on the platform',
  changed: 'changed on the platform',
  conflict: 'changed on the platform and in git',
  remaining: 'removed from git, and still on the platform',
  differs: 'differs',
  missing: 'in git, and not on the platform',
  extra: 'on the platform, and not in git',
}
