import { type ComparedSides, compareSides } from '../../engine/compare.js'
import { compareEnvironmentsOf } from '../../engine/compare-environments.js'
import type { Ports } from '../../ports/ports.js'
import { ProblemError } from '../../problems/problem.js'
import { badUsage } from '../../problems/project.js'
import { diffMarkdown, diffText } from '../../report/diff.js'
import type { CommandEnd } from '../command-end.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { DiffOptions } from '../options.js'
import { showProblems } from '../show.js'
import { showIn } from '../show-in.js'

/** `diff A B`: compares two sides, or two environments with `-e A -e B`, by address and field. Sends only GET. */
export async function diffCommand(options: DiffOptions, io: Io): Promise<CommandEnd> {
  const { document, problems } = await compared(options, io)
  showProblems(problems, { ...options, output: 'text' }, io)
  showIn({ text: diffText, markdown: diffMarkdown }, document, options, io)
  const isSame = document.differences.length === 0 && (document.layers ?? []).length === 0
  return { exitCode: isSame ? exit.done : exit.differences, reported: { is: 'diff', document } }
}

function compared({ live, sides, ...options }: DiffOptions, ports: Ports): Promise<ComparedSides> {
  const [[a, b, third], [first, second, other]] = [sides, options.environments]
  if (first !== undefined && second !== undefined && other === undefined && a === undefined) {
    return compareEnvironmentsOf(
      { ...options, environments: [first, second], compare: live ? 'live' : 'desired' },
      ports,
    )
  }
  if (a === undefined || b === undefined || third !== undefined || second !== undefined || live) throw notTwo()
  return compareSides({ ...options, sides: [a, b] }, ports)
}

const notTwo = (): ProblemError =>
  new ProblemError([
    badUsage(
      'diff compares two sides',
      'name two snapshot files, folders, live, URL[#AREA] or env:NAME; or two environments: -e A -e B [--live]',
    ),
  ])
