import { type CommandRow, commandName, commands } from '../../src/cli/commands.js'
import type { DeclaredOption } from '../../src/cli/option.js'
import { globalOptionOf, globals } from '../../src/cli/options.js'
import { formatsOf } from '../../src/report/formats/formats.js'
import { code, page, sentence, table } from './page.js'

/** docs/reference/commands.md: all commands and options, from the program's own rows. */
export function commandsPage(): string {
  const displayed = commands.filter(({ hidden }) => !hidden)
  const contents = displayed.map((row) => [
    `[${code(row.usage)}](#${commandName(row).replaceAll(' ', '-')})`,
    sentence(row.about),
  ])
  return page(
    'Commands',
    'src/cli/commands.ts and src/cli/options.ts',
    head,
    table(['command', 'does'], contents),
    ...displayed.map(section),
    everywhere(),
  )
}

const head = `This page lists every command with its options; \`gatewright COMMAND --help\` prints the same. Options may be before or after the
name of the command. Options take precedence over [environment variables](environment-variables.md), and these over the project
file. Only results go to stdout; progress and messages go to stderr. There \`get\`, \`export\`, \`snapshot\` and \`diff\` first name
the area that they read. See also [exit codes](exit-codes.md).`

function section(row: CommandRow): string {
  const own = Object.values(row.options)
  const others = row.globals
    .filter((name) => !everywhereNames.includes(name))
    .map((name) => ({ option: globalOptionOf(commandName(row), name) }))
  return [
    `## ${commandName(row)}`,
    `\`gatewright ${row.usage}\``,
    sentence(row.about),
    outputs(row),
    ...(own.length + others.length === 0 ? [] : [table(['option', ''], [...own, ...others].map(optionRow))]),
  ].join('\n\n')
}

const everywhereNames: readonly string[] = ['output', 'color', 'quiet', 'debug', 'directory']

function outputs({ outputs: forms, document }: CommandRow): string {
  const answer = `\`-o\`: ${forms.join(', ')}.`
  return document === undefined
    ? answer
    : `${answer} \`--report\` ([reports](reports.md)): ${formatsOf(document).join(', ')}.`
}

const optionRow = ({ option }: Pick<DeclaredOption<unknown>, 'option'>): readonly string[] => [
  code(option.flags),
  option.description,
]

function everywhere(): string {
  const rows = everywhereNames.flatMap((name) =>
    Object.entries(globals).flatMap(([each, declared]) => (each === name ? [optionRow(declared)] : [])),
  )
  return `## Options of nearly all commands\n\nA command refuses an option that has no effect on it, such as ${code('-C')} if it reads no project file. ${code('gatewright --version')} prints the version.\n\n${table(['option', ''], rows)}`
}
