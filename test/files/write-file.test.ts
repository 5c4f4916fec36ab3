import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { writeTexts } from '../../src/engine/write-back/write-texts.js'
import { filesAsRead } from '../../src/files/as-read.js'
import { nodeFiles } from '../../src/files/files.js'
import { draftIn } from '../../src/files/replace-file.js'
import { writeAll } from '../../src/files/write-all.js'
import { writeWhole } from '../../src/files/write-file.js'
import { temporaryFolder } from '../kit/folder.js'
import { program } from '../kit/program.js'

const modeOf = (file: string): number => statSync(file).mode & 0o777

test('creates the folders of a file, and leaves nothing else behind', () => {
  const folder = temporaryFolder()
  writeWhole(join(folder, 'a/b/c.txt'), 'text', 'owner')
  expect(readFileSync(join(folder, 'a/b/c.txt'), 'utf8')).toBe('text')
  expect(readdirSync(join(folder, 'a/b'))).toEqual(['c.txt'])
})

// Node's own recursive mkdir never returns for such a path.
test.runIf(process.platform === 'linux')('reports a path that cannot be written', () => {
  expect(() => writeWhole('/proc/nowhere/plan.json', 'text', 'owner', 'plan.json')).toThrow(
    'plan.json cannot be written',
  )
})

test('two processes that write one file at the same time do not affect each other’s temporary files', () => {
  const folder = temporaryFolder()
  const drafts = ['plan.json.gatewright-new', '.gatewright-0123456789ab.new']
  for (const draft of drafts) writeFileSync(join(folder, draft), 'half of it')
  writeWhole(join(folder, 'plan.json'), 'text', 'owner')
  expect(readdirSync(folder).sort()).toEqual([...drafts, 'plan.json'].sort())
  for (const draft of drafts) expect(readFileSync(join(folder, draft), 'utf8')).toBe('half of it')
})

test('temporary files of a killed process are removed with the next manifests that are written there, and nothing else', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'manifests'))
  const manifests = join(folder, 'manifests')
  const ended = spawnSync(process.execPath, ['-e', '']).pid
  const stale = draftIn(manifests, ended)
  const living = draftIn(manifests, process.pid)
  const elsewhere = living.replace(/-[0-9a-f]{12}-\d+-/, `-000000000000-${ended}-`)
  const others = ['.gatewright-0123456789ab.new', '.gatewright-notes.new'].map((name) => join(manifests, name))
  const kept = [living, elsewhere, ...others]
  for (const draft of [stale, ...kept]) writeFileSync(draft, 'half of it')
  writeTexts(new Map([['manifests/a.yaml', 'text']]), filesAsRead(nodeFiles(folder)))
  expect(
    readdirSync(manifests)
      .map((name) => join(manifests, name))
      .sort(),
  ).toEqual([join(manifests, 'a.yaml'), ...kept].sort())
})

describe('a file that somebody changes after it was read', () => {
  const afterReading = (
    change: (folder: string) => void,
  ): { readonly folder: string; readonly write: () => unknown } => {
    const folder = temporaryFolder()
    for (const name of ['a.yaml', 'b.yaml']) writeFileSync(join(folder, name), 'as it was read')
    const files = filesAsRead(nodeFiles(folder))
    const names = ['a.yaml', 'b.yaml', 'new.yaml']
    for (const name of names) files.readText(name)
    change(folder)
    return { folder, write: () => writeTexts(new Map(names.map((name) => [name, 'ours'])), files) }
  }
  const contents = (folder: string) =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))

  test.each([
    ['saved', 'b.yaml', (path: string) => writeFileSync(path, 'theirs')],
    ['made', 'new.yaml', (path: string) => writeFileSync(path, 'theirs')],
    ['removed', 'b.yaml', (path: string) => rmSync(path)],
  ])('stays as it is, and so do all others: %s', (_, name, change) => {
    const { folder, write } = afterReading((folder) => change(join(folder, name)))
    const before = contents(folder)
    expect(write).toThrow(`${name} has changed since it was read`)
    expect(contents(folder)).toEqual(before)
  })

  test('is accepted if others have written the same', () => {
    const { folder, write } = afterReading((folder) => writeFileSync(join(folder, 'b.yaml'), 'ours'))
    write()
    expect(contents(folder)).toEqual({ 'a.yaml': 'ours', 'b.yaml': 'ours', 'new.yaml': 'ours' })
  })

  test('is read again as it was', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'a.yaml'), 'first')
    const files = filesAsRead(nodeFiles(folder))
    files.readText('a.yaml')
    writeFileSync(join(folder, 'a.yaml'), 'second')
    expect(files.readText('./a.yaml')).toEqual({ text: 'first' })
  })
})

