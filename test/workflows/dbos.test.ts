import { join } from 'node:path'
import { describe, inject } from 'vitest'
import { openWorkflowClient } from '../../src/workflows/client.js'
import { dropDatabase, freshDatabase, onServer, postgresServer } from '../kit/postgres.js'
import { workflowsContract } from './contract.js'

if (postgresServer === undefined) {
  process.stderr.write(
    '\nWorkflows are NOT tested: GATEWRIGHT_TEST_POSTGRES is not set. Run .ci/postgres npx vitest run test/workflows.\n\n',
  )
}

describe.skipIf(postgresServer === undefined)('DBOS', () => {
  let url = ''
  workflowsContract('PostgreSQL', {
    database: async () => {
      url = await freshDatabase()
      return url
    },
    program: () => join(inject('built'), 'workflow-worker.js'),
    openClient: openWorkflowClient,
    query: onServer,
    end: () => dropDatabase(url),
  })
})
