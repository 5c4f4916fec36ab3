import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { nodeFiles } from '../../src/files/files.js'
import { readProject } from '../../src/manifest/project.js'
import { readManifests } from '../../src/manifest/read.js'
import { documentOf } from './manifests-of.js'

/** Only ordinary files of a limited size are read: no path in a project can make the program wait or grow. */

const cwd = mkdtempSync(join(tmpdir(), 'gatewright-files-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))
const files = nodeFiles(cwd)

const role = documentOf('Role', { name: 'R' })
mkdirSync(join(cwd, 'm'))
writeFileSync(join(cwd, 'm/role.yaml'), role)
execFileSync('mkfifo', [join(cwd, 'pipe'), join(cwd, 'm/pipe.yaml')])
symlinkSync('pipe.yaml', join(cwd, 'm/link.yaml'))
symlinkSync('loop', join(cwd, 'loop'))
writeFileSync(join(cwd, 'large'), 'x')
truncateSync(join(cwd, 'large'), 65 * 2 ** 20)
writeFileSync(join(cwd, 'value'), 'x'.repeat(2 ** 20))
writeFileSync(join(cwd, 'too-large'), 'x'.repeat(2 ** 20 + 1))
writeFileSync(join(cwd, 'latin'), Buffer.from([0xe9]))

const notOrdinary = 'it is not an ordinary file but a pipe, a device or a socket'
const problemsOf = (options: Partial<Parameters<typeof readManifests>[0]>) =>
  readManifests({ project: { file: undefined, dir: '.', manifests: [] }, env: {}, files, ...options }).problems

const messages = (options: Parameters<typeof problemsOf>[0]) =>
  problemsOf(options).map(({ code, message }) => `${code} ${message}`)

describe('a manifest', () => {
  test.each([
    ['pipe', notOrdinary],
    ['m/link.yaml', notOrdinary],
    ['/dev/zero', notOrdinary],
    ['large', 'it is larger than 64 MB'],
    ['loop', 'there is no such file or folder'],
  ])('that is named in the project may not be %s', (path, reason) => {
    expect(messages({ project: { file: undefined, dir: '.', manifests: [path] } })).toEqual([
      `missing-file ${path}: ${reason}`,
    ])
  })

  test('that is found in a folder must be an ordinary file, or a link to one', () => {
    expect(messages({ project: { file: undefined, dir: 'm', manifests: [] } })).toEqual([])
    expect(messages({ paths: ['m'] })).toEqual([])
  })

  test('may be a broken link, which is reported: its objects are missing, not gone', () => {
    mkdirSync(join(cwd, 'linked'))
    writeFileSync(join(cwd, 'linked/role.yaml'), role)
    symlinkSync('nowhere', join(cwd, 'linked/lost.yaml'))
    symlinkSync('nowhere', join(cwd, 'linked/lost.txt'))
    const expected = ['missing-file linked/lost.yaml: it is a link to nowhere, which is not there']
    expect(messages({ project: { file: undefined, dir: 'linked', manifests: [] } })).toEqual(expected)
    expect(messages({ paths: ['linked/*.yaml'] })).toEqual(expected)
  })

  test('may be a pipe that is named on the command line', () => {
    // It writes by itself, because opening a pipe waits for the other end.
    spawn('sh', ['-c', 'cat m/role.yaml > pipe'], { cwd })
    expect(messages({ paths: ['pipe'] })).toEqual([])
    expect(messages({ paths: ['/dev/zero'] })).toEqual([`missing-file /dev/zero: ${notOrdinary}`])
  })
})

describe('a project file', () => {
  test('may not be a pipe or a folder', () => {
    for (const [file, reason] of [
      ['pipe', notOrdinary],
      ['m', 'it is a folder'],
    ] as const) {
      const { problems } = readProject({ dir: '.', file, env: {} }, files)
      expect(problems.map(({ message }) => message)).toEqual([`${file}: ${reason}`])
    }
  })
})

describe('${file:…}', () => {
  test.each([
    ['pipe', notOrdinary, 'the path starts from this manifest'],
    ['m', 'it is a folder', 'the path starts from this manifest'],
    ['too-large', 'it is larger than 1 MB', 'give a text file of up to 1 MB that may be read'],
    ['latin', 'it is not UTF-8 text', 'give a text file of up to 1 MB that may be read'],
    ['none', 'there is no such file or folder', 'the path starts from this manifest'],
    ['loop', 'it is a link that leads back to itself', 'the path starts from this manifest'],
  ])('does not read %s', (path, reason, hint) => {
    writeFileSync(join(cwd, 'with-value.yaml'), documentOf('Role', { name: 'R' }, { description: `\${file:${path}}` }))
    expect(problemsOf({ paths: ['with-value.yaml'] })).toMatchObject([
      { code: 'missing-value-file', message: `the file ${path} cannot be read: ${reason}`, hint },
    ])
  })

  test('reads a file of one MB', () => {
    writeFileSync(join(cwd, 'with-value.yaml'), documentOf('Role', { name: 'R' }, { description: '${file:value}' }))
    expect(messages({ paths: ['with-value.yaml'] })).toEqual([])
  })
})
