import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isFieldOfParent, kinds } from '../../src/catalog/queries.js'
import { shapes } from '../../src/catalog/shapes.js'
import type { FieldType } from '../../src/catalog/types.js'
import { groupBy } from '../../src/json/groups.js'
import type { Json } from '../../src/json/json.js'
import { git, gitHost } from '../kit/git.js'
import { manifestText } from '../kit/manifests.js'
import { dropDatabase, freshDatabase, onServer, postgresServer } from '../kit/postgres.js'
import { restOf } from '../kit/rest.js'
import { ageKey, sealedAge, sealedSops } from '../kit/sealed.js'
import { environment, type Make, testClock, type World, world, worldIn } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'
import { allObjects, areas, type Desired, type DrawnArea, manifestsOf } from './area.js'
import { drawnFields } from './drawn.js'
import { platform, runs } from './within.js'

/**
 * Values that manifests take from the environment occur nowhere: every text field of every kind except names, every command and
 * output format, a platform that repeats refused requests, logs, plan files, records, snapshots, exports.
 */

/** Possible places of a secret: alone or inside longer text, in fields, members, maps and lists. */
const manifests = `apiVersion: gatewright/v1
kind: Domain
metadata: {name: example.com}
---
apiVersion: gatewright/v1
kind: Role
metadata: {name: Partners}
spec: {description: "by \${env:ROLE_TEXT}"}
---
apiVersion: gatewright/v1
kind: Service
metadata: {name: Orders}
spec:
  description: "key=\${env:SERVICE_TEXT};"
  version: "\${env:VERSION}"
  roles: [{name: Partners, action: read}]
  errorSets:
    - name: problem
      type: text/json
      errorMessages: [{id: ERR_403_DEVELOPER_OVER_QPS, status: "no \${env:STATUS}", responseBody: "\${env:BODY}"}]
  endpoints:
    - name: orders
      requestPathAlias: /orders
      trafficManagerDomain: api.example.com
      publicDomains: [api.example.com]
      systemDomains: ["a.example.com"]
      outboundRequestTargetQueryParameters: "token=\${env:QUERY}"
      headersToExcludeFromIncomingCall: ["x-\${env:HEADER}", x-plain]
      processor:
        adapter: com.example.AddHeader
        preProcessEnabled: true
        preInputs: {authorization: "Bearer \${env:BEARER}", depth: "2"}
      systemDomainAuthentication: {type: httpBasic, username: "\${env:LOGIN}", password: "\${env:PASSWORD}"}
      cors: {maxAge: 60, headersAllowed: ["x-\${env:CORS}"]}
      methods: [{name: list, sampleJsonResponse: '{"a": "\${env:SAMPLE}"}'}]
---
apiVersion: gatewright/v1
kind: Package
metadata: {name: Gold}
spec:
  description: "\${env:PACKAGE}"
  eav: {contact: "\${env:EAV}"}
  plans: [{name: Basic, description: "x\${env:PLAN}", services: [{name: Orders, endpoints: "*"}]}]
---
apiVersion: gatewright/v1
kind: Member
metadata: {name: dev}
spec:
  email: "\${env:MAIL}"
  displayName: "D \${env:DISPLAY}"
  externalId: "\${env:EXTERNAL}"
  passwdNew: "\${env:MEMBER}"
  roles: [Partners]
  applications:
    - name: Shop
      description: "\${env:APP}"
      packageKeys: [{package: Gold, plan: Basic, apikey: "\${env:APIKEY}", secret: "\${env:KEYSECRET}"}]
`

const names = [...new Set([...manifests.matchAll(/\$\{env:(\w+)\}/g)].map(([, name = '']) => name))]

const sign = fc.constantFrom(...`abcXYZ019-_.~!*'()/+&<>"\\= %é`.split(''))

/** A secret that no other text of the test contains by chance. */
const secret = fc.array(sign, { minLength: 8, maxLength: 24 }).map((signs) => `q7${signs.join('')}7q`)

const several = fc.tuple(secret, secret).map((lines) => lines.join('\n'))

const environmentOf = fc
  .tuple(...names.map(() => fc.oneof({ weight: 6, arbitrary: secret }, { weight: 1, arbitrary: several })))
  .map((values) => Object.fromEntries(names.map((name, index) => [name, values[index] ?? ''])))
  // Headers and addresses may only contain allowed signs.
  .map((env): Record<string, string> => ({ ...env, HEADER: env.HEADER?.replaceAll(/[^\w-]/g, '') ?? '' }))

