import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { schemaOf } from '../../src/catalog/json-schema.js'
import { outlineOf } from '../../src/catalog/outline.js'
import { program } from '../../src/cli/command-line.js'
import { problemCodes } from '../../src/problems/codes.js'

const root = join(import.meta.dirname, '../..')
const page = (name: string): string => readFileSync(join(root, 'docs/reference', name), 'utf8')

describe('docs/reference', () => {
  const silent = { out: () => undefined, error: () => undefined }
  const parser = program(silent, { found: () => undefined, stopped: () => undefined })
  const commands: readonly Command[] = parser.commands.filter((command) => command.name() !== 'complete')

  it.each(commands.map((command) => [command.name(), command] as const))(
    'has %s with all its options',
    (_, command) => {
      const [, rest = ''] = page('commands.md').split(`\n## ${command.name()}\n`)
      const [section = ''] = rest.split('\n## ')
      for (const { flags } of command.options) expect(section).toContain(`| \`${flags}\` |`)
    },
  )

  it('has the options before commands', () => {
    for (const { flags, hidden } of parser.options) {
      if (!hidden && flags !== '--version') expect(page('commands.md')).toContain(`| \`${flags}\` |`)
    }
  })

  it('has every key of the project file, with its purpose', () => {
    const rows = outlineOf(schemaOf('Project'))
    expect(rows.length).toBeGreaterThan(40)
    for (const { key } of rows) expect(page('project-file.md')).toContain(`| \`${key}\` |`)
    expect(rows.filter(({ about }) => about === '')).toEqual([])
  })

  it('has every variable of the program', () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(join(root, 'src', path), 'utf8'))
    const used = new Set(sources.flatMap((source) => source.match(/\bGATEWRIGHT_[A-Z]+(_[A-Z]+)*\b/g) ?? []))
    expect(used.size).toBeGreaterThan(10)
    for (const name of used) expect(page('environment-variables.md')).toContain(`\`${name}\``)
  })

  it('has every code of a problem', () => {
    for (const code of Object.keys(problemCodes)) expect(page('problems.md')).toContain(`| \`${code}\` |`)
  })
})
