import { describe, expect, onTestFinished, test } from 'vitest'
import { ProblemError } from '../../src/problems/problem.js'
import { openWorkflowClient } from '../../src/workflows/client.js'
import { openWorker } from '../../src/workflows/worker.js'
import { dropDatabase, freshDatabase, onServer, postgresServer } from '../kit/postgres.js'

describe.skipIf(postgresServer === undefined)('missing permissions of a login are reported', () => {
  /** The URL of a database for a login that may only use it. */
  async function limited(): Promise<{ readonly url: string; readonly own: string }> {
    const own = await freshDatabase()
    const role = `${new URL(own).pathname.slice(1)}_limited`
    await onServer(own, `create role ${role} login password 'limited-password'`)
    onTestFinished(async () => {
      await dropDatabase(own)
      await onServer(postgresServer ?? '', `drop role ${role}`)
    })
    const url = new URL(own)
    url.username = role
    url.password = 'limited-password'
    return { url: url.href, own }
  }

  const problem = {
    code: 'database-failed',
    message: expect.stringMatching(/^the database of the fleet at postgres:.* cannot be used: permission denied for/),
  }
  const named = { application: 'gatewright brands', format: 'fleet/1' }

  test('a worker', async () => {
    const { url } = await limited()
    const opened = openWorker({
      ...{ url, ...named, worker: 'A', bodies: {}, queues: [], pollMs: 200, recoverMs: 500, warn: () => undefined },
    })
    const error = await opened.catch((thrown: unknown) => thrown)
    expect(error instanceof ProblemError && error.problems).toMatchObject([problem])
  })

  test('a client', async () => {
    const { url, own } = await limited()
    await onServer(own, 'create schema dbos; create table dbos.workflow_status (workflow_uuid text)')
    const error = await openWorkflowClient({ url, ...named }).catch((thrown: unknown) => thrown)
    expect(error instanceof ProblemError && error.problems).toMatchObject([problem])
  })
})
