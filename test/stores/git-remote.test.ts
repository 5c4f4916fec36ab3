import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ProblemError } from '../../src/problems/problem.js'
import { type GitTiming, gitRecords } from '../../src/stores/git/store.js'
import { gitFailure } from '../../src/stores/git/words.js'
import { openRecords } from '../../src/stores/open.js'
import type { Announced, JournalEntry, ProjectKey, Receipt, Records, RunHead } from '../../src/stores/record.js'
import { type GitHost, git, gitHost, replaceFile } from '../kit/git.js'
import { whole } from './contract.js'

/** Behaviour of a git remote that a folder and a database do not have. */

let host: GitHost
let opened: Records[] = []

beforeEach(() => {
  host = gitHost()
})

afterEach(async () => {
  for (const records of opened) await records.close()
  opened = []
  host.remove()
})

const open = async (folder: string, timing: GitTiming = {}): Promise<Records> => {
  const records = await gitRecords({ folder, remote: 'origin' }, { now: () => 1_000, pausesMs: [10, 10], ...timing })
  opened.push(records)
  return records
}

const key: ProjectKey = { url: 'https://platform.example', area: 'a4ea', project: 'shop' }
const worker = { who: 'ci@runner', host: 'runner', pid: 42 }

const headOf = (run: string): RunHead => ({
  ...{ run, key, worker, started: 0, commit: undefined, plan: 'p', manifests: 'm', purpose: { is: 'apply' } },
  changes: ['A', 'B'].map((name) => ({ address: `Service/${name}`, kind: 'Service', action: 'create' })),
})

const announced = (address: string, more: Partial<Announced> = {}): Announced => ({
  ...{ is: 'announced', step: `create ${address}`, request: 'POST /services', at: 1 },
  ...{ addresses: [address], creates: [address], ...more },
})

const settled = (address: string): JournalEntry => {
  const images = { before: undefined, after: { fields: {}, fingerprints: {} } }
  return { is: 'settled', address, outcome: 'applied', id: '1', error: undefined, ...images, at: 2 }
}

const ended: JournalEntry = { is: 'ended', outcome: 'done', at: 3 }

const receipt = (address: string): Receipt => ({
  ...{ address, kind: 'Service', id: '1', run: 'r1', origin: 'created' },
  image: { fields: {}, fingerprints: {} },
})

const refs = (): readonly string[] =>
  git(host.bare, 'for-each-ref', '--format=%(refname)', 'refs/gatewright/').split('\n').filter(Boolean)

const lockRef = (): string => refs().find((ref) => ref.endsWith('/lock')) ?? ''

const problemOf = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ProblemError)) throw new Error('no problem was told', { cause: error })
  return error.problems[0]
}

/** Only the clock is fixed: timers run. */
function heldClock(): (milliseconds: number) => void {
  let now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  return (milliseconds) => {
    now += milliseconds
    vi.setSystemTime(now)
  }
}

/** A script that the host runs when something is pushed to it. */
function hook(name: string, ...lines: readonly string[]): void {
  mkdirSync(join(host.bare, 'hooks'), { recursive: true })
  writeFileSync(join(host.bare, 'hooks', name), ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 })
}

/** A whole run, with every kind of write. */
async function wholeRun(records: Records): Promise<void> {
  const taking = await records.lock(key, worker, 'r1')
  if (taking.is !== 'taken') throw new Error('held')
  const journal = await records.begin(headOf('r1'), () => [announced('Service/A')])
  for (const entry of [announced('Service/A'), settled('Service/A'), announced('Service/B'), settled('Service/B')]) {
    await journal.append(entry)
  }
  await records.keep(key, [receipt('Service/A'), receipt('Service/B')], [])
  await journal.append(ended)
  await journal.close()
  await taking.lock.release()
}

async function expectWholeRun(records: Records): Promise<void> {
  const runs = await records.runs(key, whole)
  expect(runs.map(({ head }) => head.run)).toEqual(['r1'])
  expect(runs[0]?.entries.map((entry) => entry.is)).toEqual(['announced', 'settled', 'announced', 'settled', 'ended'])
  expect((await records.receipts(key)).map(({ address }) => address)).toEqual(['Service/A', 'Service/B'])
  expect(await records.holder(key)).toBeUndefined()
}

