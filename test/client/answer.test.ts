import { describe, expect, it } from 'vitest'
import { readAnswer, readError } from '../../src/client/answer.js'
import { redirection, retryAfter, verdictOf } from '../../src/client/verdict.js'
import type { WireResponse } from '../../src/ports/transport.js'

const response = (status: number, body: string, headers: Record<string, string> = {}): WireResponse => ({
  status,
  headers,
  body,
})

describe('an answer', () => {
  it.each([
    ['an array with one object', '[{"id":"a"}]', [{ id: 'a' }], true],
    ['a bare object', '{"id":"a"}', [{ id: 'a' }], true],
    ['a list', '[{"id":"a"},{"id":"b"}]', [{ id: 'a' }, { id: 'b' }], true],
    ['an array with one empty string', '[""]', [], true],
    ['an empty array', '[]', [], true],
    ['an empty string', '""', [], true],
    ['nothing', '', [], false],
    ['white space', ' \n', [], false],
    ['null', 'null', [], false],
    ['a bare string', '"done"', [], false],
    ['a list with a text in it', '[{"id":"a"},7]', [{ id: 'a' }], false],
  ])('that is %s', (_, body, objects, areAll) => {
    expect(readAnswer(body)).toEqual({ is: 'objects', objects, areAll })
  })

  it.each(['<html></html>', '{"id":', 'OK'])('that is not JSON: %s', (body) => {
    expect(readAnswer(body)).toEqual({ is: 'not-json' })
  })
})

describe('an error', () => {
  const complaint = { property: 'systemDomains[0]', message: 'is not a valid domain' }

  it.each([
    ['a number', 400],
    ['a string', '400'],
  ])('whose errorCode is %s', (_, errorCode) => {
    const body = JSON.stringify({ errorCode, errorMessage: 'Unable to create', errors: [complaint] })
    expect(readError(response(400, body), (text) => text)).toEqual({
      errorCode: '400',
      message: 'Unable to create; systemDomains[0]: is not a valid domain',
      complaints: [complaint],
      fromInterface: true,
    })
  })

  it.each([
    ['only errors', { errors: [complaint] }],
    ['an array of validation responses', [{ errors: [complaint] }]],
    ['an array of complaints', [complaint]],
    ['a message that its complaint repeats', { errorMessage: complaint.message, errors: [complaint] }],
  ])('that is %s', (_, body) => {
    const error = readError(response(400, JSON.stringify(body)), (text) => text)
    expect(error.complaints).toEqual([complaint])
    expect(error.message).toBe('systemDomains[0]: is not a valid domain')
    expect(error.fromInterface).toBe(true)
  })

  it('that is a list of strings', () => {
    expect(readError(response(400, '["no","never"]'), (text) => text)).toMatchObject({
      message: 'no; never',
      fromInterface: true,
    })
  })

  it('of the gateway: its headers take precedence over its body', () => {
    const headers = { 'x-svc-error-code': 'ERR_403_NOT_AUTHORIZED', 'x-error-detail-header': 'Not Authorized' }
    expect(readError(response(403, '<h1>Forbidden</h1>', headers), (text) => text)).toEqual({
      errorCode: 'ERR_403_NOT_AUTHORIZED',
      message: 'Not Authorized; ERR_403_NOT_AUTHORIZED',
      complaints: [],
      fromInterface: false,
    })
  })

  it.each([
    ['one long text', JSON.stringify({ errorMessage: 'x'.repeat(1e6), errors: [{ message: 'y'.repeat(1e6) }] })],
    ['not JSON, and full of "<"', '<'.repeat(1e6)],
  ])('of a megabyte is shortened, and is searched quickly: %s', (_, body) => {
    const start = process.cpuUsage()
    const error = readError(response(500, body), (text) => text)
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(2_000)
    expect(JSON.stringify(error).length).toBeLessThan(5_000)
  })

  it.each([
    ['the text of a page', '<html><title>502</title><h1>Bad Gateway</h1>nginx</html>', 'Bad Gateway nginx'],
    [
      'a title that is repeated',
      '<html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>nginx</html>',
      'Bad Gateway nginx',
    ],
    ['a title and other text', '<html><title>Back at 10:00</title><p>Sorry.</p></html>', 'Back at 10:00 Sorry.'],
    ['a title in XML', '<problem><title>Area is locked</title><status>502</status></problem>', 'Area is locked 502'],
    ['the title of a page without text', '<html><title>Bad Gateway</title></html>', 'Bad Gateway'],
    ['the words for its status, if there is nothing else', '', 'Bad Gateway'],
    ['the words of the token endpoint', '{"error":"invalid_grant","error_description":"Expired"}', 'Expired'],
  ])('is reported by %s', (_, body, message) => {
    expect(readError(response(502, body), (text) => text).message).toBe(message)
  })
})

describe('a verdict', () => {
  it.each([
    [200, undefined, 'answered'],
    [400, undefined, 'answered'],
    [404, undefined, 'answered'],
    [403, 'ERR_403_NOT_AUTHORIZED', 'answered'],
    [403, 'ERR_403_DEVELOPER_OVER_QPS', 'throttled'],
    [429, undefined, 'throttled'],
    [403, 'ERR_403_DEVELOPER_OVER_RATE', 'quota'],
    [403, 'ERR_403_DEVELOPER_INACTIVE', 'token'],
    [401, undefined, 'token'],
    [503, undefined, 'failed'],
  ])('of %i with %s is %s', (status, code, verdict) => {
    expect(verdictOf(response(status, '', code === undefined ? {} : { 'x-any-error-code': code }))).toBe(verdict)
  })

  it.each([
    ['1', 1000],
    ['0.5', 500],
    ['Thu, 01 Jan 1970 00:00:10 GMT', 7000],
    ['soon', undefined],
  ])('reads Retry-After %s', (value, ms) => {
    expect(retryAfter(response(429, '', { 'retry-after': value }), 3000)).toBe(ms)
  })

  it.each([
    ['Thu, 01 Jan 1970 00:00:08 GMT', 2000],
    ['Thu, 01 Jan 1970 00:20:00 GMT', 0],
    ['today', 7000],
  ])('reads a date in Retry-After by the clock of the platform, if it is sent: %s', (date, ms) => {
    const headers = { 'retry-after': 'Thu, 01 Jan 1970 00:00:10 GMT', date }
    expect(retryAfter(response(429, '', headers), 3000)).toBe(ms)
  })

  it('displays the target of a redirection, without its query', () => {
    const location = 'https://login.example/sso?token=hush&fields=id,name#top'
    expect(redirection(response(307, '', { location }))).toBe('https://login.example/sso')
  })
})