/** Refuses every write and answers with the whole request, in the spellings of JSON, HTML, URLs and Base64. */
const echoing = (make: Make): Make => ({
  log: make.log,
  fetch: async (request) => {
    if (request.method === 'GET' || request.url.endsWith('/token')) return make.fetch(request)
    const body = await request.text()
    const authorization = request.headers.get('authorization') ?? ''
    const inBase64 = Buffer.from(`x${body}`).toString('base64')
    const message = `${body} ${encodeURIComponent(body)} ${inBase64} ${authorization}`
    const errors = [{ property: `x.${body}`, message: body.replaceAll('<', '&lt;') }]
    return Response.json({ errorCode: 400, errorMessage: message, errors }, { status: 400 })
  },
})

/**
 * Loses requests, or carries them out and loses the answer: of four writes, one is answered as a success, one by an error that
 * repeats it, one breaks off in the middle, one is not done; some answers to reads end in the middle.
 */
function failing(make: Make): Make {
  let reads = 0
  let writes = 0
  return {
    log: make.log,
    fetch: async (request) => {
      if (request.url.endsWith('/token')) return make.fetch(request)
      if (request.method === 'GET') {
        reads += 1
        return reads % 7 === 0 ? cutOff(await make.fetch(request)) : make.fetch(request)
      }
      writes += 1
      const body = await request.clone().text()
      if (writes % 4 === 0) return cutOff(new Response(`<p>${inHtml(body)}${inHtml(body)}`, { status: 503 }))
      const answer = await make.fetch(request)
      if (writes % 4 === 1) return answer
      if (writes % 4 === 3) return cutOff(answer)
      const error = {
        message: body,
        request: encodeURIComponent(body),
        raw: Buffer.from(encodeURI(body)).toString('base64'),
      }
      return Response.json({ error }, { status: 500 })
    },
  }
}

async function cutOff(answer: Response): Promise<Response> {
  const text = await answer.text()
  const headers = new Headers(answer.headers)
  headers.delete('content-length')
  return new Response(text.slice(0, Math.ceil(text.length / 2)) || null, { status: answer.status, headers })
}

/** In Base64, at any offset in a longer text. */
const alignedIn = (text: string): readonly string[] =>
  [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
      .toString('base64')
      .slice(before === 0 ? 0 : 4, -4),
  )

const inHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

function spellingsOf(text: string): readonly string[] {
  const quoted = JSON.stringify(text).slice(1, -1)
  return [
    text,
    quoted,
    ...[text, quoted].flatMap((each) => [encodeURIComponent(each), inHtml(each), ...alignedIn(each)]),
  ]
}

const commands: readonly (readonly string[])[] = [
  ['validate'],
  ['validate', '-o', 'json'],
  ['plan', '--debug'],
  ['plan', '-o', 'json', '--out', 'plan.json'],
  [
    'plan',
    '-o',
    'markdown',
    '--report',
    'html=plan.html',
    '--report',
    'junit=plan.xml',
    '--report',
    'json=plan-report.json',
  ],
  ['drift'],
  ['drift', '-o', 'json'],
  [
    'drift',
    '-o',
    'markdown',
    '--report',
    'html=drift.html',
    '--report',
    'junit=drift.xml',
    '--report',
    'sarif=drift.sarif',
  ],
  [
    'apply',
    '--yes',
    '--allow',
    'IRREVERSIBLE',
    '--debug',
    '--report',
    'junit=apply.xml',
    '--report',
    'html=apply.html',
  ],
  ['apply', '--yes', '-o', 'json'],
  ['history'],
  ['show', 'latest'],
  ['show', 'latest', '-o', 'json'],
  ['get', 'Service'],
  ['get', 'Endpoint', '-o', 'json'],
  ['get', 'Endpoint', '-o', 'yaml'],
  ['get', 'Member', '-o', 'json'],
  ['snapshot', '--out', 'area.json'],
  ['plan', '--snapshot', 'area.json'],
  ['diff', 'live', 'manifests'],
  ['diff', 'area.json', 'live', '-o', 'json'],
  ['export', '--dir', 'exported', '--full'],
  ['export', '--dir', 'manifests', '-o', 'json'],
]

/** All output of the commands, and all their files on the disk. */
async function traces(there: World, env: Readonly<Record<string, string>>): Promise<string> {
  const said: string[] = []
  for (const command of commands) {
    const online = command[0] === 'validate' || command[0] === 'history' || command[0] === 'show' ? [] : log
    const run = await there.run([...command, ...online], { env: { ...environment, ...env } })
    said.push(`$ ${command.join(' ')}`, run.stdout, run.stderr)
  }
  return [...said, ...textsBelow(there.dir)].join('\n')
}

const log = ['--log-http', 'http.jsonl']

function textsBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), 'utf8')}`)
}

/** A secret that occurs, in any spelling, with the text around it. */
function leakIn(text: string, env: Readonly<Record<string, string>>): string | undefined {
  const names = namesOfSpellings(env)
  // Many spellings begin alike: the text is searched for their common beginnings.
  for (const [beginning, spellings] of groupBy(names.keys(), (spelling) => spelling.slice(0, 4))) {
    for (let at = text.indexOf(beginning); at !== -1; at = text.indexOf(beginning, at + 1)) {
      const found = spellings.find((spelling) => text.startsWith(spelling, at))
      if (found) return `${names.get(found)}: ${text.slice(Math.max(0, at - 160), at + found.length + 40)}`
    }
  }
  return undefined
}

function namesOfSpellings(env: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const [name, value] of Object.entries(env)) {
    // Its beginning is cut off after it.
    for (const part of new Set([value, value.slice(0, 10), ...value.split('\n')])) {
      for (const spelling of spellingsOf(part)) if (spelling.length >= 8) names.set(spelling, name)
    }
  }
  return names
}

const makes: readonly (readonly [string, 'applied' | 'refused' | 'in part', () => Make])[] = [
  ['the embedded platform', 'applied', () => platform()],
  ['a platform that repeats refused requests', 'refused', () => echoing(platform())],
  ['a platform that fails, and repeats lost requests', 'in part', () => failing(platform())],
  ['a recorded platform', 'applied', () => platform({ dialect: 'recorded' })],
  ['another make', 'applied', () => createOtherMake()],
]

/** Keeps the bodies of the requests. */
const listening = (make: Make, sent: string[]): Make => ({
  log: make.log,
  fetch: async (request) => {
    sent.push(await request.clone().text())
    return make.fetch(request)
  },
})

/** The variables whose values were not sent to a platform. */
const notSent = (env: Readonly<Record<string, string>>, sent: readonly string[]): readonly string[] => {
  const bodies = sent.join('\n')
  return Object.keys(env).filter((name) => !bodies.includes(JSON.stringify(env[name]).slice(1, -1)))
}

const fieldMakes = makes.slice(0, 3)

/** Areas with an object of every kind of the document that manifests can create. */
const fullAreas = areas('known').filter((area) => {
  const drawn = new Set(allObjects(area).map(({ kind }) => kind.name))
  return writableKinds.every((kind) => drawn.has(kind))
})

const writableKinds = kinds
  .filter((kind) => kind.origin === 'document' && kind.blocked.create === undefined)
  .filter((kind) => kind.association === undefined && !isFieldOfParent(kind))
  .map((kind) => kind.name)

/** Puts a separate placeholder into every text of every object; returns the variables. */
function tainted(area: DrawnArea, secrets: readonly string[]): Record<string, string> {
  const env: Record<string, string> = { ...area.env }
  const seen = new Set<string>()
  const placeholder = (object: Desired, name: string): string => {
    const first = `SECRET_${object.kind.name}_${name}`
    const variable = seen.has(first) ? `${first}_${seen.size}` : first
    seen.add(variable)
    env[variable] = `${secrets[seen.size % secrets.length] ?? ''}${seen.size}q7`
    return `\${env:${variable}}`
  }
  for (const object of allObjects(area)) {
    for (const field of drawnFields(object.kind, 'known')) {
      const value = taintedValue(field.type, (name) => placeholder(object, `${field.name}${name}`))
      if (value !== undefined) object.fields[field.name] = value
    }
  }
  const text = manifestText(manifestsOf(area))
  return Object.fromEntries(Object.entries(env).filter(([name]) => text.includes(`{env:${name}}`)))
}

/** A value of that type with placeholders in its texts; undefined if it cannot contain a text. */
function taintedValue(type: FieldType, placeholder: (name: string) => string): Json | undefined {
  switch (type.is) {
    case 'string':
      return type.isHost ? undefined : placeholder('')
    case 'list': {
      const item = taintedValue(type.of, placeholder)
      return item === undefined ? undefined : [item]
    }
    case 'map':
      return { one: placeholder('_one'), two: placeholder('_two') }
    case 'shape': {
      const members = Object.entries(shapes[type.shape])
        // Shapes that contain themselves would never end.
        .filter(([, member]) => !(member.type.is === 'list' && member.type.of.is === 'shape'))
        .flatMap(([name, member]): [string, Json][] => {
          const value = taintedValue(member.type, (inner) => placeholder(`_${name}${inner}`))
          return value === undefined ? [] : [[name, value]]
        })
      return members.length === 0 ? undefined : Object.fromEntries(members)
    }
    default:
      return undefined
  }
}

/** The descriptions of the services, read without the program, which hides them. */
const descriptionsIn = async (make: Make): Promise<string> =>
  (await (await restOf(make)).get('/services?fields=description')).map(({ description }) => description).join('\n')

describe('values from the environment', () => {
  test.each(makes)('occur nowhere: %s', async (name, becomes, make) => {
    await fc.assert(
      fc.asyncProperty(environmentOf, environmentOf, async (first, others) => {
        // A key with another value is another key.
        const then: Record<string, string> = { ...others, APIKEY: first.APIKEY ?? '' }
        const sent: string[] = []
        const there = world(listening(make(), sent), testClock())
        there.write('manifests/all.yaml', manifests)
        const before = await traces(there, first)
        expect(leakIn(before, { ...first, api: environment.GATEWRIGHT_API_SECRET })).toBeUndefined()
        // Otherwise the law would check nothing.
        const { SERVICE_TEXT: text = '' } = first
        if (becomes === 'in part') expect(notSent(first, sent)).not.toContain('SERVICE_TEXT')
        else expect((await descriptionsIn(there.make)).includes(text)).toBe(becomes === 'applied')
        // The values before are as secret as those after, even if they are not live any more: only a plan can know what a
        // snapshot contains of a secret that no variable has now.
        there.write('manifests/all.yaml', manifests)
        expect(
          leakIn(
            await traces(there, then),
            becomes === 'applied' && name !== 'another make' ? { ...first, ...renamed(then) } : then,
          ),
        ).toBeUndefined()
      }),
      runs(1),
    )
  })
})

/** The manifests with a text encrypted by age instead of one variable, and one encrypted by sops instead of the next one. */
async function sealedManifests(env: Readonly<Record<string, string>>): Promise<{ manifests: string; file: string }> {
  let sealed = manifests
  for (const [index, name] of names.entries()) {
    const placeholder = index % 2 === 0 ? await sealedAge(env[name] ?? '') : `\${sops:../secrets.json#/${name}}`
    sealed = sealed.replaceAll(`\${env:${name}}`, placeholder)
  }
  return { manifests: sealed, file: await sealedSops(env) }
}