describe('the clone', () => {
  const stateOf = (folder: string) => ({
    refs: git(folder, 'for-each-ref'),
    status: git(folder, 'status', '--porcelain', '--ignored'),
    index: readFileSync(join(folder, '.git/index')),
    files: readdirSync(join(folder, '.git')).sort(),
    config: readFileSync(join(folder, '.git/config'), 'utf8'),
    shallow: git(folder, 'rev-parse', '--is-shallow-repository'),
    objects: git(folder, 'count-objects'),
  })

  it.each([
    ['a whole one', [], []],
    ['shallow, with a detached HEAD', ['--depth=1'], ['checkout', '--quiet', '--detach']],
  ] as const)('%s is not changed, and none of its hooks runs', async (_, options, then) => {
    const folder = host.clone(...options)
    if (then.length > 0) git(folder, ...then)
    mkdirSync(join(folder, 'own-hooks'))
    for (const name of ['pre-push', 'reference-transaction', 'post-checkout']) {
      writeFileSync(join(folder, 'own-hooks', name), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    }
    git(folder, 'config', 'core.hooksPath', 'own-hooks')
    const before = stateOf(folder)
    mkdirSync(join(folder, 'deep', 'er'), { recursive: true })
    await wholeRun(await open(join(folder, 'deep', 'er')))
    expect(stateOf(folder)).toEqual(before)
    await expectWholeRun(await open(host.clone('--depth=1')))
  })

  it('gives the remote with all settings that apply to it', async () => {
    const folder = host.clone()
    git(folder, 'remote', 'set-url', 'origin', 'https://ci:token-1@host.example/shop.git')
    const included = join(folder, '..', 'included')
    writeFileSync(included, `[url "file://${host.bare}"]\n\tinsteadOf = https://ci:token-1@host.example/shop.git\n`)
    git(folder, 'config', `includeIf.gitdir:${folder}/.git.path`, included)
    const records = await open(folder)
    await wholeRun(records)
    await expectWholeRun(records)
  })

  it('may be used inside a hook of git that works with another repository', async () => {
    const folder = host.clone()
    vi.stubEnv('GIT_INDEX_FILE', '/nowhere/index')
    vi.stubEnv('GIT_OBJECT_DIRECTORY', '/nowhere/objects')
    vi.stubEnv('GIT_CONFIG', '/dev/null')
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    await wholeRun(await open(folder))
    vi.unstubAllEnvs()
    expect(refs()).toHaveLength(2)
  })

  it('may reach the remote through another program that GIT_SSH names', async () => {
    const folder = host.clone()
    git(folder, 'remote', 'set-url', 'origin', `ssh://host.example${host.bare}`)
    const ssh = join(host.bare, '..', 'own-ssh')
    // Its last argument is the command for the host; for -G it says that it is not OpenSSH.
    const script = ['#!/bin/sh', '[ "$1" = -G ] && exit 1', 'shift $(($# - 1))', 'eval "$1"', '']
    writeFileSync(ssh, script.join('\n'), { mode: 0o755 })
    vi.stubEnv('GIT_SSH', ssh)
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const records = await open(folder)
    await wholeRun(records)
    await expectWholeRun(records)
  })

  it('if the machine of the remote prints a warning, a lost race is not reported as a refusal', async () => {
    const folder = host.clone()
    git(folder, 'remote', 'set-url', 'origin', `ssh://host.example${host.bare}`)
    const ssh = join(host.bare, '..', 'own-ssh')
    const script = ['#!/bin/sh', '[ "$1" = -G ] && exit 1', 'echo "Unauthorized access is prohibited." >&2']
    writeFileSync(ssh, [...script, 'shift $(($# - 1))', 'eval "$1"', ''].join('\n'), { mode: 0o755 })
    vi.stubEnv('GIT_SSH', ssh)
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const all = await Promise.all([1, 2, 3, 4].map(() => open(folder)))
    await Promise.all(all.map((records, index) => records.keep(key, [receipt(`Service/${index}`)], [])))
    expect(await all[0]?.receipts(key)).toHaveLength(4)
  })

  it('if the machine of the remote prints a long warning, the error is reported without it', async () => {
    const folder = host.clone()
    git(folder, 'remote', 'set-url', 'origin', `ssh://host.example${host.bare}`)
    const bin = join(host.bare, '..', 'bin')
    mkdirSync(bin)
    const banner = `case "$*" in *LogLevel=ERROR*) ;; *) echo "${'Authorized users only. '.repeat(30)}" >&2 ;; esac`
    const script = ['#!/bin/sh', banner, 'echo "ssh: connect to host host.example: Connection refused" >&2', 'exit 255']
    writeFileSync(join(bin, 'ssh'), [...script, ''].join('\n'), { mode: 0o755 })
    vi.stubEnv('PATH', `${bin}:${process.env.PATH}`)
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    expect(await problemOf((await open(folder, { pausesMs: [] })).runs(key, whole))).toMatchObject({
      code: 'git-failed',
      message: expect.stringMatching(/cannot be used: ssh: connect to host host.example: Connection refused; /),
    })
  })

  it('may have a remote in a folder of another user that is configured as safe', async () => {
    const folder = host.clone()
    const settings = join(host.bare, '..', 'settings')
    writeFileSync(settings, `[safe]\n\tdirectory = ${folder}\n\tdirectory = "${host.bare}"\n`)
    vi.stubEnv('GIT_CONFIG_GLOBAL', settings)
    vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1')
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const records = await open(folder)
    await wholeRun(records)
    await expectWholeRun(records)
  })

  it('is needed, and so is its remote', async () => {
    const outside = join(host.bare, '..')
    const none = await problemOf(openRecords('git', { dir: outside, now: () => 0 }))
    expect(none).toMatchObject({
      code: 'git-no-repository',
      message: expect.stringContaining(outside),
      hint: expect.stringContaining('GATEWRIGHT_RECORDS=file:'),
    })
    const folder = host.clone()
    const other = await problemOf(openRecords('git:upstream', { dir: folder, now: () => 0 }))
    expect(other).toMatchObject({ code: 'git-no-remote', hint: expect.stringContaining('known: origin;') })
    git(folder, 'remote', 'remove', 'origin')
    const alone = await problemOf(openRecords('git', { dir: folder, now: () => 0 }))
    expect(alone).toMatchObject({ code: 'git-no-remote', hint: expect.stringContaining('GATEWRIGHT_RECORDS=file:') })
    for (const written of ['git:', 'git:https://host.example/x.git', 'git:-x', 'git:a b', 'git:../x']) {
      expect((await problemOf(openRecords(written, { dir: folder, now: () => 0 })))?.code).toBe('bad-records')
    }
  })
})

describe('a push whose answer is lost', () => {
  it.each([
    ['reference-transaction', '[ "$1" = committed ] || exit 0', 'the host has taken it'],
    ['pre-receive', '', 'the host has not taken it'],
  ])('in %s %s: %s; nothing is lost, and nothing is stored twice', async (name, when) => {
    const mark = join(host.bare, 'next-is-good')
    // Every second push is cut off.
    hook(name, when, `if [ -e ${mark} ]; then rm ${mark}; exit 0; fi`, `touch ${mark}`, 'kill -9 $PPID')
    const folder = host.clone()
    await wholeRun(await open(folder))
    rmSync(join(host.bare, 'hooks'), { recursive: true })
    await expectWholeRun(await open(folder))
  })

  it('of a heartbeat does not lose the lock', async () => {
    const folder = host.clone()
    const records = await open(folder, { heartbeatMs: 20 })
    const taking = await records.lock(key, worker, 'r1')
    if (taking.is !== 'taken') throw new Error('held')
    const mark = join(host.bare, 'cut-off')
    hook('reference-transaction', '[ "$1" = committed ] || exit 0', `echo >>${mark}`, 'kill -9 $PPID')
    await expect.poll(() => existsSync(mark) && readFileSync(mark, 'utf8').length).toBeGreaterThan(2)
    rmSync(join(host.bare, 'hooks'), { recursive: true })
    expect(taking.lock.lost.aborted).toBe(false)
    await taking.lock.release()
    expect((await (await open(host.clone())).lock(key, worker, 'r2')).is).toBe('taken')
  })
})

describe('a remote that fails', () => {
  it("and refuses is reported once, with the missing permission and the remote's own words", async () => {
    const folder = host.clone()
    const records = await open(folder, { pausesMs: [600_000] })
    hook('pre-receive', 'echo "You are not allowed to push to this project" >&2', 'exit 1')
    const problem = await problemOf(records.lock(key, worker, 'r1'))
    expect(problem).toMatchObject({
      code: 'git-refused',
      message: expect.stringContaining('You are not allowed to push to this project'),
      hint: expect.stringContaining('contents: write'),
    })
    expect((await problemOf(records.begin(headOf('r1'))))?.code).toBe('git-refused')
    expect((await problemOf(records.keep(key, [receipt('Service/A')], [])))?.code).toBe('git-refused')
    expect(await records.runs(key, whole)).toEqual([])
    expect(refs()).toEqual([])
  })

  const refused = (ref: string) =>
    `!\tabc:${ref}\t[remote rejected] (push declined due to repository rule violations)\n`
  it.each([
    ['ERROR: The key you are authenticating with has been marked as read only.', ''],
    ['ERROR: This repository was archived so it is read-only.', ''],
    ['ERROR: This deploy key does not have write access to this project.', ''],
    ["remote: TF401027: You need the Git 'GenericContribute' permission to perform this action.", ''],
    ['Gitea: User: 5:ci with Key: 7:ci is not authorized to write to shop/shop.', ''],
    ['Unauthorized', ''],
    [
      'remote: error: GH013: Repository rule violations found for refs/gatewright/a4ea/lock.',
      refused('refs/gatewright'),
    ],
  ])('and refuses with its own words: %s', (err, out) => {
    const said = { code: 128, err: `${err}\nfatal: Could not read from remote repository.\n`, out: Buffer.from(out) }
    expect(gitFailure('origin', said, 'push').problems[0]?.code).toBe('git-refused')
  })

  it.each(['fatal: unable to create temporary object directory: Read-only file system', 'Connection reset by peer'])(
    'for another reason: %s',
    (err) => {
      const said = { code: 128, err, out: Buffer.alloc(0) }
      expect(gitFailure('origin', said, 'push').problems[0]?.code).toBe('git-failed')
    },
  )

  it('to answer is reported after a time', async () => {
    const folder = host.clone()
    const hanging = join(host.bare, 'hanging')
    writeFileSync(hanging, `#!/bin/sh\nsleep 600 & echo $! >${host.bare}/pid; wait\n`, { mode: 0o755 })
    git(folder, 'config', 'remote.origin.uploadpack', hanging)
    const pid = join(host.bare, 'pid')
    const started = () => (existsSync(pid) ? Number(readFileSync(pid, 'utf8')) : 0)
    // A busy machine may need longer to start it.
    for (let limitMs = 500; started() === 0; limitMs *= 2) {
      const records = await open(folder, { pausesMs: [], limitMs })
      expect(await problemOf(records.runs(key, whole))).toMatchObject({
        code: 'git-failed',
        message: expect.stringContaining('git did not answer in time'),
      })
    }
    await expect.poll(() => isAlive(started())).toBe(false)
  })

  const isAlive = (pid: number): boolean => {
    try {
      process.kill(pid, 0)
      return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
    } catch {
      return false
    }
  }

  it('because it refuses to be read is reported as such', async () => {
    const folder = host.clone()
    const closed = join(host.bare, 'closed')
    writeFileSync(closed, '#!/bin/sh\necho "remote: Permission denied to ci" >&2\nexit 128\n', { mode: 0o755 })
    git(folder, 'config', 'remote.origin.uploadpack', closed)
    expect(await problemOf((await open(folder, { pausesMs: [600_000] })).runs(key, whole))).toMatchObject({
      code: 'git-refused',
      message: expect.stringMatching(/does not allow reading the records: Permission denied to ci/),
      hint: expect.stringContaining('may read'),
    })
  })

  it('because git is too old is reported', async () => {
    const folder = host.clone()
    const bin = join(host.bare, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.30.2\n', { mode: 0o755 })
    const path = process.env.PATH
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    vi.stubEnv('PATH', `${bin}:${path}`)
    const old = await problemOf(open(folder))
    expect(old).toMatchObject({ code: 'git-missing', message: expect.stringContaining('this is git version 2.30.2') })
    vi.stubEnv('PATH', '/nowhere')
    expect(await problemOf(open(folder))).toMatchObject({
      code: 'git-missing',
      message: expect.stringContaining('cannot be started (ENOENT)'),
    })
    vi.unstubAllEnvs()
  })

  it.each([
    ['kill -9 $$', 'git was ended by SIGKILL'],
    ['echo rubbish; exit 0', 'git does not give what it has fetched'],
    ['PATH=$WAY git "$@" | head -c 60; exit 0', 'git does not give what it has fetched'],
  ])('because git returns no usable answer is reported: %s', async (script, words) => {
    const folder = host.clone()
    await wholeRun(await open(folder))
    const bin = join(host.bare, 'bin')
    mkdirSync(bin)
    const way = process.env.PATH
    const text = `#!/bin/sh\nWAY='${way}'\nif [ "$1" = cat-file ]; then ${script}; fi\nPATH=$WAY exec git "$@"\n`
    writeFileSync(join(bin, 'git'), text, { mode: 0o755 })
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    vi.stubEnv('PATH', `${bin}:${way}`)
    expect(await problemOf((await open(folder)).runs(key, whole))).toMatchObject({
      code: 'git-failed',
      message: expect.stringContaining(words),
    })
  })

  it('for a moment is not reported', async () => {
    const folder = host.clone()
    const records = await open(folder)
    const failing = join(host.bare, 'failing')
    writeFileSync(
      failing,
      `#!/bin/sh\n[ -e ${host.bare}/up ] || { touch ${host.bare}/up; exit 1; }\nexec git-upload-pack "$@"\n`,
      { mode: 0o755 },
    )
    git(folder, 'config', 'remote.origin.uploadpack', failing)
    expect(await (await open(folder)).runs(key, whole)).toEqual([])
    await wholeRun(records)
  })

  it('because there is no folder for temporary files is reported', async () => {
    const records = await open(host.clone())
    vi.stubEnv('TMPDIR', join(host.bare, 'none'))
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    expect(await problemOf(records.receipts(key))).toMatchObject({
      code: 'git-no-temporary',
      message: expect.stringContaining(`${join(host.bare, 'none')} cannot be used: there is no such file or folder`),
    })
  })

  it.each(['sekrit-1', 'sek@rit-1', 'sek/rit-1'])(
    'is named without the login, also with the password %s',
    async (password) => {
      const folder = host.clone()
      git(folder, 'remote', 'set-url', 'origin', `https://someone:${password}@127.0.0.1:9/shop.git`)
      const problem = await problemOf((await open(folder, { pausesMs: [] })).runs(key, whole))
      expect(problem?.code).toBe('git-failed')
      expect(problem?.message).toContain('https://***@127.0.0.1:9/shop.git')
      expect(JSON.stringify(problem)).not.toContain('rit-1')
      expect(JSON.stringify(problem)).not.toContain('someone')
    },
  )

  it('has records of a later version: they are not changed', async () => {
    const folder = host.clone()
    await (await open(folder)).keep(key, [receipt('Service/A')], [])
    const [ref = ''] = refs()
    const text = git(host.bare, 'cat-file', 'blob', `${ref}:project.json`).replace('records/1', 'records/99')
    replaceFile(host.bare, ref, 'project.json', text)
    const records = await open(folder)
    expect((await problemOf(records.receipts(key)))?.code).toBe('records-too-new')
    expect((await problemOf(records.keep(key, [], ['Service/A'])))?.code).toBe('records-too-new')
  })
})

describe('the lock', () => {
  /** The lock as a runner on another machine has left it. */
  function foreign(at: number): void {
    const ref = lockRef()
    const content = JSON.parse(git(host.bare, 'cat-file', 'blob', `${ref}:lock.json`)) as { claim: object }
    const claim = { ...content.claim, host: 'another', at, heldBy: { ...worker, who: 'they' }, run: 'theirs' }
    replaceFile(host.bare, ref, 'lock.json', `${JSON.stringify({ state: 'held', claim })}\n`)
  }

  const taken = async (folder: string, timing: GitTiming = {}) => {
    const taking = await (await open(folder, timing)).lock(key, worker, 'r1')
    if (taking.is !== 'taken') throw new Error('held')
    return taking.lock
  }

  it.each([
    ['right', 0],
    ['a day behind', -86_400_000],
    ['a day ahead', 86_400_000],
  ])('of another machine is free after a minute without a heartbeat, with its clock %s', async (_, off) => {
    const folder = host.clone()
    await taken(folder, { heartbeatMs: 600_000 })
    const wait = heldClock()
    foreign(Date.now() + off)
    const records = await open(host.clone())
    const by = { heldBy: { ...worker, who: 'they' }, run: 'theirs' }
    expect(await records.lock(key, worker, 'r2')).toMatchObject({ is: 'held', by, freeInMs: 60_000 })
    wait(59_000)
    expect(await records.lock(key, worker, 'r2')).toMatchObject({ is: 'held', by, freeInMs: 1_000 })
    foreign(Date.now() + off + 1)
    // It has moved, so its holder lives.
    const alive = await records.lock(key, worker, 'r2')
    expect(alive).toMatchObject({ is: 'held', by })
    expect(alive).not.toHaveProperty('freeInMs')
    wait(59_000)
    expect(await records.lock(key, worker, 'r2')).toMatchObject({ is: 'held', freeInMs: 1_000 })
    wait(1_000)
    expect((await records.lock(key, worker, 'r2')).is).toBe('taken')
  })

  it('that was taken over is lost to its holder, who releases nothing and keeps no receipts', async () => {
    const folder = host.clone()
    const records = await open(folder, { heartbeatMs: 600_000 })
    const taking = await records.lock(key, worker, 'r1')
    if (taking.is !== 'taken') throw new Error('held')
    const { lock } = taking
    const wait = heldClock()
    foreign(Date.now())
    expect(await lock.isHeld()).toBe(true)
    wait(30_001)
    expect(await lock.isHeld()).toBe(false)
    expect(lock.lost.aborted).toBe(true)
    const before = git(host.bare, 'rev-parse', lockRef())
    expect((await problemOf(records.keep(key, [receipt('Service/A')], [])))?.code).toBe('lock-lost')
    await lock.release()
    expect(git(host.bare, 'rev-parse', lockRef())).toBe(before)
  })

  it('is not held any more half a minute after the last successful heartbeat', async () => {
    const folder = host.clone()
    const lock = await taken(folder, { heartbeatMs: 600_000 })
    const wait = heldClock()
    wait(29_000)
    expect(await lock.isHeld()).toBe(true)
    hook('pre-receive', 'exit 1')
    wait(2_000)
    expect(await lock.isHeld()).toBe(false)
    rmSync(join(host.bare, 'hooks'), { recursive: true })
    expect(await lock.isHeld()).toBe(false)
  })

  it('is renewed again and again while it is held, and is always one commit', async () => {
    const folder = host.clone()
    const lock = await taken(folder, { heartbeatMs: 5 })
    await expect.poll(() => Number(git(host.bare, 'rev-list', '--count', lockRef()))).toBeGreaterThan(3)
    await lock.release()
    expect(git(host.bare, 'cat-file', 'blob', `${lockRef()}:lock.json`)).toBe('{"state":"released"}\n')
  })
})

describe('the journal', () => {
  const pushes = (): number =>
    Number(git(host.bare, 'rev-list', '--count', refs().find((ref) => ref.includes('/records/')) ?? ''))

  it('has all steps of a run before its first request; their outcomes are added later', async () => {
    const records = await open(host.clone())
    const journal = await records.begin(headOf('r1'), () => [announced('Service/A'), announced('Service/B')])
    expect(pushes()).toBe(1)
    // With the ids that are known then.
    await journal.append(announced('Service/A', { request: 'POST /services/1' }))
    await journal.append(settled('Service/A'))
    expect(pushes()).toBe(1)
    const other = await open(host.clone())
    const [run] = await other.recent(key)
    const perhaps = { is: 'announced', at: 41_000 }
    expect(run?.entries).toMatchObject([
      { ...perhaps, creates: ['Service/A'] },
      { ...perhaps, creates: ['Service/B'] },
    ])
    // No step that was announced in advance matches this one.
    await journal.append(announced('Service/A', { step: 'other' }))
    expect(pushes()).toBe(2)
    const [later] = await other.recent(key)
    expect(later?.entries).toMatchObject([
      { is: 'announced', request: 'POST /services/1', at: 1 },
      { is: 'settled', address: 'Service/A' },
      { is: 'announced', step: 'other' },
      { ...perhaps, addresses: ['Service/B'], creates: ['Service/B'] },
    ])
    await journal.append(ended)
    expect((await other.recent(key))[0]?.entries.map(({ is }) => is)).toEqual([
      'announced',
      'settled',
      'announced',
      'ended',
    ])
  })

  it.each([
    ['creates', { creates: ['Service/A', 'Service/A/ErrorSet/Default'] }],
    ['addresses', { addresses: ['Service/A', 'Service/C'] }],
    ['changes', { changes: { id: '1', before: { a: 1 }, after: { a: 2 } } }],
  ] as const)('pushes a step whose %s differ from the announced ones', async (_, more) => {
    const records = await open(host.clone())
    const journal = await records.begin(headOf('r1'), () => [announced('Service/A')])
    await journal.append(announced('Service/A', more))
    expect(pushes()).toBe(2)
  })

  it('is pushed from time to time, and if there are many entries', async () => {
    const records = await open(host.clone(), { everyMs: 20 })
    const journal = await records.begin(headOf('r1'), () => [announced('Service/A')])
    await journal.append(settled('Service/A'))
    await expect.poll(pushes).toBe(2)
    const many = await open(host.clone(), { entries: 3 })
    const other = await many.begin(headOf('r2'), () => [announced('Service/A')])
    for (let number = 0; number < 3; number += 1) await other.append(settled('Service/A'))
    await expect.poll(pushes).toBe(4)
  })

  it('is pushed before a step if the last push was long ago', async () => {
    const records = await open(host.clone())
    const wait = heldClock()
    const journal = await records.begin(headOf('r1'), () => [announced('Service/A')])
    wait(39_000)
    await journal.append(announced('Service/A'))
    expect(pushes()).toBe(1)
    wait(2_000)
    await journal.append(announced('Service/A'))
    expect(pushes()).toBe(2)
  })

  it('fails if a required push of a step fails, but can still end when pushes work again', async () => {
    const records = await open(host.clone(), { pausesMs: [] })
    const journal = await records.begin(headOf('r1'), () => [])
    hook('pre-receive', 'exit 1')
    await expect(journal.append(announced('Service/A'))).rejects.toThrow('does not allow writing the records')
    rmSync(join(host.bare, 'hooks'), { recursive: true })
    await journal.append(ended)
    expect((await records.runs(key, whole))[0]?.entries.map(({ is }) => is)).toEqual(['announced', 'ended'])
  })
})

it.each([
  ['have no history any more', 'exit 0', 2],
  ['are only removed from the latest commit if the host forbids rewriting', 'git merge-base --is-ancestor $2 $3', 6],
])('removed runs %s', async (_, words, commits) => {
  hook('update', 'case $2 in 0000*) exit 0;; esac', words)
  const records = await open(host.clone())
  for (const run of ['r1', 'r2']) await (await records.begin(headOf(run))).append(ended)
  await records.forget(key, ['r1'])
  await records.keep(key, [receipt('Service/A')], [])
  const [ref = ''] = refs()
  expect(Number(git(host.bare, 'rev-list', '--count', ref))).toBe(commits)
  expect((await (await open(host.clone())).runs(key, whole)).map(({ head }) => head.run)).toEqual(['r2'])
})

it('two processes that write the same project at once both succeed', async () => {
  const [one, two] = [await open(host.clone()), await open(host.clone())]
  const names = Array.from({ length: 5 }, (_, index) => `Service/${index}`)
  const keepAll = async (records: Records, end: string) => {
    for (const name of names) await records.keep(key, [receipt(`${name}${end}`)], [])
  }
  await Promise.all([keepAll(one, 'a'), keepAll(two, 'b')])
  expect(await one.receipts(key)).toHaveLength(10)
})

describe('a folder of records that git tracks', () => {
  it('is refused, and a folder that it does not track is not', async () => {
    const folder = host.clone()
    const records = await openRecords('file:.gatewright', { dir: folder, now: () => 0 })
    await records.keep(key, [receipt('Service/A')], [])
    expect(await (await openRecords('file:.gatewright', { dir: folder, now: () => 0 })).receipts(key)).toHaveLength(1)
    git(folder, 'add', '--force', '.gatewright')
    expect(await problemOf(openRecords('file:.gatewright', { dir: folder, now: () => 0 }))).toMatchObject({
      code: 'records-tracked',
      message: expect.stringMatching(/\.gatewright \(.*receipts\.jsonl\)/),
      hint: expect.stringContaining('git rm -r --cached'),
    })
  })

  it.each([
    ['the checkout belongs to another user', 'GIT_TEST_ASSUME_DIFFERENT_OWNER', '1'],
    ['a hook of git calls', 'GIT_DIR', '.git'],
  ])('is also refused if %s', async (_, variable, value) => {
    const folder = host.clone()
    const records = await openRecords('file:.gatewright', { dir: folder, now: () => 0 })
    await records.keep(key, [receipt('Service/A')], [])
    git(folder, 'add', '--force', '.gatewright')
    vi.stubEnv(variable, value)
    onTestFinished(() => void vi.unstubAllEnvs())
    const problem = await problemOf(openRecords('file:.gatewright', { dir: folder, now: () => 0 }))
    expect(problem).toMatchObject({ code: 'records-tracked' })
  })
})

it('records that somebody has put in place of those of another project are refused', async () => {
  const dir = host.clone()
  const records = await open(dir)
  await records.keep(key, [receipt('Service/A')], [])
  const [own = ''] = refs()
  await records.keep({ ...key, project: 'other' }, [receipt('Service/B')], [])
  const [foreign = ''] = refs().filter((ref) => ref !== own)
  git(host.bare, 'update-ref', own, foreign)
  const reader = await open(dir)
  const problem = await problemOf(reader.receipts(key))
  expect(problem).toMatchObject({
    code: 'records-out-of-place',
    message: expect.stringContaining(`${own} in the git remote`),
    hint: expect.stringContaining(`git push REMOTE :${own} removes it`),
  })
  expect(problem).toMatchObject({ message: expect.stringContaining('the project "other", in the area') })
  expect(await problemOf(reader.keep(key, [], []))).toMatchObject({ code: 'records-out-of-place' })
})

it('a file without any of its receipts is reported as damaged', async () => {
  const dir = host.clone()
  await (await open(dir)).keep(key, [receipt('Service/A')], [])
  const [ref = ''] = refs()
  const path = git(host.bare, 'ls-tree', '-r', '--name-only', ref)
    .split('\n')
    .find((each) => each.startsWith('receipts/'))
  replaceFile(host.bare, ref, path ?? '', '')
  const other = await open(dir)
  await expect(other.receipts(key)).rejects.toThrow(`${path} of ${ref} in the git remote`)
  await expect(other.keep(key, [receipt('Service/A')], [])).rejects.toThrow('is damaged at line 1')
})

describe('a ref that does not point to a commit', () => {
  it.each(['blob', 'tree', 'tag of a blob'])('%s', async (what) => {
    const dir = host.clone()
    await wholeRun(await open(dir))
    const before = refs().map((ref) => [ref, git(host.bare, 'rev-parse', ref).trim()] as const)
    const records = refs().find((ref) => !ref.endsWith('/lock')) ?? ''
    const blob = git(host.bare, 'rev-parse', `${records}:project.json`).trim()
    git(host.bare, '-c', 'user.name=me', '-c', 'user.email=me@here', 'tag', '-a', 'odd', '-m', 'odd', blob)
    const at = { blob, tree: `${records}^{tree}`, 'tag of a blob': 'odd' }[what] ?? ''
    const odd = git(host.bare, 'rev-parse', at).trim()
    for (const [ref] of before) git(host.bare, 'update-ref', ref, odd)
    const other = await open(dir)
    const damaged = {
      code: 'records-damaged',
      message: expect.stringContaining(`${records} is not at a commit`),
      hint: expect.stringContaining(`git push REMOTE :${records} removes these records`),
    }
    expect(await problemOf(other.receipts(key))).toMatchObject(damaged)
    expect(await problemOf(other.recent(key))).toMatchObject(damaged)
    expect(await problemOf(other.claims({ ...key, project: 'another' }))).toMatchObject(damaged)
    expect(await problemOf(other.keep(key, [], []))).toMatchObject(damaged)
    const lockDamaged = { code: 'records-damaged', hint: expect.stringContaining(`git push REMOTE :${lockRef()}`) }
    expect(await problemOf(other.lock(key, worker, 'r2'))).toMatchObject(lockDamaged)
    expect(await problemOf(other.holder(key))).toMatchObject(lockDamaged)
    expect(before.map(([ref]) => git(host.bare, 'rev-parse', ref).trim())).toEqual(before.map(() => odd))
    for (const [ref, commit] of before) git(host.bare, 'update-ref', ref, commit)
    await expectWholeRun(await open(dir))
  })
})
