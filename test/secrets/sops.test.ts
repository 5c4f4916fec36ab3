import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { readSopsFile } from '../../src/manifest/sops-file.js'
import { ageKeysOf } from '../../src/secrets/age-keys.js'
import { type OpenSops, openSops } from '../../src/secrets/sops.js'
import { makeVault } from '../../src/secrets/vault.js'
import { sealedSops } from '../kit/sealed.js'

/** Files that the real programs wrote (test/fixtures/sops/README.md). */
const read = (name: string): string => readFileSync(join(import.meta.dirname, '../fixtures/sops', name), 'utf8')

const vaultWith = (key: string) =>
  makeVault(() => ageKeysOf({ env: { SOPS_AGE_KEY: key }, platform: 'linux', home: '', readText: () => undefined }))

const vault = vaultWith(read('keys.txt'))

/** The decrypted values of a text; the name of its file gives its format. */
async function opened(name: string, text = read(name), by = vault): Promise<OpenSops | { readonly is: 'unreadable' }> {
  const file = readSopsFile(name, text)
  if ('unreadable' in file) return { is: 'unreadable' }
  openSops(file, by.request)
  await by.open()
  return openSops(file, by.request)
}

/** The values of all three formats of clear.yaml. */
const yamlValues = {
  '/orders/password': 's3cret-of-the-backend',
  '/orders/port': '8443',
  '/orders/ratio': '0.25',
  '/orders/big': '123456789012',
  '/orders/enabled': 'true',
  '/orders/note_unencrypted': 'shown to everybody',
  '/orders/limit_unencrypted': '5',
  '/orders/tokens/0': 'first-token-value',
  '/orders/tokens/1': 'second-token-value',
  '/orders/multi': 'line one of the text\nline two of the text\n',
  '/other/password': 'another-s3cret',
  '/other/café~1x~0y': 'accent-value',
}

const texts = (result: Awaited<ReturnType<typeof opened>>): unknown =>
  result.is === 'open' ? Object.fromEntries([...result.values].filter(([, text]) => text !== undefined)) : result

describe('files that sops wrote', () => {
  it.each(['orders.enc.yaml', 'regex.enc.yaml', 'unencrypted-regex.enc.yaml', 'comment.enc.yaml'])(
    '%s can be decrypted',
    async (name) => {
      expect(texts(await opened(name))).toEqual(yamlValues)
    },
  )

  it('JSON can be decrypted, with its keys in their order whatever they are', async () => {
    expect(texts(await opened('orders.enc.json'))).toEqual({
      '/orders/password': 's3cret-of-the-backend',
      '/orders/port': '8443',
      '/orders/tokens/0': 'first-token-value',
      '/orders/tokens/1': 'second-token-value',
      '/orders/deep/a/b': 'deep-value',
      '/10': 'ten-value',
      '/2': 'two-value',
      '/flag': 'false',
      '/f': '1.5',
    })
  })

  it('.env can be decrypted', async () => {
    expect(texts(await opened('orders.enc.env'))).toEqual({
      '/ORDERS_PASSWORD': 's3cret-of-the-backend',
      '/ACME_KEY': 'acme-key-value',
      '/MULTI': 'one\ntwo',
    })
  })

  it('can be decrypted with merge keys, long literal numbers, and a pattern of Go that JavaScript lacks', async () => {
    expect(texts(await opened('odd.enc.yaml'))).toEqual({
      '/long': '1234567890123456789',
      '/zero': '-0',
      '/base/password': 's3cret-of-the-base',
      '/orders/<</password': 's3cret-of-the-base',
      '/orders/Password': 's3cret-of-the-orders',
    })
  })

  it('can be decrypted with comments, very small, very large and infinite numbers in a part that is in clear text', async () => {
    expect(texts(await opened('parts.enc.yaml'))).toEqual({
      '/orders/password': 's3cret-of-the-backend',
      '/limits_unencrypted/share': '1e-25',
      '/limits_unencrypted/most': '1e+25',
      '/limits_unencrypted/burst': 'Infinity',
      '/limits_unencrypted/drop': '-Infinity',
      '/limits_unencrypted/unknown': 'NaN',
      '/limits_unencrypted/steps/0': '0.5',
    })
  })

  it('with a MAC over only the encrypted values give only those', async () => {
    expect(texts(await opened('mac-only.enc.yaml'))).toEqual({
      '/orders/password': 's3cret-of-the-backend',
      '/other/password': 'another-s3cret',
    })
  })

  it('can be decrypted with the key of another recipient', async () => {
    expect((await opened('orders.enc.yaml', undefined, vaultWith(read('other-keys.txt')))).is).toBe('open')
  })

  it('cannot be decrypted with other keys, and the error says where keys were searched', async () => {
    const [strange, none] = [vaultWith(read('other-keys.txt')), vaultWith('')]
    expect(await opened('orders.enc.json', undefined, strange)).toEqual({
      is: 'closed',
      why: 'no age key opens it (SOPS_AGE_KEY, SOPS_AGE_KEY_FILE)',
    })
    expect(await opened('orders.enc.json', undefined, none)).toMatchObject({ is: 'closed' })
  })

  it('cannot be decrypted with keys of another type, or if there are several at once', async () => {
    expect(await opened('pgp.enc.yaml')).toEqual({ is: 'other keys', kinds: ['PGP'] })
    expect(await opened('groups.enc.yaml')).toEqual({ is: 'other keys', kinds: ['groups of keys'] })
  })

  it('are distinguished from files that sops did not write', async () => {
    expect((await opened('clear.yaml')).is).toBe('unreadable')
    expect((await opened('clear.json')).is).toBe('unreadable')
    expect((await opened('clear.env')).is).toBe('unreadable')
    expect((await opened('orders.ini', '[a]\nb=c')).is).toBe('unreadable')
    expect((await opened('orders.yaml', 'a: [')).is).toBe('unreadable')
  })
})

