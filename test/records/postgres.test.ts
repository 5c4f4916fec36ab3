import { Client } from 'pg'
import { beforeEach, describe } from 'vitest'
import { openRecords } from '../../src/records/open.js'
import { recordsContract } from './contract.js'

const server = process.env.GATEWRIGHT_TEST_POSTGRES

if (server === undefined) {
  process.stderr.write(
    '\nPostgreSQL is NOT tested: GATEWRIGHT_TEST_POSTGRES is not set. Run .ci/postgres npx vitest run test/records,\n' +
      'which starts a server of its own, or set it to the URL of a server whose databases may be dropped.\n\n',
  )
}

describe.skipIf(server === undefined)('PostgreSQL', () => {
  let url = ''

  beforeEach(async () => {
    url = await freshDatabase(server ?? '')
  })

  recordsContract('PostgreSQL', {
    open: () => openRecords(url, { dir: '/', now: () => 1_000 }),
    address: () => url,
  })
})

let count = 0

async function freshDatabase(base: string): Promise<string> {
  count += 1
  const name = `gatewright_test_${process.pid}_${count}`
  const client = new Client({ connectionString: base })
  await client.connect()
  await client.query(`drop database if exists ${name} with (force)`)
  await client.query(`create database ${name}`)
  await client.end()
  const url = new URL(base)
  url.pathname = `/${name}`
  return url.href
}
