import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { program } from '../../src/cli/command-line.js'
import { gatewright } from './run.js'

describe('the command line', () => {
  it('--help goes to stdout, exit 0, and lists the commands', async () => {
    const { exitCode, stdout, stderr } = await gatewright(['--help'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    for (const command of ['validate', 'plan', 'apply', 'drift', 'explain', 'schema', 'platform']) {
      expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'))
    }
  })

  it('the help of a command has its own options and the global ones', async () => {
    const { exitCode, stdout } = await gatewright(['apply', '--help'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('--allow-replace')
    expect(stdout).toContain('--log-http')
  })

  it('the help fits into a terminal of 60 columns', () => {
    let text = ''
    const output = { out: (written: string) => (text += written), error: () => undefined }
    program(output, { found: () => undefined, stopped: () => undefined })
      .configureOutput({ getOutHelpWidth: () => 60 })
      .outputHelp()
    expect(text.split('\n').filter((line) => line.length > 60)).toEqual([])
  })

  it('--version prints the version', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
    expect(await gatewright(['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' })
  })

  it.each([
    [['help', 'plan'], 'gatewright plan '],
    [['help', 'fleet', 'list'], 'gatewright fleet list '],
    [['help'], 'gatewright [options] [command]'],
  ])('%j is the help of that command', async (words, usage) => {
    const { exitCode, stdout } = await gatewright(words)
    expect(exitCode).toBe(0)
    expect(stdout).toContain(`Usage: ${usage}`)
  })

  it('without a command shows the help on stderr, exit 1', async () => {
    const { exitCode, stdout, stderr } = await gatewright([])
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain('Usage: gatewright')
  })

  it.each([
    [['plam'], "unknown command 'plam'", 'did you mean plan?'],
    [['plam', '--help'], "unknown command 'plam'", 'did you mean plan?'],
    [['-h', '-C', 'x', 'plam'], "unknown command 'plam'", 'did you mean plan?'],
    [['fleet', 'aply', '--help'], "unknown command 'aply'", 'did you mean apply?'],
    [['help', 'fleet', 'aply'], "unknown command 'aply'", 'did you mean apply?'],
    [['help', 'plam'], "unknown command 'plam'", 'did you mean plan?'],
    [['fleet', 'x'], "unknown command 'x'", 'gatewright fleet --help lists its commands'],
    [['fleet', 'rollout', 'x'], "unknown command 'x'", 'gatewright fleet rollout --help lists its commands'],
    [['plan', '--exit-cod'], "unknown option '--exit-cod'", 'did you mean --exit-code?'],
    [['explain', 'Service', 'more'], "too many arguments for 'explain'", 'gatewright explain --help'],
    [['plan', 'Service/A'], "too many arguments for 'plan'", 'did you mean gatewright plan --select Service/A?'],
    [['plan', 'main.test.ts'], "too many arguments for 'plan'", 'did you mean gatewright plan -f main.test.ts?'],
    [['plan', '--out'], "option '--out <file>' argument missing", 'gatewright plan --help'],
    [['show'], "missing required argument 'run'", 'write gatewright show <run>; gatewright show --help explains it'],
    [['promote', 'dev'], "missing required argument 'to'", 'write gatewright promote <from> <to>;'],
    [['fleet', 'apply', '--yes'], "missing required argument 'folder'", 'write gatewright fleet apply <folder>;'],
    [['platform', '--select', 'x'], '--select has no effect on gatewright platform', 'gatewright platform --help'],
    [['init', '-f', 'x'], '--file has no effect on gatewright init', 'leave it out'],
    [['plan', '--color', 'some'], '--color has the value "some"', 'it takes one of: auto, always, never'],
    [['plan', '-o', 'xml'], '--output has the value "xml"', 'it takes one of: text, json, markdown'],
    [['explain', '-o', 'yaml'], '--output has the value "yaml"', 'it takes one of: text, json'],
    [['plan', '--prune', 'some'], '--prune has the value "some"', 'it takes one of: none, applied, all'],
    [['apply', '--allow', 'KEY_LOS'], '--allow has the value "KEY_LOS"', 'it takes one of: KEY_LOSS, TRAFFIC_STOP'],
    [['apply', '--lock-timeout', '1w'], '--lock-timeout has the value "1w"', 'it takes a duration, such as 30s'],
    [['apply', '--wait-domains', 'soon'], '--wait-domains has the value "soon"', 'such as 30s'],
    [['plan', '--select', '', '-f', ''], '--file is empty', 'a variable of the shell that is not set is empty'],
    [['diff', 'manifests', ''], 'an argument is empty', 'leave it out'],
    [['plan', '--out', ''], '--out is empty', 'give it a value'],
    [['platform', '--port', 'http'], '--port has the value "http"', 'a whole number'],
    [['platform', '--port', '70000'], '--port has the value "70000"', 'a whole number from 0 to 65535'],
    [['platform', '--latency', '-1'], '--latency has the value "-1"', 'a whole number from 0 on'],
    [['fleet', 'drift', '--parallelism', '0'], '--parallelism has the value "0"', 'a whole number from 1 on'],
    [['fleet', 'list', '--jobs', '0'], '--jobs has the value "0"', 'a whole number from 1 on'],
    [['fleet', 'serve', '--jobs', '0'], '--jobs has the value "0"', 'a whole number from 1 on'],
    [['fleet', 'history', '--limit', '0'], '--limit has the value "0"', 'a whole number from 1 on'],
  ])('%j is an error with advice', async (args, message, hint) => {
    const { exitCode, stdout, stderr } = await gatewright(args)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
  })

  it.each<[string | Buffer, string]>([
    ['[]', 'it is not an object of collections'],
    ['\ufeff[]', 'it is not an object of collections'],
    [Buffer.from('{"roles": [{"name": "\xe4"}]}', 'latin1'), 'it is not UTF-8 text: the byte 0xe4 in line 1'],
    [Buffer.from('{}', 'utf16le'), 'it is not UTF-8 text: it is UTF-16'],
    ['{"service": [{"name": "A"}]}', 'service: There is no such collection.'],
    ['{"services": [{"name": "A", "cache": 5, "qpsLimitOverall": 1.5}]}', 'needs --dialect recorded'],
  ])('the seed %s is not a snapshot', async (seed, words) => {
    const file = join(mkdtempSync(join(tmpdir(), 'gatewright-seed-')), 'seed.json')
    writeFileSync(file, seed)
    const { exitCode, stderr } = await gatewright(['platform', '--port', '0', '--seed', file])
    rmSync(dirname(file), { recursive: true })
    expect(exitCode).toBe(1)
    expect(stderr).toContain(words)
  })

  it.each([
    ['platform', ['--select', '--label', '--file', '--log-http', '--url', '--quiet']],
    ['init', ['--select', '--label', '--file', '--log-http']],
    ['explain', ['--select', '--log-http', '--area']],
    ['history', ['--select', '--file']],
  ])('%s --help lists only options that it uses', async (name, others) => {
    const { stdout } = await gatewright([name, '--help'])
    expect(stdout).toContain('--output')
    for (const option of others) expect(stdout).not.toContain(`${option} `)
  })

  it('get --help lists its output formats', async () => {
    expect((await gatewright(['get', '--help'])).stdout).toMatch(/--output <form>\s+text, json, yaml \(default: text\)/)
  })

  it.each([[['-o', 'json', 'plam']], [['plam', '--output=json']], [['plam', '-ojson']]])(
    '%j writes the error as JSON to stdout',
    async (args) => {
      const { exitCode, stdout, stderr } = await gatewright(args)
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' })
      expect(JSON.parse(stdout)).toMatchObject({
        format: 'gatewright.diagnostics/1',
        diagnostics: [{ code: 'usage', severity: 'error', message: "unknown command 'plam'" }],
      })
    },
  )

  it('global options may be before or after the name of the command', async () => {
    const before = await gatewright(['-o', 'json', 'explain', 'Domain'])
    const after = await gatewright(['explain', 'Domain', '-o', 'json'])
    expect(before).toEqual(after)
    expect(JSON.parse(before.stdout).kinds.Domain.fields.domain.type).toBe('string')
  })

  it('colours are used only if the terminal can display them, and nobody turned them off', async () => {
    const escapeCode = '\u001b['
    const stderrOf = async (args: readonly string[], env: Record<string, string>) =>
      (await gatewright(args, { terminal: true, env })).stderr
    expect(await stderrOf(['plam'], {})).toContain(escapeCode)
    expect((await gatewright(['plam'], { env: { CI: '1' } })).stderr).not.toContain(escapeCode)
    expect((await gatewright(['plam'], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).stderr).toContain(escapeCode)
    expect((await gatewright(['plam', '--color=always'], { env: { NO_COLOR: '1' } })).stderr).toContain(escapeCode)
    expect((await gatewright(['--color', 'always', 'explain'])).stdout).toContain(escapeCode)
    expect(await stderrOf(['plam'], { FORCE_COLOR: '0' })).not.toContain(escapeCode)
    expect(await stderrOf(['plam', '--color', 'never'], { FORCE_COLOR: '1' })).not.toContain(escapeCode)
    expect(await stderrOf(['plam'], { NO_COLOR: '1' })).not.toContain(escapeCode)
    expect(await stderrOf(['plam'], { TERM: 'dumb' })).not.toContain(escapeCode)
    expect(await stderrOf(['plam', '--no-color'], {})).not.toContain(escapeCode)
  })
})