/** One change of a file that sops wrote, and the reported line. */
interface Tampering {
  readonly what: string
  readonly name: string
  readonly change: (text: string) => string
  /** A part of the reported line, as it is after the change. */
  readonly blamed: string
}

const mac = { yaml: '    mac: ', json: '"mac": ', env: 'sops_mac=' }

/** Swaps two lines. */
function swapped(text: string, one: RegExp, other: RegExp): string {
  const lines = text.split('\n')
  const [first, second] = [one, other].map((each) => lines.findIndex((line) => each.test(line)))
  if (first === undefined || second === undefined || first < 0 || second < 0) throw new Error('no such line')
  const [a = '', b = ''] = [lines[first], lines[second]]
  lines[first] = b
  lines[second] = a
  return lines.join('\n')
}

/** The first character of the data after a word, replaced by another one. */
const flipped = (text: string, word: string): string =>
  text.replace(
    new RegExp(`(${word}ENC\\[AES256_GCM,data:)(.)`),
    (_, before: string, sign: string) => before + (sign === 'A' ? 'B' : 'A'),
  )

const tamperings: readonly Tampering[] = [
  { what: 'a value', name: 'orders.enc.yaml', change: (text) => flipped(text, 'port: '), blamed: '    port:' },
  {
    what: 'a value, replaced by that of another key',
    name: 'orders.enc.yaml',
    change: (text) => text.replace(/( {4}password: ).*(\n {4}caf)/, `$1${/ {4}port: (.*)/.exec(text)?.[1]}$2`),
    blamed: '    password: ENC[AES256_GCM,data:eURN',
  },
  {
    what: 'a value, replaced by a literal one',
    name: 'orders.enc.yaml',
    change: (text) => text.replace(/(orders:\n.*\n {4}password: ).*/, '$1mine'),
    blamed: '    password: mine',
  },
  {
    what: 'a literal value',
    name: 'orders.enc.yaml',
    change: (text) => text.replace('shown to everybody', 'shown to nobody'),
    blamed: mac.yaml,
  },
  {
    what: 'a literal value, removed',
    name: 'orders.enc.yaml',
    change: (text) => text.replace(/ {4}limit_unencrypted.*\n/, ''),
    blamed: mac.yaml,
  },
  {
    what: 'an encrypted value, removed',
    name: 'orders.enc.yaml',
    change: (text) => text.replace(/ {4}port: .*\n/, ''),
    blamed: mac.yaml,
  },
  {
    what: 'an encrypted value, emptied',
    name: 'orders.enc.yaml',
    change: (text) => text.replace(/( {4}port: ).*/, '$1""'),
    blamed: mac.yaml,
  },
  {
    what: 'a key',
    name: 'orders.enc.yaml',
    change: (text) => text.replace('    port:', '    gate:'),
    blamed: '    gate:',
  },
  {
    what: 'a key with nested values',
    name: 'orders.enc.yaml',
    change: (text) => text.replace('\nother:', '\nothers:'),
    blamed: '    password: ENC[AES256_GCM,data:hqhu',
  },
  {
    what: 'the order of keys',
    name: 'orders.enc.yaml',
    change: (text) => swapped(text, /^ {4}port:/, /^ {4}ratio:/),
    blamed: mac.yaml,
  },
  {
    what: 'the order of a list',
    name: 'orders.enc.yaml',
    change: (text) => swapped(text, /^ +- .*XXHr/, /^ +- .*jA0n/),
    blamed: mac.yaml,
  },
  {
    what: 'a comment',
    name: 'orders.enc.yaml',
    change: (text) => flipped(text, '    #'),
    blamed: '    #ENC',
  },
  {
    what: 'a comment in a list',
    name: 'orders.enc.yaml',
    change: (text) => flipped(text, 'tokens:\n {8}- '),
    blamed: '        - ENC',
  },
  {
    what: 'a comment, replaced by a literal one',
    name: 'orders.enc.yaml',
    change: (text) => text.replace(/^#ENC.*/, '# mine'),
    blamed: '# mine',
  },
  { what: 'the MAC', name: 'orders.enc.yaml', change: (text) => flipped(text, 'mac: '), blamed: mac.yaml },
  {
    what: 'the MAC, removed',
    name: 'orders.enc.yaml',
    change: (text) => text.replace(/ {4}mac: .*\n/, ''),
    blamed: 'sops:',
  },
  {
    what: 'the MAC, emptied',
    name: 'orders.enc.yaml',
    change: (text) => text.replace(/( {4}mac: ).*/, '$1""'),
    blamed: mac.yaml,
  },
  {
    what: 'the time in the MAC',
    name: 'orders.enc.yaml',
    change: (text) => text.replace(/lastmodified: ".{4}/, 'lastmodified: "2027'),
    blamed: mac.yaml,
  },
  {
    what: 'the rule for what is encrypted',
    name: 'orders.enc.yaml',
    change: (text) => text.replace('unencrypted_suffix: _unencrypted', 'encrypted_regex: ^nothing$'),
    blamed: mac.yaml,
  },
  {
    what: 'the rule for what the MAC covers',
    name: 'orders.enc.yaml',
    change: (text) => text.replace('    pgp: []', '    mac_only_encrypted: true'),
    blamed: mac.yaml,
  },
  {
    what: 'a literal value, without a rule for what is encrypted',
    name: 'odd.enc.yaml',
    change: (text) => text.replace('123456789', '987654321'),
    blamed: mac.yaml,
  },
  {
    what: 'a value in JSON',
    name: 'orders.enc.json',
    change: (text) => flipped(text, '"b": "'),
    blamed: '"b":',
  },
  { what: 'a key in JSON', name: 'orders.enc.json', change: (text) => text.replace('"b":', '"c":'), blamed: '"c":' },
  {
    what: 'the order in JSON',
    name: 'orders.enc.json',
    change: (text) => swapped(text, /"10":/, /"2":/),
    blamed: mac.json,
  },
  {
    what: 'a value in .env',
    name: 'orders.enc.env',
    change: (text) => flipped(text, 'ACME_KEY='),
    blamed: 'ACME_KEY=',
  },
  {
    what: 'a key in .env',
    name: 'orders.enc.env',
    change: (text) => text.replace('\nACME_KEY', '\nOTHER_KEY'),
    blamed: 'OTHER_KEY=',
  },
  {
    what: 'the order in .env',
    name: 'orders.enc.env',
    change: (text) => swapped(text, /^ACME_KEY/, /^ORDERS_PASSWORD/),
    blamed: mac.env,
  },
  { what: 'a comment in .env', name: 'orders.enc.env', change: (text) => flipped(text, '#'), blamed: '#ENC' },
]

describe('a file of which only the values of one suffix are encrypted', () => {
  const values = { user_clear: 'shown-to-all', password_secret: 's3cret-of-the-backend' }

  it('can be decrypted', async () => {
    const text = await sealedSops(values, '_secret')
    expect(text).toContain(values.user_clear)
    expect(text).not.toContain(values.password_secret)
    expect(texts(await opened('suffix.json', text))).toEqual({
      '/user_clear': values.user_clear,
      '/password_secret': values.password_secret,
    })
  })

  it('is refused if somebody has written one of them in clear text, or changed another', async () => {
    const text = await sealedSops(values, '_secret')
    const clear = text.replace(/("password_secret": )"[^"]*"/, '$1"mine"')
    expect(await opened('suffix.json', clear)).toMatchObject({ is: 'tampered', line: 3 })
    expect(await opened('suffix.json', text.replace('shown-to-all', 'mine'))).toMatchObject({ is: 'tampered' })
  })
})

describe('a file in which somebody has changed', () => {
  it.each(tamperings.map((each) => [each.what, each] as const))(
    '%s is refused',
    async (_, { name, change, blamed }) => {
      const text = change(read(name))
      expect(text).not.toBe(read(name))
      const result = await opened(name, text)
      expect(result).toMatchObject({ is: 'tampered' })
      if (result.is !== 'tampered') return
      expect(text.split('\n')[result.line - 1]).toContain(blamed)
      for (const secret of Object.values(yamlValues).filter((text) => text.length > 5))
        expect(JSON.stringify(result)).not.toContain(secret)
    },
  )

  it('a changed data key is refused', async () => {
    const text = read('orders.enc.json').replace(
      'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSB',
      'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSC',
    )
    expect(['tampered', 'closed']).toContain((await opened('orders.enc.json', text)).is)
  })

  it('a change of any one character is refused, or changes no value', async () => {
    const whole = read('orders.enc.json')
    const before = texts(await opened('orders.enc.json'))
    const seen = new Set<string>()
    // Every seventh character is replaced, so each part of the file is tested.
    for (let at = 0; at < whole.length; at += 7) {
      const sign = whole[at] === 'x' ? 'y' : 'x'
      const result = await opened('orders.enc.json', whole.slice(0, at) + sign + whole.slice(at + 1))
      seen.add(result.is)
      if (result.is === 'open') expect(texts(result)).toEqual(before)
    }
    expect(seen).toContain('tampered')
  })
})

describe('the keys of age', () => {
  const keys = ['AGE-SECRET-KEY-1AAAA', 'AGE-SECRET-KEY-1BBBB', 'AGE-SECRET-KEY-PQ-1CCCC'] as const
  const [a, b, c] = keys
  const files: Readonly<Record<string, string>> = {
    '/named': `# created: today\n${b}\n`,
    '/users/jo/.config/sops/age/keys.txt': `${c}\r\n`,
    '/xdg/sops/age/keys.txt': c,
    '/users/jo/Library/Application Support/sops/age/keys.txt': c,
    'C:/jo/sops/age/keys.txt': c,
  }
  const of = (env: Readonly<Record<string, string>>, platform = 'linux', home = '/users/jo') =>
    ageKeysOf({ env, platform, home, readText: (path) => files[path] })

  it('are those of both variables and of the default file, wherever the system keeps it', () => {
    expect(of({ SOPS_AGE_KEY: a, SOPS_AGE_KEY_FILE: '/named' }).keys).toEqual([a, b, c])
    expect(of({ XDG_CONFIG_HOME: '/xdg' }, 'linux', '/nobody').keys).toEqual([c])
    expect(of({}, 'darwin').keys).toEqual([c])
    expect(of({ AppData: 'C:/jo' }, 'win32', '').keys).toEqual([c])
    expect(of({}, 'linux', '').keys).toEqual([])
  })

  it('are missing if another variable is set, and the message names the searched variables without their values', () => {
    const searched = (env: Readonly<Record<string, string>>) => of(env, 'linux', '').searched
    expect(searched({ SOPS_AGE_KEY: 'garbage' })).toBe(
      'SOPS_AGE_KEY, SOPS_AGE_KEY_FILE; SOPS_AGE_KEY is set, and holds no age key',
    )
    expect(searched({ SOPS_AGE_KEY: a, SOPS_AGE_KEY_FILE: '/nope' })).toBe(
      'SOPS_AGE_KEY, SOPS_AGE_KEY_FILE; the file of SOPS_AGE_KEY_FILE cannot be read',
    )
    expect(
      ageKeysOf({ env: { SOPS_AGE_KEY_FILE: '/other' }, platform: 'linux', home: '', readText: () => 'x' }).searched,
    ).toContain('; the file of SOPS_AGE_KEY_FILE holds no age key')
  })

  it('never come from a program', () => {
    expect(of({ SOPS_AGE_KEY_CMD: 'never-run' }, 'linux', '').searched).toBe(
      'SOPS_AGE_KEY, SOPS_AGE_KEY_FILE; SOPS_AGE_KEY_CMD is not run',
    )
  })
})

describe('a text that age encrypted', () => {
  let opens: (sealed: string) => ReturnType<typeof vault.request>
  const binary = readFileSync(join(import.meta.dirname, '../fixtures/sops/inline.age')).toString('base64')
  beforeAll(async () => {
    for (const sealed of [binary, read('inline-two.age.txt'), 'nonsense', `${binary.slice(0, -8)}AAAAAAA=`]) {
      vault.request(sealed)
    }
    await vault.open()
    opens = vault.request
  })

  it('can be decrypted in Base64 and in its armour', () => {
    for (const sealed of [binary, read('inline-two.age.txt')]) {
      const result = opens(sealed)
      expect(result.is === 'opened' && Buffer.from(result.bytes).toString()).toBe('s3cret-of-the-backend')
    }
  })

  it('is refused if it was changed, or was never encrypted with age', () => {
    expect(opens('nonsense')).toEqual({ is: 'broken' })
    expect(opens(`${binary.slice(0, -8)}AAAAAAA=`)).toEqual({ is: 'broken' })
  })
})