describe.skipIf(process.platform === 'win32')('the readers of a file', () => {
  test('are limited to its owner, if others may not read it', () => {
    const file = join(temporaryFolder(), 'plan.json')
    writeFileSync(file, 'old', { mode: 0o644 })
    writeWhole(file, 'text', 'owner')
    expect(modeOf(file)).toBe(0o600)
  })

  test('are otherwise the same as before', () => {
    const file = join(temporaryFolder(), 'all.yaml')
    writeFileSync(file, 'old')
    chmodSync(file, 0o664)
    writeWhole(file, 'text', 'as before')
    expect(modeOf(file)).toBe(0o664)
    expect(readFileSync(file, 'utf8')).toBe('text')
  })

  test.runIf(process.getuid?.() === 0)('are its owner and group even if an administrator writes it', () => {
    const file = join(temporaryFolder(), 'all.yaml')
    writeFileSync(file, 'old')
    chownSync(file, 4711, 4712)
    chmodSync(file, 0o640)
    writeWhole(file, 'text', 'as before')
    expect(statSync(file)).toMatchObject({ uid: 4711, gid: 4712 })
    expect(modeOf(file)).toBe(0o640)
  })

  test('a link stays a link', () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'real'))
    writeFileSync(join(folder, 'real/all.yaml'), 'old')
    symlinkSync('real/all.yaml', join(folder, 'all.yaml'))
    writeWhole(join(folder, 'all.yaml'), 'text', 'as before')
    expect(lstatSync(join(folder, 'all.yaml')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(folder, 'real/all.yaml'), 'utf8')).toBe('text')
    expect(readdirSync(join(folder, 'real'))).toEqual(['all.yaml'])
  })

  test('a link to a missing file stays a link as well', () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'real'))
    symlinkSync('real/all.yaml', join(folder, 'all.yaml'))
    symlinkSync('all.yaml', join(folder, 'latest.yaml'))
    writeWhole(join(folder, 'latest.yaml'), 'text', 'as before')
    expect(lstatSync(join(folder, 'latest.yaml')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(folder, 'real/all.yaml'), 'utf8')).toBe('text')
    expect(readdirSync(folder).sort()).toEqual(['all.yaml', 'latest.yaml', 'real'])
  })

  test('a pipe is written to, and stays a pipe', () => {
    const folder = temporaryFolder()
    shell('mkfifo "$1/pipe"', folder)
    shell('cat "$1/pipe" >"$1/read" &', folder)
    writeWhole(join(folder, 'pipe'), 'text', 'owner')
    expect(lstatSync(join(folder, 'pipe')).isFIFO()).toBe(true)
    return expect.poll(() => readFileSync(join(folder, 'read'), 'utf8')).toBe('text')
  })
})

