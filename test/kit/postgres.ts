import { Client } from 'pg'

/** A test server whose databases may be dropped (`.ci/postgres`); undefined if there is none. */
export const postgresServer: string | undefined = process.env.GATEWRIGHT_TEST_POSTGRES

let count = 0

/** Creates an empty database on that server and returns its URL. */
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

/** Runs a statement and returns its rows. */
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
