import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

/** The text of the Action and of its example; test/e2e runs them. */

const folder = join(import.meta.dirname, '../../ci/github')
const read = (file: string): string => readFileSync(join(folder, file), 'utf8')

interface Job {
  readonly 'timeout-minutes'?: number
  readonly permissions?: Readonly<Record<string, string>>
  readonly environment?: string
}

describe('the GitHub Action', () => {
  it('pins the actions of others to commits', () => {
    const used = ['action.yml', 'workflow.yaml'].flatMap((file) => read(file).match(/uses: .*/g) ?? [])
    const others = used.filter((each) => !each.startsWith('uses: OWNER/gatewright/'))
    expect(others.length).toBeGreaterThan(5)
    for (const each of others) expect(each).toMatch(/^uses: actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it('has jobs in its example that end, with only the permissions that each needs', () => {
    const { jobs, permissions } = parse(read('workflow.yaml')) as {
      readonly jobs: Readonly<Record<string, Job>>
      readonly permissions: object
    }
    expect(permissions).toEqual({ contents: 'read' })
    for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0)
    const writes = Object.entries(jobs).map(([name, job]) => [
      name,
      Object.entries(job.permissions ?? {}).flatMap(([what, access]) => (access === 'write' ? what : [])),
    ])
    expect(Object.fromEntries(writes)).toEqual({
      validate: [],
      plan: ['pull-requests'],
      apply: ['contents'],
      drift: ['issues'],
    })
    expect(jobs.apply?.environment).toBe('production')
  })

  it.each(['run.sh', 'keep.sh'])('%s is a program that bash can read', (file) => {
    expect(statSync(join(folder, file)).mode & 0o111).not.toBe(0)
    expect(spawnSync('bash', ['-n', join(folder, file)], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  })

  it('has an example in which actionlint finds nothing', (context) => {
    const { error, status, stdout } = spawnSync('actionlint', [join(folder, 'workflow.yaml')], { encoding: 'utf8' })
    if (error) context.skip('actionlint is not on the PATH: the example is not linted here')
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  })
})