describe('values encrypted by age and sops', () => {
  test.each(makes.slice(0, 2))('occur nowhere: %s', async (_, becomes, make) => {
    await fc.assert(
      fc.asyncProperty(environmentOf, async (env) => {
        const sent: string[] = []
        const there = world(listening(make(), sent), testClock())
        const sealed = await sealedManifests(env)
        there.write('secrets.json', sealed.file)
        there.write('manifests/all.yaml', sealed.manifests)
        const key = /AGE-SECRET-KEY-\w+/.exec(ageKey)?.[0] ?? ''
        const said = await traces(there, { SOPS_AGE_KEY: ageKey })
        expect(leakIn(said, { ...env, key })).toBeUndefined()
        // Otherwise the law would check nothing.
        if (becomes === 'applied') expect(notSent(env, sent)).toEqual([])
        else expect(sent.length).toBeGreaterThan(2)
      }),
      runs(1),
    )
  })
})

/** Records in another place: the value of GATEWRIGHT_RECORDS, and their whole content afterwards. */
interface Elsewhere {
  readonly folder: string
  readonly records: string
  readonly texts: () => Promise<string>
}

function inGit(): Promise<Elsewhere> {
  const host = gitHost()
  onTestFinished(host.remove)
  const texts = () => Promise.resolve(git(host.bare, 'cat-file', '--batch', '--batch-all-objects'))
  return Promise.resolve({ folder: host.clone(), records: 'git', texts })
}

async function inPostgres(): Promise<Elsewhere> {
  const url = await freshDatabase()
  onTestFinished(() => dropDatabase(url))
  const texts = async () => {
    const tables = await Promise.all(
      ['runs', 'entries', 'receipts', 'locks'].map((table) => onServer(url, `select * from gatewright.${table}`)),
    )
    return JSON.stringify(tables)
  }
  return { folder: world(platform()).dir, records: url, texts }
}

describe.each([
  ['git', false, inGit],
  ['PostgreSQL', postgresServer === undefined, inPostgres],
] as const)(
  'values from the environment in every text field of every kind, with records in %s,',
  (_, isSkipped, open) => {
    test.skipIf(isSkipped).each(fieldMakes)('occur nowhere: %s', async (__, becomes, make) => {
      await fc.assert(
        fc.asyncProperty(fullAreas, fc.array(secret, { minLength: 20, maxLength: 20 }), async (area, secrets) => {
          const sent: string[] = []
          const { folder, records, texts } = await open()
          const there = worldIn(folder, listening(make(), sent), testClock())
          const env = tainted(area, secrets)
          there.declare(...manifestsOf(area))
          expect(leakIn(await traces(there, { ...env, GATEWRIGHT_RECORDS: records }), env)).toBeUndefined()
          const recorded = await texts()
          expect(leakIn(recorded, env)).toBeUndefined()
          // Otherwise the law would check nothing.
          expect(recorded.includes('Service/')).toBe(true)
          if (becomes === 'applied') expect(notSent(env, sent)).toEqual([])
          if (becomes === 'in part') expect(notSent(env, sent).length).toBeLessThan((Object.keys(env).length * 3) / 4)
        }),
        { ...runs(1), endOnFailure: true },
      )
    })
  },
)

const renamed = (env: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [`${name} then`, value]))
