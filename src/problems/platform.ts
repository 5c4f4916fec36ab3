import { error, type Place, type Problem, warning } from './problem.js'

/** `holds`: the parts that a base URL must not have. `right`: the URL without them. Neither shows a login. */
export const badUrl = (
  written: string,
  { holds, right }: { readonly holds: readonly string[]; readonly right: string | undefined },
  place?: Place,
): Problem =>
  error(
    'bad-url',
    place,
    right === undefined
      ? `"${written.replace(/.*@/s, '***@')}" is not the URL of a platform`
      : `the URL of the platform holds ${holds.join(' and ')}`,
    right === undefined
      ? 'GATEWRIGHT_URL, --url or platform.url gives the base URL: https://host[:port], without /v3'
      : `write ${right} (GATEWRIGHT_URL, --url or platform.url)`,
  )

export const hostUnreachable = (host: string, reason: string, about: 'trust' | 'connection'): Problem =>
  error(
    'unreachable',
    undefined,
    `cannot reach ${host}: ${reason}`,
    about === 'trust'
      ? 'if the certificate is to be trusted, give the file of who signed it: NODE_EXTRA_CA_CERTS=/path/to/ca.pem'
      : 'check GATEWRIGHT_URL (or --url, or platform.url), the network and its proxies (HTTP_PROXY, HTTPS_PROXY, NO_PROXY)',
  )

/** The value is not shown because it may contain a login. */
export const badProxy = (variable: string): Problem =>
  error(
    'bad-url',
    undefined,
    `${variable} does not name a proxy`,
    'write http://host:port, https://host:port, socks5://host:port, or host:port',
  )

export const noAnswer = (request: string, reason: string): Problem =>
  error(
    'no-answer',
    undefined,
    `no answer to ${request}: ${reason}`,
    'whether the platform received the request is not known; run the command again',
  )

/** `reason` is the fault of the answer: "the answer is longer than …". */
export const unusableAnswer = (request: string, reason: string): Problem =>
  error(
    'unusable-answer',
    undefined,
    `the answer to ${request} cannot be used: ${reason}`,
    'check that nothing between this program and the platform answers in its place',
  )

/** The platform failed. The code is not `request-refused`, because a reading continues if an optional collection is refused. */
export const noTokenGiven = (request: string, status: number, words: string): Problem =>
  error('unusable-answer', undefined, `${request} was answered ${status}: ${words}`, refusalHint(status))

export const requestInterrupted = (request: string): Problem =>
  error('interrupted', undefined, `interrupted before ${request} was answered`)

export const commandInterrupted = (): Problem => error('interrupted', undefined, 'the command was interrupted')

export const interruptedUnsent = (): Problem => error('interrupted', undefined, 'interrupted before anything was sent')

/** Where the identifier of the customer area may come from, as a hint names it. */
export const identifierSettings = 'GATEWRIGHT_AREA (or --area, or platform.area)'

export const credentialsRefused = (host: string, words: string, variables: string): Problem =>
  error('credentials-refused', undefined, `${host} refused the credentials: ${words}`, `check ${variables}`)

export const unusableToken = (): Problem =>
  error(
    'credentials-refused',
    undefined,
    'no header can carry the token: it holds a line break, or a sign that is not ASCII',
    'check GATEWRIGHT_TOKEN: it is the access_token alone, in one line',
  )

export const requestRefused = (request: string, status: number, words: string): Problem =>
  error('request-refused', undefined, `${request} was answered ${status}: ${words}`, refusalHint(status))

/** Whether an answer says that the server failed, not that the request is wrong. After a 408, the same request may succeed. */
export const isServerFailure = (status: number): boolean => status >= 500 || status === 408

function refusalHint(status: number): string {
  if (status === 401 || status === 403) return 'check what the user and the API key may do in this area'
  if (isServerFailure(status)) return 'the platform failed: run the command again later'
  return 'correct what the platform reports; --log-http FILE records the requests and answers'
}

export const requestRedirected = (request: string, status: number, location: string): Problem =>
  error(
    'request-redirected',
    undefined,
    `${request} was answered ${status}: the platform sends on to ${location}`,
    'set the URL (GATEWRIGHT_URL, --url or platform.url) to where the interface really is: credentials are not sent elsewhere',
  )

export const slashDemanded = (request: string, status: number): Problem =>
  error(
    'request-redirected',
    undefined,
    `${request} was answered ${status}: the platform sends on to the same path with a "/" at its end`,
    'the URL is right, and no setting changes the paths: let the server, or the proxy in front of it, accept them as the interface document has them',
  )

