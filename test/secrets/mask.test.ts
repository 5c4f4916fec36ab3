import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holdsSecret, masking } from '../../src/secrets/mask.js'
import { maskedBody, maskedRefusal } from '../../src/secrets/masked-body.js'

const secret = `p"a/s&s <w'ö> + ü`

const quoted = (text: string): string => JSON.stringify(text).slice(1, -1)

const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

describe('a mask', () => {
  it.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['in JSON with JSON in it', JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
    ['in a URL', encodeURIComponent(secret)],
    ['in a form', new URLSearchParams({ password: secret }).toString().slice('password='.length)],
    ['in JSON in a URL', encodeURIComponent(JSON.stringify(secret).slice(1, -1))],
    ['in JSON in HTML', 'p\\&quot;a/s&amp;s &lt;w&#39;ö&gt; + ü'],
    ['in HTML', 'p&quot;a/s&amp;s &lt;w&#39;ö&gt; + ü'],
    ['in HTML, the apostrophe as a hexadecimal number', 'p&quot;a/s&amp;s &lt;w&#x27;ö&gt; + ü'],
    ['in HTML, both quotes as numbers', 'p&#34;a/s&amp;s &lt;w&#39;ö&gt; + ü'],
    ['in XML', `p"a/s&amp;s &lt;w'ö> + ü`],
    ['in HTML, quotes as they are', `p"a/s&amp;s &lt;w'ö&gt; + ü`],
    ['in HTML of Tomcat', 'p&quot;a&#47;s&amp;s &lt;w&#39;ö&gt; + ü'],
    ['in HTML of Mustache', 'p&quot;a&#x2F;s&amp;s &lt;w&#39;ö&gt; + ü'],
    ['in HTML of .NET', 'p&quot;a/s&amp;s &lt;w&#39;&#246;&gt; + &#252;'],
    ['in HTML of ASP.NET', 'p&quot;a/s&amp;s &lt;w&#x27;&#xF6;&gt; &#x2B; &#xFC;'],
    ['in HTML of ESAPI', 'p&quot;a&#x2f;s&amp;s &lt;w&#x27;&#xf6;&gt; &#x2b; &#xfc;'],
    ['in JSON in HTML of Tomcat', 'p\\&quot;a&#47;s&amp;s &lt;w&#39;ö&gt; + ü'],
    ['in XML in ASCII', `p"a/s&amp;s &lt;w'&#246;> + &#252;`],
    ['in HTML, letters by their names', 'p&quot;a/s&amp;s &lt;w&apos;&ouml;&gt; + &uuml;'],
    ['in HTML, punctuation by its names', 'p&quot;a&sol;s&amp;s&nbsp;&lt;w&apos;&ouml;&gt;&nbsp;&plus;&nbsp;&uuml;'],
    ['in HTML in HTML', 'p&amp;quot;a/s&amp;amp;s &amp;lt;w&amp;#39;ö&amp;gt; + ü'],
    ['in a URL in a URL', encodeURIComponent(encodeURIComponent(secret))],
    ['in a form in a URL', encodeURIComponent(new URLSearchParams([['', secret]]).toString().slice(1))],
    ['in a URL, the digits in mixed case', encodeURIComponent(secret).replace('%2F', '%2f')],
    ['in a URL, every byte', Buffer.from(secret).toString('hex').replaceAll(/../g, '%$&')],
    ['in a URL in Latin-1', Buffer.from(secret, 'latin1').toString('hex').replaceAll(/../g, '%$&')],
    ['in a URL in UTF-16', secret.replaceAll(/./g, (sign) => escaped(sign).replace('\\', '%'))],
    ['in a script', secret.replaceAll(/./g, (sign) => `\\u{${sign.charCodeAt(0).toString(16)}}`)],
    ['in HTML, every sign as a number', secret.replaceAll(/./g, (sign) => `&#${sign.charCodeAt(0)};`)],
    ['in HTML, numbers without an end', secret.replaceAll(/./g, (sign) => `&#${sign.charCodeAt(0)}`)],
    ['in Latin-1 in hex', Buffer.from(secret, 'latin1').toString('hex')],
    ['in Latin-1 in Base64', Buffer.from(secret, 'latin1').toString('base64').replace(/=+$/, '')],
    ['in JSON in JSON in JSON', quoted(quoted(quoted(secret)))],
    ['in Base64 in a URL', encodeURIComponent(Buffer.from(secret).toString('base64').replace(/=+$/, ''))],
    ['in a header', Buffer.from(secret).toString('latin1')],
    ['in hex', Buffer.from(secret).toString('hex')],
    ['in hex, in capitals', Buffer.from(secret).toString('hex').toUpperCase()],
    ['in Base64', Buffer.from(secret).toString('base64').replace(/=+$/, '')],
    ['in Base64 for URLs', Buffer.from(secret).toString('base64url')],
  ])('hides a secret %s', (_, spelling) => {
    expect(masking([secret])(`before ${spelling} behind`)).toBe('before *** behind')
  })

  it.each([
    ['within a word', 'canary\n    -key of'],
    ['at a blank', 'canary-key\r\n  of'],
  ])('hides in a refusal a secret that was wrapped %s', (_, text) => {
    expect(masking(['canary-key of']).cutOff(`before ${text} behind`)).toBe('before *** behind')
  })

  const inHex = (text: string, between: string, form: BufferEncoding = 'utf8') =>
    (Buffer.from(text, form).toString('hex').match(/../g) ?? []).join(between)
  const inBase64 = (text: string, form: BufferEncoding = 'utf8') => Buffer.from(text, form).toString('base64')
  it.each([
    ['in hex with colons', inHex(secret, ':')],
    ['in hex with blanks', inHex(secret, ' ')],
    ['in hex with hyphens, in capitals', inHex(secret, '-').toUpperCase()],
    ['in hex with prefixes', `0x${inHex(secret, ', 0x')}`],
    ['in hex of both cases', inHex(secret, '').replace('c', 'C')],
    ['in Quoted-Printable', inHex(secret, '=')],
    ['in UTF-16 in hex', inHex(secret, '', 'utf16le')],
    ['in UTF-16 in Base64', inBase64(secret, 'utf16le')],
    ['in Base64 in Base64', inBase64(inBase64(secret))],
    ['in a login in Base64', inBase64(`Basic ${inBase64(`user:${secret}`)}`)],
    ['in hex in Base64', inBase64(inHex(secret, ''))],
    ['in Base64 in hex', inHex(inBase64(secret), '')],
    ['in Base64 in Base64 behind other characters', `field-x/${inBase64(inBase64(secret))}`],
  ])('hides in a refusal a secret %s', (_, spelling) => {
    expect(masking([secret]).cutOff(`before (${spelling}) behind`)).toMatch(/^before \(\*\*\*=*\) behind$/)
  })

  it('hides in a refusal a secret in Base64 behind text that may be hex', () => {
    const text = `code: 400, ${inBase64('hidden-canary', 'utf16le')}`
    expect(masking(['hidden-canary']).cutOff(text)).toMatch(/^code: 400, \*\*\*=*$/)
  })

  it('leaves bytes in a refusal that hold no secret', () => {
    const text = `id 5f1d7a3e-aaaa-bbbb-cccc-1234567890ab, ${inHex('harmless', ':')} ${inBase64('harmless', 'utf16le')}`
    expect(masking([secret, 'face']).cutOff(text)).toBe(text)
  })

  it('hides the beginning of a secret before a code that was cut off', () => {
    for (const end of ['', '&', '&qu', '%', '%2', '%u00', '\\', '\\u00', '\\u{2'])
      expect(masking(['abcd"/efgh']).cutOff(`before abcd${end}`)).toMatch(/^before \*\*\*/)
  })

  it('leaves codes as they are written', () => {
    const text = '100%25 &amp; &bogus; &#x7fffffff; \\u00e4 %zz \\'
    expect(masking([secret])(text)).toBe(text)
    expect(masking([secret])(`${text} ${secret}`)).toBe(`${text} ***`)
  })

  it('hides a login that is Latin-1 in Base64', () => {
    const login = Buffer.from(`user:${secret}`, 'latin1').toString('base64')
    const [before = '', after = ''] = masking([secret])(login).split('***')
    expect(Buffer.from(before, 'base64').toString('latin1')).toBe('user:')
    // The last sign does not belong only to the secret.
    expect(after.replace(/=+$/, '').length).toBeLessThan(2)
  })

  it('hides nothing that has only the last bytes of the letters of a secret', () => {
    const text = 'the id is 00000000-0000-0000-0000-000000000000'
    expect(masking(['一一一一'])(text)).toBe(text)
  })

  const bodies = {
    'as it is': secret,
    'in JSON': JSON.stringify({ s: secret }),
    'in JSON with escaped slashes': JSON.stringify({ s: secret }).replaceAll('/', '\\/'),
    'in JSON within ASCII': JSON.stringify({ s: secret }).replaceAll(/[^ -~]/g, escaped),
    'in a URL': `/${encodeURIComponent(secret)}?`,
    'in a form': new URLSearchParams({ s: secret, t: '1' }).toString(),
  }
  const wholeBodies = Object.entries(bodies).flatMap(([spelling, body]) =>
    ['', 'x', 'xx'].flatMap((before) =>
      (['base64', 'base64url'] as const).map((form) => [spelling, before.length, form, body, before] as const),
    ),
  )
  it.each(wholeBodies)(
    'hides a secret %s in a whole body, %i bytes after the start, in %s',
    (_, __, form, body, before) => {
      const text = masking([secret])(Buffer.from(before + body).toString(form))
      expect(text).toContain('***')
      // All signs except those at both ends, which belong to the neighbours as well.
      const shown = text
        .split('***')
        .map((part) => Buffer.from(part, form).toString('latin1'))
        .join('')
      expect(shown).not.toMatch(/a.?s|w'|u00|C3|%3C|%C3/)
      expect(text.length).toBeLessThan(40)
    },
  )

  const signs = [...`abc019-_.~!*'()/+&<>"\\= %é`, '\u2028', '\u{1f600}', '\ud83d', '\u0130', 'e\u0301']
  const inForm = (text: string): string => encodeURIComponent(Buffer.from(text).toString()).replaceAll('%20', '+')
  const encodedSign = (sign: string): string => `%${sign.charCodeAt(0).toString(16)}`
  const drawn = fc.array(fc.constantFrom(...signs), { minLength: 4, maxLength: 9 }).map((each) => each.join(''))
  const written: readonly ((text: string) => string)[] = [
    (text) => text,
    quoted,
    (text) => quoted(quoted(text)),
    (text) => quoted(text).replaceAll('/', '\\/'),
    (text) => quoted(text).replaceAll(/[^ -~]|[<>&'/]/g, escaped),
    (text) => new URLSearchParams([['', text]]).toString().slice(1),
    // Forms as Python, Go and PHP write them.
    (text) => inForm(text).replaceAll(/[!'()*]/g, (sign) => encodedSign(sign)),
    (text) => inForm(text).replaceAll(/[!'()*~]/g, (sign) => encodedSign(sign)),
    (text) => encodeURIComponent(Buffer.from(quoted(text)).toString()).toLowerCase(),
    (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&#x27;').replaceAll('"', '&quot;'),
    (text) => Buffer.from(new URLSearchParams([['', text]]).toString().slice(1)).toString('base64url'),
    (text) =>
      Buffer.from(`x${quoted(text)}`)
        .toString('base64')
        .slice(2)
        .replace(/.?=+$/, ''),
    (text) => Buffer.from(`xx${text}`).toString('base64').slice(3).replace(/.?=+$/, ''),
  ]

  it('hides a secret with any beginning, in any spelling that is found first', () => {
    const property = fc.property(drawn, fc.constantFrom(...written), (text, write) => {
      const spelling = write(text)
      expect(masking([text])(`: ${spelling} :`)).toBe(': *** :')
    })
    fc.assert(property, { numRuns: 500 })
  })

  it('hides a secret in two nested codes, even if it contains codes itself', () => {
    const codes = [
      quoted,
      encodeURIComponent,
      (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&#x27;'),
      (text: string) => text.replaceAll(/[^\w ]/gu, (sign) => `&#${sign.codePointAt(0)};`),
    ]
    const parts = fc.array(fc.constantFrom(...signs, '%41', '&amp;', '\\u0041', '\\n'), { minLength: 8, maxLength: 12 })
    const wellFormed = parts.map((each) => Buffer.from(each.join('')).toString())
    const property = fc.property(
      wellFormed,
      fc.constantFrom(...codes),
      fc.constantFrom(...codes),
      (text, one, other) => {
        expect(masking([text])(`: ${other(one(text))} :`)).toBe(': *** :')
      },
    )
    fc.assert(property, { numRuns: 500 })
  })

  it('treats a pair of surrogates as one sign', () => {
    const text = 'abc\u{1f600}def'
    for (const write of written) expect(masking([text])(`: ${write(text)} :`)).toBe(': *** :')
  })

  it('distinguishes hundreds of secrets with the same beginning', () => {
    const many = Array.from({ length: 300 }, (_, index) => `gate_"ö/${index}-${index * 7919}`)
    expect(masking(many)(JSON.stringify(many))).not.toContain('gate')
  })

  it('hides the beginning of a secret at the end of a body that was cut off', () => {
    const mask = masking([secret, 'another'])
    expect(maskedBody(JSON.stringify({ name: 'a', text: secret }).slice(0, -6), mask)).toBe('{"name":"a","text":"***')
    expect(maskedBody('{"name":"anoth', mask)).toBe('{"name":"***')
    expect(maskedBody('{"name":"and', mask)).toBe('{"name":"and')
  })

  it('hides the secret fields of a body that was cut off anywhere', () => {
    const mask = masking([])
    const keys = [
      { id: '1', apikey: 'live "one', secret: 'live\\two', limits: [{ period: 'day' }] },
      { access_token: 'live three', expires_in: 3600, passwdNew: 4711, name: 'Key' },
    ]
    const whole = JSON.stringify(keys)
    for (let end = 0; end < whole.length; end += 1) {
      expect(maskedBody(whole.slice(0, end), mask)).not.toMatch(/live|4711|one|two|three/)
    }
    expect(maskedBody(whole.slice(0, -1), mask)).toBe(
      '[{"id":"1","apikey":"***","secret":"***","limits":[{"period":"day"}]},' +
        '{"access_token":"***","expires_in":3600,"passwdNew":"***","name":"Key"}',
    )
  })

  it('hides a secret field of several values whatever was cut off', () => {
    const mask = masking([])
    mask.fields.add('hosts')
    const whole = JSON.stringify({ name: 'a', hosts: [{ of: 'live one' }, 'live two'] })
    for (let end = 0; end < whole.length; end += 1) expect(maskedBody(whole.slice(0, end), mask)).not.toMatch(/live/)
  })

  it('hides the secret fields of a long body that was cut off', () => {
    const long = 'x'.repeat(10_000_000)
    expect(maskedBody(`[{"secret":"live","name":"${long}`, masking([])) === `[{"secret":"***","name":"${long}`).toBe(
      true,
    )
  })

  // If the time grew with the square of the length, this would take an hour, and be stopped.
  it('hides the secret fields of a body with millions of quotes that was cut off', () => {
    const quotes = '\\"'.repeat(2_000_000)
    const shown = maskedBody(`["${quotes}",{"secret":"${quotes}`, masking([]))
    expect(shown === `["${quotes}",{"secret":"***"`).toBe(true)
  })

  it('hides in a refusal the beginning of a secret that a platform displays', () => {
    const mask = masking(['canary-password', 'canary-key', 'x'.repeat(300)])
    const refusal = {
      errorMessage: `canary-pas… is no good, nor is canary, nor ${'x'.repeat(255)}`,
      text: 'ends in cana',
    }
    expect(JSON.parse(maskedRefusal(JSON.stringify(refusal), mask))).toEqual({
      errorMessage: '***… is no good, nor is canary, nor ***',
      text: 'ends in ***',
    })
    expect(mask.cutOff('no canary-words, canary-keys')).toBe('no canary-words, ***s')
  })

  it('hides in a refusal a secret written in letters of one case, and nowhere else', () => {
    const mask = masking(['Canary-Host'])
    expect(mask.cutOff('no CANARY-HOST.example, no canary-host')).toBe('no ***.example, no ***')
    mask.learn('Other-Word')
    expect(mask.cutOff('other-word')).toBe('***')
    expect(mask('canary-host')).toBe('canary-host')
  })

  it('hides both ways in which Unicode writes a letter', () => {
    const [composed, decomposed] = ['canary-\u00e9', 'canary-e\u0301']
    for (const secret of [composed, decomposed]) {
      expect(masking([secret])(`${composed}, ${decomposed}`)).toBe('***, ***')
    }
  })

  it('hides the longest secret first, also if it is added later', () => {
    const mask = masking(['secret'])
    mask.learn('secret-and-more', undefined)
    expect(mask('secret-and-more, secret')).toBe('***, ***')
  })

  it('does not hide very short ones', () => {
    expect(masking(['abc', ''])('abc')).toBe('abc')
  })
})

it('a secret that is a number is found at the same depth as a text', () => {
  const mask = masking(['635241'])
  for (const value of [635241, [null, 635241], { limits: [{ ceiling: 635241 }] }]) {
    expect(holdsSecret(value, mask)).toBe(true)
  }
  expect(holdsSecret([63524, { ceiling: 0 }], mask)).toBe(false)
})
