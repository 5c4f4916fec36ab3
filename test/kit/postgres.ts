import { Client } from 'pg'

/** A server whose databases may be dropped; undefined if none is there to be tested with (`.ci/postgres`). */
export const postgresServer: string | undefined = process.env.GATEWRIGHT_TEST_POSTGRES

let count = 0

/** The URL of an empty database on that server. */
export async function freshDatabase(): Promise<string> {
  count += 1
  const name = `gatewright_test_${process.pid}_${count}`
  await onServer(serverUrl(), `create database ${name}`)
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  return url.href
}

export async function dropDatabase(url: string): Promise<void> {
  await onServer(serverUrl(), `drop database ${new URL(url).pathname.slice(1)} with (force)`)
}

/** The rows that a statement answers. */
export async function onServer(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<object>(sql)).rows
  } finally {
    await client.end()
  }
}

function serverUrl(): string {
  if (postgresServer === undefined) throw new Error('GATEWRIGHT_TEST_POSTGRES is not set')
  return postgresServer
}