describe('a full disk', () => {
  test('accepts a part first, and the rest is written until it reports an error', () => {
    const room = 10
    const taken: string[] = []
    const write = (rest: Uint8Array): number => {
      const part = Buffer.from(rest).toString('utf8', 0, Math.min(4, room - taken.join('').length))
      if (part === '') throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
      taken.push(part)
      return part.length
    }
    writeAll(Buffer.from('0123456789'), write)
    expect(taken).toEqual(['0123', '4567', '89'])
    taken.length = 0
    expect(() => writeAll(Buffer.from('0123456789+'), write)).toThrow('ENOSPC')
  })

  // A limit on the size of files has the effect of a full disk: a short write first, then an error.
  test.runIf(process.platform === 'linux')('leaves manifests as they were, and an export reports it', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'area.json'), snapshotOf(1500))
    mkdirSync(join(folder, 'manifests'))
    writeFileSync(join(folder, 'manifests/domains.yaml'), '# as it was\n')
    const words = ['export', '--snapshot', 'area.json', '--dir', 'manifests']
    const run = limited('ulimit -f 64', words, folder)
    expect(run.stderr).toContain('manifests/domains.yaml cannot be written: the file would be larger than is allowed')
    expect(run.status).toBe(1)
    expect(readdirSync(join(folder, 'manifests'))).toEqual(['domains.yaml'])
    expect(readFileSync(join(folder, 'manifests/domains.yaml'), 'utf8')).toBe('# as it was\n')
  })

  test.runIf(process.platform === 'linux')('leaves no project with missing manifests', () => {
    const folder = temporaryFolder()
    const numbers = Array.from({ length: 1500 }, (_, index) => index)
    const domains = ['DEV', 'QA'].flatMap((stage) =>
      numbers.map((each) => ({ id: `${stage}${each}`, domain: `${stage}-${each}.example.com`, status: 'active' })),
    )
    writeFileSync(join(folder, 'area.json'), JSON.stringify({ domains }))
    const words = ['export', '--stages', 'DEV,QA', '--snapshot', 'area.json', '--dir', 'staged']
    const run = limited('ulimit -f 64', words, folder)
    expect(run.stderr).toContain('cannot be written: the file would be larger than is allowed')
    expect(run.status).toBe(1)
    expect(existsSync(join(folder, 'staged/gatewright.yaml'))).toBe(false)
  })

  test.runIf(process.platform === 'linux')('too few open files are not reported as a bug of the program', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'area.json'), snapshotOf(1))
    const words = ['export', '--snapshot', 'area.json', '--dir', 'manifests']
    const limits = Array.from({ length: 12 }, (_, index) => 19 + index)
    const runs = limits.map((most) => limited(`ulimit -n ${most}`, words, folder))
    // With the fewest, Node itself does not start; with a few more, newer versions have enough.
    const started = runs.filter(({ status, stderr }) => status !== null && !/^Node\.js v/m.test(stderr))
    expect(started.length).toBeGreaterThan(0)
    for (const { status, stderr } of started) {
      if (status !== 0) expect(stderr).toMatch(/too many files are open.*\n {2}hint: raise the limit/)
    }
  })

  test.runIf(canMount())('of 64 KiB leaves a plan as it was', () => {
    const disk = join(temporaryFolder(), 'disk')
    mkdirSync(disk)
    shell(mount, disk)
    onTestFinished(() => {
      shell(unmount, disk)
    })
    const file = join(disk, 'plan.json')
    writeWhole(file, 'old', 'owner')
    expect(() => writeWhole(file, 'x'.repeat(100_000), 'owner', 'plan.json')).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('plan.json cannot be written: no space is left on the disk'),
        problems: [expect.objectContaining({ hint: expect.stringContaining('free some space') })],
      }),
    )
    expect(readFileSync(file, 'utf8')).toBe('old')
    expect(readdirSync(disk)).toEqual(['plan.json'])
    writeWhole(file, 'x'.repeat(40_000), 'owner')
    expect(readFileSync(file, 'utf8')).toHaveLength(40_000)
  })
})

const mount = 'mount -t tmpfs -o size=64k tmpfs "$1"'
const unmount = 'umount "$1"'

/** Runs a shell command; the given path is its $1. */
const shell = (words: string, path: string): void => {
  execFileSync('sh', ['-c', words, 'sh', path], { stdio: 'ignore' })
}

const snapshotOf = (domains: number): string =>
  JSON.stringify({
    domains: Array.from({ length: domains }, (_, index) => ({
      id: `d${index}`,
      domain: `host-${index}.example.com`,
      status: 'active',
    })),
  })

/** The program in a folder, in a shell with that limit. */
const limited = (limit: string, words: readonly string[], folder: string) =>
  spawnSync('sh', ['-c', `${limit}; exec "$@"`, 'sh', process.execPath, program, ...words], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-mount-'))
  const mounted = spawnSync('sh', ['-c', mount, 'sh', folder]).status === 0
  if (mounted) shell(unmount, folder)
  rmSync(folder, { recursive: true, force: true })
  return mounted
}
