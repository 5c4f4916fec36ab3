import { describe, expect, test } from 'vitest'
import { isNamedHost } from '../../src/secrets/hosts.js'

describe('GATEWRIGHT_HOSTS', () => {
  test.each([
    ['api.example.com', 'https://api.example.com', true],
    ['api.example.com', 'https://api.example.com:8443/base', true],
    ['API.Example.COM.', 'https://api.example.com', true],
    ['api.example.com', 'https://api.example.com.', true],
    ['https://api.example.com/base', 'https://api.example.com', true],
    ['other.example, api.example.com ,', 'https://api.example.com', true],
    ['api.example.com:443', 'https://api.example.com', true],
    ['api.example.com:8443', 'https://api.example.com:8443', true],
    ['*.example.com', 'https://api.example.com', true],
    ['127.0.0.1:*', 'http://127.0.0.1:8081', true],
    ['*.example.com:*', 'https://api.example.com:8443', true],
    ['*.example.com:443', 'https://a.b.example.com', true],
    ['[::1]:8080', 'http://[::1]:8080', true],
    ['bücher.example', 'https://bücher.example', true],
    ['db.example.com:5432', 'postgres://db.example.com/records', true],
    [undefined, 'https://api.example.com', false],
    ['', 'http://127.0.0.1:8080', false],
    [',', 'https://api.example.com', false],
    ['example.com', 'https://api.example.com', false],
    ['api.example.com', 'https://api.example.com.evil.example', false],
    ['api.example.com', 'https://evil.example/api.example.com', false],
    ['*.example.com', 'https://example.com', false],
    ['*.example.com', 'https://evilexample.com', false],
    ['api.example.com:8443', 'https://api.example.com', false],
    ['api.example.com:443', 'http://api.example.com', false],
    ['127.0.0.1:8080', 'http://127.0.0.1:8081', false],
    ['api.example.com:', 'https://api.example.com', false],
    ['user@api.example.com', 'https://api.example.com', false],
  ])('%s names the host of %s: %s', (hosts, url, isNamed) => {
    expect(isNamedHost(url, { env: { GATEWRIGHT_HOSTS: hosts } })).toBe(isNamed)
  })
})
