import type { Place, Problem } from './problem.js'

/** `holds` is what a base URL must not have, `right` what is left without it; neither shows a login. */
export const badUrl = (
  written: string,
  { holds, right }: { readonly holds: readonly string[]; readonly right: string | undefined },
  place?: Place,
): Problem => ({
  code: 'bad-url',
  severity: 'error',
  message:
    right === undefined
      ? `"${written.replace(/.*@/s, '***@')}" is no URL of a platform`
      : `the URL of the platform holds ${holds.join(' and ')}`,
  ...(place && { place }),
  hint:
    right === undefined
      ? 'GATEWRIGHT_URL, --url or platform.url gives the base URL: https://host[:port], without /v3'
      : `write ${right} (GATEWRIGHT_URL, --url or platform.url)`,
})

export const hostUnreachable = (host: string, reason: string): Problem => ({
  code: 'unreachable',
  severity: 'error',
  message: `cannot reach ${host}: ${reason}`,
  hint: 'check GATEWRIGHT_URL (or --url, or platform.url), the network and its proxies',
})

export const noAnswer = (request: string, reason: string): Problem => ({
  code: 'no-answer',
  severity: 'error',
  message: `no answer to ${request}: ${reason}`,
  hint: 'whether the platform received the request is not known; run the command again',
})

/** `reason` says what is wrong with it: "the answer is longer than …". */
export const unusableAnswer = (request: string, reason: string): Problem => ({
  code: 'unusable-answer',
  severity: 'error',
  message: `the answer to ${request} cannot be used: ${reason}`,
  hint: 'check that nothing between this program and the platform answers in its place',
})

export const requestInterrupted = (request: string): Problem => ({
  code: 'interrupted',
  severity: 'error',
  message: `interrupted before ${request} was answered`,
})

export const credentialsRefused = (host: string, words: string, variables: string): Problem => ({
  code: 'credentials-refused',
  severity: 'error',
  message: `${host} refused the credentials: ${words}`,
  hint: `check ${variables}`,
})

export const requestRefused = (request: string, status: number, words: string): Problem => ({
  code: 'request-refused',
  severity: 'error',
  message: `${request} was answered ${status}: ${words}`,
})

export const requestRedirected = (request: string, status: number, location: string): Problem => ({
  code: 'request-redirected',
  severity: 'error',
  message: `${request} was answered ${status}: the platform sends on to ${location}`,
  hint: 'set the URL (GATEWRIGHT_URL, --url or platform.url) to where the interface really is: credentials are not sent elsewhere',
})

export const unusableId = (parameter: string, id: string): Problem => ({
  code: 'unusable-id',
  severity: 'error',
  message: `the ${parameter} ${JSON.stringify(id)} cannot stand in a path: the request would go to another address`,
  hint: 'nothing was sent; the object can only be changed outside this program',
})

export const answerNotJson = (request: string, contentType: string, start: string): Problem => ({
  code: 'answer-not-json',
  severity: 'error',
  message: `${request} was answered with ${contentType} instead of JSON: ${start}`,
  hint: 'check that the URL is the base URL of a Service Management API v3, and that no proxy answers in its place',
})

/** `lack` is the member that the answered object should have. */
export const answerNotList = (request: string, start: string, lack?: string): Problem => ({
  code: 'answer-not-list',
  severity: 'error',
  message:
    lack === undefined
      ? `${request} was answered with ${start} instead of a list of objects`
      : `${request} was answered with a list in which "${lack}" is missing or of another type: ${start}`,
  hint: 'what there is cannot be known from that: check that nothing stands between this program and the platform',
})

export const quotaUsedUp = (words: string): Problem => ({
  code: 'quota-used-up',
  severity: 'error',
  message: `the quota of calls is used up: ${words}`,
  hint: 'wait until it is renewed (X-Plan-Quota-Reset, where the platform sends it), or use a key with a larger allowance',
})

export const quotaTooSmall = (needed: number, left: number): Problem => ({
  code: 'quota-too-small',
  severity: 'warning',
  message: `an apply would send about ${needed} requests, and ${left} calls of the day are left to this key`,
  hint: 'it would stop in order when they are used up, and another apply would go on from there; --select does a part of it',
})

export const stillThrottled = (request: string, times: number): Problem => ({
  code: 'throttled',
  severity: 'error',
  message: `${request} was turned away ${times} times because of too many calls a second`,
  hint: 'others may be using the same key: lower requestsPerSecond in the project file, or try again later',
})

export const notThisInterface = (url: string): Problem => ({
  code: 'not-this-interface',
  severity: 'error',
  message: `${url} offers none of the collections that were asked for`,
  hint: 'check that GATEWRIGHT_URL (or --url, or platform.url) is the base URL, without /v3/rest',
})

/** What cannot be listed may be there all the same. */
export const noSuchList = (kind: string): Problem => ({
  code: 'collection-incomplete',
  severity: 'error',
  message: `the platform does not list the objects of kind ${kind} there: which exist cannot be told`,
  hint: 'what they belong to may have been deleted meanwhile; run the command again',
})

export const collectionIncomplete = (collection: string, answered: number, total: number): Problem => ({
  code: 'collection-incomplete',
  severity: 'error',
  message: `the platform counts ${total} objects in ${collection}, but its pages held ${answered}`,
  hint: 'an incomplete reading could create objects twice, so nothing was done; run the command again',
})

export const collectionEndless = (collection: string, pages: number): Problem => ({
  code: 'collection-endless',
  severity: 'error',
  message: `${collection} did not end after ${pages} pages, each with something new`,
  hint: 'check that nothing between this program and the platform answers in its place',
})

/** The list of a collection had an object, and what belongs to it is not there any more. */
export const goneWhileRead = (kind: string, id: string, field: string): Problem => ({
  code: 'collection-incomplete',
  severity: 'error',
  message: `the ${field} of the ${kind} with id ${id} are not there, though the platform has those of others: it may have been deleted meanwhile`,
  hint: 'nothing was done; run the command again',
})