export const unusableId = (parameter: string, id: string): Problem =>
  error(
    'unusable-id',
    undefined,
    `the ${parameter} ${JSON.stringify(id)} cannot stand in a path: the request would go to another address`,
    'nothing was sent; the object can only be changed outside this program',
  )

export const answerNotJson = (request: string, contentType: string, start: string): Problem =>
  error(
    'answer-not-json',
    undefined,
    `${request} was answered with ${contentType.includes('json') ? 'broken JSON' : `${contentType} instead of JSON`}: ${start}`,
    'check that the URL is the base URL of a Service Management API v3, and that no proxy answers in its place',
  )

/** `lack` is the missing member of the object in the answer. */
export const answerNotList = (request: string, start: string, lack?: string): Problem =>
  error(
    'answer-not-list',
    undefined,
    lack === undefined
      ? `${request} was answered with ${start} instead of a list of objects`
      : `${request} was answered with a list in which "${lack}" is missing or of another type: ${start}`,
    'so the contents of the list are unknown: check whether a proxy in front of the platform answers',
  )

export const quotaUsedUp = (words: string): Problem =>
  error(
    'quota-used-up',
    undefined,
    `the quota of calls is used up: ${words}`,
    'wait until it is renewed (X-Plan-Quota-Reset, where the platform sends it), or use a key with a larger allowance',
  )

/** `reason` is the message of the refused request that ended the run. */
export const noCallsLeft = (reason: string): Problem =>
  error('quota-used-up', undefined, reason, 'apply again when there are calls left: nothing is done twice')

/** The reason why the area could not be read after the last write of a run. */
export const notReadBack = (problem: Problem): Problem => ({
  ...problem,
  message: `the area could not be read again after the changes, to check them: ${problem.message}`,
})

export const quotaTooSmall = (needed: number, left: number): Problem =>
  warning(
    'quota-too-small',
    undefined,
    `an apply would send about ${needed} requests, and ${left} calls of the day are left to this key`,
    'it would stop in order when they are used up, and another apply would go on from there; --select does a part of it',
  )

export const stillThrottled = (request: string, times: number): Problem =>
  error(
    'throttled',
    undefined,
    `${request} was turned away ${times} times because of too many calls a second`,
    'others may be using the same key: lower requestsPerSecond in the project file, or try again later',
  )

export const notThisInterface = (url: string): Problem =>
  wrongInterface(`${url} offers none of the collections that were asked for`)

/** The server does not offer this interface, so nobody has read the credentials. */
export const noTokenThere = (url: string, words: string): Problem =>
  wrongInterface(`${url} has no /v3/token: it was answered 404, ${words}`)

const wrongInterface = (message: string): Problem =>
  error(
    'not-this-interface',
    undefined,
    message,
    'check that GATEWRIGHT_URL (or --url, or platform.url) is the base URL, without /v3/rest',
  )

/** Answers in the other vocabulary could be understood, but the platform would refuse or drop what is written to it. */
export const otherVocabulary = (word: string, spoken: string, own: string): Problem =>
  error(
    'other-vocabulary',
    undefined,
    `the platform uses the vocabulary ${spoken} ("${word}"), and gatewright is set to ${own}`,
    `write platform.vocabulary: ${spoken} in the project file, or set GATEWRIGHT_VOCABULARY=${spoken}`,
  )

/** Objects that cannot be listed may exist nevertheless. */
export const noSuchList = (kind: string): Problem =>
  error(
    'collection-incomplete',
    undefined,
    `the platform does not list the objects of kind ${kind} there: which exist cannot be told`,
    'what they belong to may have been deleted meanwhile; run the command again',
  )

export const collectionIncomplete = (collection: string, answered: number, total: number): Problem =>
  error(
    'collection-incomplete',
    undefined,
    `the platform counts ${total} objects in ${collection}, but its pages held ${answered}`,
    'an incomplete reading could create objects twice, so nothing was done; run the command again',
  )

export const collectionEndless = (collection: string, pages: number): Problem =>
  error(
    'collection-endless',
    undefined,
    `${collection} did not end after ${pages} pages, each with something new`,
    'check that nothing between this program and the platform answers in its place',
  )

/** The list of a collection had the object, but its contents do not exist any more. */
export const goneWhileRead = (kind: string, id: string, field: string): Problem =>
  error(
    'collection-incomplete',
    undefined,
    `the ${field} of the ${kind} with id ${id} are not there, though the platform has those of others: it may have been deleted meanwhile`,
    'nothing was done; run the command again',
  )
