import { getEventListeners } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { fetchTransport } from '../../src/client/fetch-transport.js'
import {
  openWorkspace,
  ProblemError,
  type Workspace,
  type WorkspaceInput,
  type WorkspacePorts,
} from '../../src/index.js'
import { document, projectText } from '../kit/manifests.js'
import { embedded, environment, testClock, type World } from '../kit/world.js'

/** The programming interface, called by a program that no compiler has checked. */

const secret = 'tresor-1234'

function workspace({ dir, make }: World, input: WorkspaceInput = {}, ports: WorkspacePorts = {}): Workspace {
  const transport = fetchTransport((url, init) => make.fetch(new Request(url, init)))
  const env = { ...environment, WORD: secret }
  return openWorkspace(
    { directory: dir, ...input },
    { env, ...testClock(), transport: async () => transport, ...ports },
  )
}

/** A value that a compiler would refuse. */
const untyped = (value: unknown) => value as never

const thrownBy = async (call: () => unknown): Promise<unknown> => {
  try {
    await call()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

async function problemsOf(call: () => unknown) {
  const error = await thrownBy(call)
  if (!(error instanceof ProblemError)) throw error
  return error.problems.map(({ code, message, hint }) => `${code}: ${message}: ${hint}`)
}

test('an undefined option counts as not given', async () => {
  const world = embedded()
  world.declare(document('Role', 'A'))
  const all = { prune: undefined, take: undefined, allow: undefined, select: undefined, labels: undefined }
  const { plan } = await workspace(world, { paths: undefined, values: undefined }).plan(all)
  expect(plan.summary.create).toBe(1)
  const ports: WorkspacePorts = { signal: undefined, progress: undefined, mask: undefined, vault: undefined }
  expect((await workspace(world, {}, ports).plan()).plan.summary.create).toBe(1)
})

test('an unknown option, or one with a wrong value, is refused before anything is read or sent', async () => {
  const world = embedded()
  world.declare(document('Role', 'A'))
  const opened = workspace(world)
  expect(await problemsOf(() => opened.plan(untyped({ prune: 'al', take: 1, select: 'Role/A' })))).toEqual([
    'invalid-option: "prune" of plan has a value that it does not take: it takes one of: none, applied, all',
    'invalid-option: "take" of plan has a value that it does not take: it takes one of: manifest, live',
    'invalid-option: "select" of plan has a value that it does not take: it takes a list of texts',
  ])
  expect(await problemsOf(() => opened.drift(untyped({ selects: ['Role/A'] })))).toEqual([
    'usage: drift takes no "selects": did you mean "select"?',
  ])
  expect(await problemsOf(() => opened.plan(untyped({ allow: ['KEY_LOS'] })))).toEqual([
    'invalid-option: "allow" of plan has a value that it does not take: it takes a list of: KEY_LOSS, TRAFFIC_STOP, AUTH_WEAKENED, LIMIT_LOWERED, ID_CHANGE, IRREVERSIBLE',
  ])
  expect(await problemsOf(() => opened.apply(untyped(undefined)))).toEqual([
    'invalid-option: "approve" of apply has a value that it does not take: it takes a function',
  ])
  expect(await problemsOf(() => opened.apply({ approve: () => true, lockTimeoutMs: -1 }))).toEqual([
    'invalid-option: "lockTimeoutMs" of apply has a value that it does not take: it takes milliseconds, 0 or more',
  ])
  expect(await problemsOf(() => opened.export(untyped({ kinds: ['Role'] })))).toEqual([
    'invalid-option: "dir" of export has a value that it does not take: it takes a text that is not empty',
  ])
  expect(await problemsOf(() => opened.export({ dir: '' }))).toHaveLength(1)
  expect(await problemsOf(() => openWorkspace(untyped({ dir: world.dir, paths: 'a' })))).toEqual([
    'usage: openWorkspace takes no "dir": known: directory, paths, url, area, environment, values, allowFile, logHttp',
    'invalid-option: "paths" of openWorkspace has a value that it does not take: it takes a list of texts',
  ])
  expect(await problemsOf(() => opened.plan(untyped(null)))).toEqual([
    'invalid-option: "input" of plan has a value that it does not take: it takes an object',
  ])
  expect(await problemsOf(() => openWorkspace({}, untyped({ enviroment: {}, env: null, signal: 5 })))).toEqual([
    'usage: openWorkspace takes no "enviroment": known: env, cwd, now, sleep, signal, transport, progress, mask, vault',
    'invalid-option: "env" of openWorkspace has a value that it does not take: it takes an object',
    'invalid-option: "signal" of openWorkspace has a value that it does not take: it takes an AbortSignal',
  ])
  expect(world.requests()).toEqual([])
})

test.each(['no', 1, {}])('approve must return true: %j', async (answer) => {
  const world = embedded()
  world.declare(document('Role', 'A'))
  expect(await workspace(world).apply({ approve: untyped(() => answer) })).toEqual({ is: 'declined' })
  expect(world.requests().filter(({ method }) => method !== 'GET')).toEqual([])
})

test('no result contains a secret: no frame, no address, no message, no cause', async () => {
  const world = embedded()
  world.write(
    'manifests/all.yaml',
    `apiVersion: gatewright/v1
kind: Service
metadata: {name: "Orders \${env:WORD}"}
spec: {description: ${secret} in clear, qpsLimitOverall: ${secret}}
`,
  )
  const opened = workspace(world)
  const { problems, objects } = await opened.validate()
  expect(problems.map(({ code }) => code).sort()).toEqual(['secret-name', 'wrong-type'])
  expect(JSON.stringify([problems, [...objects]])).not.toContain(secret)
  const error = await thrownBy(() => opened.plan())
  expect(error).toBeInstanceOf(ProblemError)
  expect(JSON.stringify(error) + (error as Error).stack).not.toContain(secret)
})

test('no call leaves a listener behind, and an interrupted call reports it', async () => {
  const world = embedded()
  world.declare(document('Role', 'A'))
  const { signal, abort } = abortable()
  const opened = workspace(world, {}, { signal })
  await opened.validate()
  expect((await opened.apply({ approve: () => false })).is).toBe('declined')
  await expect(
    opened.apply({
      approve: () => {
        throw new Error('mine')
      },
    }),
  ).rejects.toThrow('mine')
  expect((await opened.apply({ approve: () => true })).is).toBe('performed')
  expect((await opened.apply({ approve: () => true })).is).toBe('unchanged')
  expect(getEventListeners(signal, 'abort')).toEqual([])
  abort()
  expect(await problemsOf(() => opened.plan())).toEqual([
    'interrupted: interrupted before anything was sent: undefined',
  ])
})

test('an interrupted validation reports the interruption, and not a problem of an environment', async () => {
  const world = embedded()
  world.declare(document('Role', 'A'))
  world.write('gatewright.yaml', projectText('  environments: {dev: {}, prod: {}}\n'))
  expect(await problemsOf(() => workspace(world, {}, { signal: AbortSignal.abort() }).validate())).toEqual([
    'interrupted: interrupted before anything was sent: undefined',
  ])
})

test('an aborted call does not wait for an answer that never arrives', async () => {
  const world = embedded()
  world.declare(document('Role', 'A'))
  const { signal, abort } = abortable()
  const approve = () => {
    abort()
    return new Promise<never>(() => undefined)
  }
  expect(await problemsOf(() => workspace(world, {}, { signal }).apply({ approve }))).toEqual([
    'interrupted: interrupted before approve was answered: undefined',
  ])
  expect((await workspace(world).apply({ approve: () => true })).is).toBe('performed')
})

test('many simultaneous calls cause no warning about listeners', async () => {
  const warned = vi.spyOn(process, 'emitWarning')
  onTestFinished(() => warned.mockRestore())
  const world = embedded()
  world.declare(document('Role', 'A'))
  const opened = [workspace(world), workspace(world, {}, { signal: new AbortController().signal })]
  await Promise.all(opened.flatMap((each) => Array.from({ length: 12 }, () => each.plan())))
  expect(warned).not.toHaveBeenCalled()
})

test('an interrupted run finishes its open requests, and the next run does the rest', async () => {
  const world = embedded()
  world.declare(...['A', 'B', 'C'].map((name) => document('Role', name)))
  world.project('  platform: {concurrency: 1}\n')
  const { signal, abort } = abortable()
  const make = {
    ...world.make,
    fetch: (request: Request) => {
      if (request.method === 'POST' && request.url.includes('/roles')) abort()
      return world.make.fetch(request)
    },
  }
  const run = await workspace({ ...world, make }, {}, { signal }).apply({ approve: () => true })
  expect(run).toMatchObject({ is: 'performed', complete: false, run: { summary: { applied: 1, notStarted: 2 } } })
  const next = await workspace(world).apply({ approve: () => true })
  expect(next).toMatchObject({ is: 'performed', complete: true, run: { summary: { applied: 2 } } })
})

test('a listener cannot stop a run: its errors are ignored, and events that it does not ask for are not sent', async () => {
  const world = embedded()
  const seen: string[] = []
  const watchers = [
    {
      applying: ({ is }: { readonly is: string }) => {
        seen.push(is)
        throw new Error('mine')
      },
    },
    { reading: () => undefined },
    { applying: () => Promise.reject(new Error('mine')) },
  ]
  for (const [at, progress] of watchers.entries()) {
    world.declare(document('Role', 'A', { description: `of ${at}` }))
    const run = await workspace(world, {}, { progress }).apply({ approve: () => true })
    expect(run).toMatchObject({ is: 'performed', complete: true })
  }
  expect(seen).toContain('finished')
})

test('mounted secrets may be named, if their folder is given', async () => {
  const world = embedded()
  const mounted = embedded()
  mounted.write('word', secret)
  world.write(
    'manifests/all.yaml',
    `apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: A}\nspec: {description: "\${file:${mounted.dir}/word}"}\n`,
  )
  const { plan } = await workspace(world, { allowFile: [mounted.dir] }).plan()
  expect(plan.summary.create).toBe(1)
  expect(JSON.stringify(plan)).not.toContain(secret)
})

test('two workspaces of one process are independent, and print nothing', async () => {
  const print = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')]
  const worlds = [embedded(), embedded()]
  for (const [at, world] of worlds.entries()) world.declare(document('Role', `only in ${at}`))
  const runs = await Promise.all(
    worlds.map((world) => workspace(world).apply({ approve: ({ summary }) => summary.create === 1 })),
  )
  expect(runs.map((run) => run.is === 'performed' && run.run.changes.map(({ address }) => address))).toEqual([
    ['Role/only in 0'],
    ['Role/only in 1'],
  ])
  for (const spy of print) {
    expect(spy).not.toHaveBeenCalled()
    spy.mockRestore()
  }
})

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}
