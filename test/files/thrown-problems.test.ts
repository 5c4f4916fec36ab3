import { readFileSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { thrownProblems } from '../../src/files/thrown-problems.js'
import { ProblemError } from '../../src/problems/problem.js'
import { badUsage } from '../../src/problems/project.js'

function problemOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return thrownProblems(error)
      .map(({ code, message }) => `${code}: ${message}`)
      .join()
  }
  throw new Error('nothing was thrown')
}

const failing = (code: string, path?: string) => () => {
  throw Object.assign(new Error(`${code}: words of Node`), { code, ...(path !== undefined && { path }) })
}

test.each([
  [() => rmSync('/proc/self/stat/below'), 'system-failed: gatewright cannot go on: /proc/self/stat/below: '],
  [() => readFileSync('/'), 'system-failed: gatewright cannot go on: it is a folder'],
  [
    () => readFileSync(`/${'x'.repeat(300)}`),
    `system-failed: gatewright cannot go on: /${'x'.repeat(300)}: the path, or a part of it, is too long`,
  ],
  [failing('EACCES', '/f'), 'system-failed: gatewright cannot go on: /f: permission denied'],
  [failing('ENOSPC', '/f'), 'shortage: gatewright cannot go on: /f: no space is left on the disk'],
  [failing('ENOENT', '/f'), 'internal-error: internal error: ENOENT: words of Node'],
  [failing('ERR_OTHER'), 'internal-error: internal error: ERR_OTHER: words of Node'],
  [
    () => {
      throw new ProblemError([badUsage('words', undefined)])
    },
    'usage: words',
  ],
])('an error of the operating system is not reported as a bug of the program (%#)', (work, words) => {
  expect(problemOf(work)).toContain(words)
})
