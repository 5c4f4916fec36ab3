import { error, type Place, type Problem, warning } from './problem.js'
import { choice } from './suggest.js'

/** Problems of OpenAPI files, and of documents of kind OpenAPI that name them (design §2.3). */

export const openApiFromNetwork = (place: Place, what: 'file' | '$ref'): Problem =>
  error(
    'openapi-file',
    place,
    `${what === 'file' ? 'spec.file' : 'a $ref'} is an address: nothing is fetched from a network`,
    'keep the file in the repository, and write its path',
  )

export const openApiUnreadable = (place: Place, path: string, reason: string): Problem =>
  error('openapi-file', place, `the OpenAPI file ${path} cannot be read: ${reason}`, 'correct the path, or the file')

export const notOpenApi = (place: Place, found: string): Problem =>
  error('openapi-version', place, found, 'OpenAPI 2.0 (swagger: "2.0"), 3.0, 3.1 and 3.2 are read')

export const brokenOpenApi = (place: Place, words: string, hint: string): Problem =>
  error('openapi-broken', place, words, hint)

export const oddPath = (place: Place, path: string, sign: string): Problem =>
  warning(
    'openapi-odd-path',
    place,
    `the path ${path} has a "${sign}", which no path of a call has`,
    'leave the query and the fragment out of the path',
  )

export const danglingPathReference = (place: Place, written: string): Problem =>
  error('openapi-reference', place, `"${written}" leads to nothing`, 'a $ref is FILE, FILE#/pointer or #/pointer')

export const circularPathReference = (place: Place, chain: readonly string[]): Problem =>
  error(
    'openapi-reference',
    place,
    `a $ref leads back to itself: ${chain.join(' → ')}`,
    'replace one of them by its text',
  )

export const verbLacking = (place: Place, verb: string, known: readonly string[]): Problem =>
  error(
    'openapi-verb',
    place,
    `the platform has no verb ${verb}`,
    `leave it out with x-gatewright-skip: true; the platform has ${known.join(', ')}`,
  )

export const unknownPathKey = (place: Place, key: string, suggestion: string | undefined, known: readonly string[]) =>
  error('openapi-verb', place, `"${key}" is not a verb, nor another member of a path`, choice(suggestion, known))

export const unknownExtension = (
  place: Place,
  key: string,
  suggestion: string | undefined,
  known: readonly string[],
): Problem => error('openapi-extension', place, `there is no extension ${key}`, choice(suggestion, known))

export const misplacedExtension = (place: Place, key: string, levels: readonly string[]): Problem =>
  error('openapi-extension', place, `${key} means nothing here`, `it may stand in ${levels.join(', ')}`)

export const namedByField = (place: Place, field: string): Problem =>
  error(
    'openapi-extension',
    place,
    `${field} is not a field for x-gatewright-endpoint`,
    'x-gatewright-name names the endpoint',
  )

export const extensionsDisagree = (place: Place, field: string, name: string, other: Place): Problem => ({
  ...error(
    'openapi-extension',
    place,
    `two operations of the endpoint "${name}" give ${field} different values`,
    'write it at their path, or split them into two endpoints with x-gatewright-name',
  ),
  related: [{ message: 'the other one', place: other }],
})

export const sameEndpointName = (place: Place, name: string, other: Place): Problem => ({
  ...error(
    'openapi-name',
    place,
    `two endpoints get the name "${name}"`,
    'let spec.name use {path} or {verbs}, or write x-gatewright-name at one of them',
  ),
  related: [{ message: 'the other one', place: other }],
})

export const noFile = (place: Place): Problem =>
  error('missing-name', place, 'this OpenAPI document has no spec.file', 'write spec: {file: PATH of the OpenAPI file}')

export const unknownPart = (
  place: Place,
  part: string,
  suggestion: string | undefined,
  known: readonly string[],
): Problem => error('openapi-name', place, `there is no {${part}}`, choice(suggestion, known))

export const namePartLacking = (place: Place, lacking: readonly string[], name: string): Problem =>
  warning(
    'openapi-name-part',
    place,
    `${lacking.join(' and ')} is not written here, and spec.name uses it: the endpoint is "${name}"`,
    'write it, or x-gatewright-name',
  )

export const sameRoute = (place: Place, route: string, other: Place): Problem => ({
  ...error(
    'openapi-route',
    place,
    `two endpoints answer ${route}`,
    'the platform allows one: leave one of them out with x-gatewright-skip: true, or give one another path or domain',
  ),
  related: [{ message: 'the other one', place: other }],
})

export const serverVariable = (place: Place, name: string): Problem =>
  error(
    'openapi-server',
    place,
    `the server’s url has {${name}}, and no variable of that name has a default`,
    'write the default in variables, or the whole url',
  )

export const badServer = (place: Place, found: string): Problem =>
  error('openapi-server', place, `${found} is not the url of a server`, 'write https://HOST/PATH, or a path')

export const serversDisagree = (place: Place, what: string, values: readonly string[], field: string): Problem =>
  error(
    'openapi-server',
    place,
    `the servers of one endpoint have different ${what}: ${values.join(', ')}`,
    `write spec.${field}, or split the endpoint with x-gatewright-name`,
  )

export const operationWithout = (place: Place, what: 'tag' | 'operationId', setting: string): Problem =>
  error(
    'openapi-operation',
    place,
    `the operation has no ${what}, and spec.${setting} needs one`,
    `write ${what === 'tag' ? 'tags' : what} here`,
  )

export const selectsNothing = (place: Place, key: string, pattern: string): Problem =>
  warning('openapi-selection', place, `${key} "${pattern}" fits no operation`, 'correct it, or take it out')

export const noOperations = (place: Place, file: string): Problem =>
  error(
    'openapi-empty',
    place,
    `${file} gives no endpoint`,
    'correct file, only and except; to take the endpoints away, remove this document',
  )

export const ambiguousDetection = (place: Place, path: string, key: string): Problem =>
  warning(
    'openapi-detection',
    place,
    `at the positions ${key} calls of ${path} have a parameter, so that no method is found for them`,
    'write endpoints: path, methods: none, or x-gatewright-name to split the endpoint',
  )

export const importNeedsService = (file: string): Problem =>
  error(
    'openapi-file',
    undefined,
    `${file} has no title, and no document of kind OpenAPI names it: nothing tells the service`,
    'name the service with --service NAME',
  )

export const importOtherService = (place: Place, file: string, service: string): Problem =>
  error(
    'openapi-file',
    place,
    `this document gives the endpoints of ${file} to the service ${service}, and --service names another one`,
    'leave --service out, or change the service here',
  )

/** The document of kind OpenAPI still generates the objects that are now written as manifests. */
export const importedTwice = (place: Place, file: string): Problem =>
  warning(
    'openapi-imported',
    place,
    `this document still gives the endpoints of ${file}, which are manifests of their own now`,
    'remove it: what is declared twice is an error',
  )

export const importLeft = (place: Place): Problem =>
  warning(
    'openapi-imported',
    place,
    'the OpenAPI file gives this endpoint no more',
    'remove it with --prune, or by hand, unless it is to stay',
  )
