import { describe, expect, it } from 'vitest'
import { masking } from '../../src/secrets/mask.js'

const secret = `p"a/s&s <w'ö> + ü`

describe('a mask', () => {
  it.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['in JSON that JSON quotes', JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
    ['in a URL', encodeURIComponent(secret)],
    ['in a form', new URLSearchParams({ password: secret }).toString().slice('password='.length)],
    ['in HTML', 'p&quot;a/s&amp;s &lt;w&#39;ö&gt; + ü'],
    ['in HTML, the apostrophe as a hexadecimal number', 'p&quot;a/s&amp;s &lt;w&#x27;ö&gt; + ü'],
    ['in HTML, quotes as they are', `p"a/s&amp;s &lt;w'ö&gt; + ü`],
    ['in Base64', Buffer.from(secret).toString('base64').replace(/=+$/, '')],
    ['in Base64 for URLs', Buffer.from(secret).toString('base64url')],
  ])('hides a secret %s', (_, spelling) => {
    expect(masking([secret])(`before ${spelling} behind`)).toBe('before *** behind')
  })

  it('hides the longest first, also of those that it learns later', () => {
    const mask = masking(['secret'])
    mask.learn('secret-and-more', undefined)
    expect(mask('secret-and-more, secret')).toBe('***, ***')
  })

  it('leaves very short ones alone', () => {
    expect(masking(['abc', ''])('abc')).toBe('abc')
  })
})
