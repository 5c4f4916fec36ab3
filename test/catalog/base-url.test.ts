import { expect, test } from 'vitest'
import { areaName, areaUrl, baseUrl } from '../../src/catalog/base-url.js'

/** One area has one address, however it is spelt. */

test.each([
  ['https://api.example.com', 'https://api.example.com'],
  ['https://api.example.com/', 'https://api.example.com'],
  ['HTTPS://API.Example.COM:443//', 'https://api.example.com'],
  ['http://api.example.com:80/base/', 'http://api.example.com/base'],
  ['http://api.example.com/a/../base/./', 'http://api.example.com/base'],
  [' https://api.example.com\n', 'https://api.example.com'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['http://127.1:4010', 'http://127.0.0.1:4010'],
  ['http://localhost:4010', 'http://localhost:4010'],
  ['https://api.example.com/v3rest', 'https://api.example.com/v3rest'],
])('%s is %s', (text, url) => {
  expect(baseUrl(text)).toEqual({ url })
})

test.each([
  ['https://jane@api.example.com', ['a login'], 'https://api.example.com'],
  ['https://jane:secret@api.example.com/base', ['a login'], 'https://api.example.com/base'],
  ['https://api.example.com/?x=1', ['a query'], 'https://api.example.com'],
  ['https://api.example.com?', ['a query'], 'https://api.example.com'],
  ['https://api.example.com/#', ['a fragment'], 'https://api.example.com'],
  ['https://a:b@api.example.com/?x#y', ['a login', 'a query', 'a fragment'], 'https://api.example.com'],
  ['https://api.example.com/v3', ['the path /v3 of the interface'], 'https://api.example.com'],
  ['https://api.example.com/base/v3/', ['the path /v3 of the interface'], 'https://api.example.com/base'],
  ['https://api.example.com/v3/rest', ['the path /v3/rest of the interface'], 'https://api.example.com'],
  ['https://api.example.com/v3/token/', ['the path /v3/token of the interface'], 'https://api.example.com'],
  ['https://api.example.com/v3/rest/roles', ['the path /v3/rest/roles of the interface'], 'https://api.example.com'],
])('%s is invalid: it contains %j', (text, holds, right) => {
  expect(baseUrl(text)).toEqual({ fault: { holds, right } })
})

test.each(['', 'api.example.com', 'ftp://api.example.com', 'https://', 'jane:secret@host'])(
  '"%s" is invalid',
  (text) => {
    expect(baseUrl(text)).toEqual({ fault: { holds: [], right: undefined } })
  },
)

test('a host with an umlaut is the same however often it is converted', () => {
  const urls = Array.from({ length: 20_000 }, () => baseUrl('https://bücher.example'))
  expect(urls.filter((each) => 'fault' in each)).toEqual([])
})

test('locks and records use one name for this machine, and for a host with a dot at its end', () => {
  expect(areaUrl('http://LOCALHOST:4010/')).toBe('http://127.0.0.1:4010')
  expect(areaUrl('http://localhost.:4010/base/')).toBe('http://127.0.0.1:4010/base')
  expect(areaUrl('https://api.example.com.')).toBe('https://api.example.com')
  expect(areaUrl('https://localhost.example')).toBe('https://localhost.example')
})

test.each([
  ['http://[::ffff:127.0.0.1]:4010', 'http://127.0.0.1:4010'],
  ['http://[::ffff:7f00:1]:4010/base', 'http://127.0.0.1:4010/base'],
  ['http://[0:0:0:0:0:FFFF:7F00:0001]:4010', 'http://127.0.0.1:4010'],
  ['http://[::1]:4010', 'http://127.0.0.1:4010'],
  ['https://[::ffff:192.0.2.10]', 'https://192.0.2.10'],
  ['https://[::ffff:0:0]', 'https://0.0.0.0'],
  ['https://[::7f00:1]', 'https://[::7f00:1]'],
  ['https://api.example.com/%61p%69/%2D%7e', 'https://api.example.com/api/-~'],
  ['https://api.example.com/a%2Fb%41', 'https://api.example.com/a%2FbA'],
  ['https://[2001:db8::ffff:7f00:1]', 'https://[2001:db8::ffff:7f00:1]'],
])('locks and records know %s as %s', (text, url) => {
  expect(areaUrl(text)).toBe(url)
})

test('an area that is a UUID is the same in any case, but other areas are not', () => {
  expect(areaName('00000000-0000-4000-8000-00000000A4EA')).toBe('00000000-0000-4000-8000-00000000a4ea')
  expect(areaName('Area-7')).toBe('Area-7')
})
