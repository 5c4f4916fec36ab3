import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { program } from '../kit/program.js'
import { gatewright } from './run.js'

const folder = mkdtempSync(join(tmpdir(), 'gatewright-completion-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const project = join(folder, 'shop')
mkdirSync(join(project, 'below'), { recursive: true })
// No manifest is read: this one could not be.
writeFileSync(join(project, 'orders.yaml'), '{{{')
writeFileSync(
  join(project, 'gatewright.yaml'),
  `apiVersion: gatewright/v1
kind: Project
metadata: {name: shop}
spec: {manifests: [orders.yaml], environments: {dev: {}, prod: {}, "$(touch pwned)": {}, "a b": {}}}
`,
)

/** The words that are suggested for the last one, and the task of the shell. */
async function offered(words: readonly string[], cwd = project) {
  const { exitCode, stdout, stderr } = await gatewright(['complete', '--', ...words], { cwd })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n')
  return { words: lines.slice(0, -1).map((line) => line.split('\t')[0]), files: lines.at(-1) === ':0' }
}

describe('completion', () => {
  it.each([[['']], [['fleet', '']], [['fleet', 'rollout', '']]])(
    'says what each command after %j is about',
    async (words) => {
      const { stdout } = await gatewright(['complete', '--', ...words], { cwd: project })
      const lines = stdout.trimEnd().split('\n').slice(0, -1)
      expect(lines.length).toBeGreaterThan(4)
      expect(lines.filter((line) => !/^[a-z]+\t\S/.test(line))).toEqual([])
    },
  )

  it.each([
    [['pl'], ['plan', 'platform']],
    [['comp'], ['completion']],
    [['-e', 'dev', 'val'], ['validate']],
    [['plan', '--exi'], ['--exit-code']],
    [
      ['plan', '--prune', ''],
      ['none', 'applied', 'all'],
    ],
    [
      ['plan', '--prune', 'a'],
      ['applied', 'all'],
    ],
    [['export', '--prune', '--kin'], ['--kind']],
    [
      ['export', '--kind', 'Package'],
      ['Package', 'PackageKey'],
    ],
    [
      ['plan', '-o', ''],
      ['text', 'json', 'markdown'],
    ],
    [
      ['get', '-o', ''],
      ['text', 'json', 'yaml'],
    ],
    [['-o', 'y'], ['yaml']],
    [['plan', '--allow', 'KEY'], ['KEY_LOSS']],
    [
      ['get', 'Erro'],
      ['ErrorSet', 'ErrorMessage'],
    ],
    [['explain', 'Dom'], ['Domain']],
    [['explain', 'Proj'], ['Project']],
    [['explain', 'KEY'], ['KEY_LOSS']],
    [['explain', 'no-b'], ['no-base']],
    [['explain', 'meta'], ['metadata']],
    [['show', ''], ['latest']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', 'powershell'],
    ],
    [['platform', '--select'], []],
    [['fleet', 'plan', '--para'], ['--parallelism']],
    // A file or folder may have the name of a command.
    [['apply', 'plan', '--lock'], ['--lock-timeout']],
    [['export', '--dir', 'plan', '--kin'], ['--kind']],
    [
      ['-C', 'init', 'drift', '--acc'],
      ['--accepted', '--accept'],
    ],
    [
      ['fleet', 'apply', '--prune', ''],
      ['none', 'applied', 'all'],
    ],
  ])('of %j suggests %j', async (words, expected) => {
    expect((await offered(words)).words).toEqual(expected)
  })

  it('suggests the environments of the project, if their names are plain', async () => {
    const names = { words: ['dev', 'prod'], files: false }
    expect(await offered(['plan', '-e', ''])).toEqual(names)
    expect(await offered(['plan', '--applied-in', ''])).toEqual(names)
    expect(await offered(['promote', ''])).toEqual(names)
    expect(await offered(['promote', 'dev', ''])).toEqual(names)
    expect(await offered(['plan', '--env', ''], join(project, 'below'))).toEqual(names)
    expect(await offered(['-C', 'shop', 'plan', '-e', ''], folder)).toEqual(names)
    expect((await offered(['plan', '--env=p'])).words).toEqual(['prod'])
    expect(await offered(['plan', '-e', ''], folder)).toEqual({ words: [], files: false })
  })

  it('leaves files to the shell', async () => {
    for (const words of [
      ['plan', '--out', ''],
      ['apply', ''],
      ['fleet', 'apply', ''],
      ['-C', ''],
      ['platform', '--seed', 'a'],
      ['show', 'plan.'],
    ]) {
      expect(await offered(words)).toEqual({ words: [], files: true })
    }
  })

  it('suggests no files for a run to undo', async () => {
    expect(await offered(['rollback', 'plan.'])).toEqual({ words: [], files: false })
  })

  it('answers in less than a tenth of a second after the program has started', async () => {
    const times: number[] = []
    for (let count = 0; count < 5; count += 1) {
      const start = process.cpuUsage()
      await offered(['plan', '-e', ''])
      const { user, system } = process.cpuUsage(start)
      times.push((user + system) / 1000)
    }
    expect(Math.min(...times)).toBeLessThan(100)
  })

  it.each(['bash', 'zsh', 'fish', 'powershell'])('has a script for %s, which calls the program', async (shell) => {
    const { exitCode, stdout, stderr } = await gatewright(['completion', shell])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(/gatewright complete '?--/)
  })

  it('for another shell is an error that lists the known ones', async () => {
    const { exitCode, stderr } = await gatewright(['completion', 'tcsh'])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('it takes one of: bash, zsh, fish, powershell')
  })

  it('is hidden in the list of commands, except for its script', async () => {
    const { stdout } = await gatewright(['--help'])
    expect(stdout).toContain('  completion ')
    expect(stdout).not.toContain('  complete ')
  })
})

it('bash completes with the script, loaded twice', () => {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'gatewright'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  chmodSync(join(bin, 'gatewright'), 0o755)
  // The package bash-completion is not there.
  const script = `
    compopt() { echo "compopt $*"; }
    for time in first second; do source <(gatewright completion bash); done
    complete -p gatewright
    for COMP_LINE in 'gatewright plan -e ' 'gatewright plan --select "a b" --prune a' 'gatewright plan --prune=a' 'gatewright pl'; do
      COMP_POINT=\${#COMP_LINE}
      __gatewright_complete
      echo "\${COMPREPLY[*]}"
    done`
  const env = { PATH: `${bin}:${process.env.PATH}` }
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { cwd: project, env, encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(stdout.replaceAll('compopt +o default\n', '').trim().split('\n')).toEqual([
    'complete -o default -F __gatewright_complete gatewright',
    'dev prod',
    'applied all',
    // Bash adds it after the sign.
    'applied all',
    'plan platform',
  ])
})
