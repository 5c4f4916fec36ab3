import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Shop } from './shop.js'

/** The content of a shop's repository, and of its platform. */

/** A manifest of a service. */
export const service = (name: string, description: string): string =>
  `apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: ${name}}\nspec: {description: ${description}}\n`

/** The services of the area, with their descriptions. */
export async function live(shop: Shop, environment = ''): Promise<Readonly<Record<string, string>>> {
  const { ok, services } = await rest(shop, 'GET', '/services?fields=id,name,description', undefined, environment)
  expect(ok).toBe(true)
  return Object.fromEntries(services.map(({ name, description }) => [name, description]))
}

/** Sets the number of deletes that the project allows. */
export function limitDeletes(shop: Shop, limit: number): void {
  const project = readFileSync(join(shop.dir, 'gatewright.yaml'), 'utf8')
  shop.write('gatewright.yaml', project.replace(/deletes: \d+/, `deletes: ${limit}`))
}

/** Deletes all records: the applied state is not known any more. */
export function forgetRecords(shop: Shop): void {
  for (const line of shop.git('ls-remote', 'origin', 'refs/gatewright/*').trim().split('\n'))
    shop.git('push', '--quiet', 'origin', `:${line.split('\t')[1]}`)
}

interface LiveService {
  readonly id: string
  readonly name: string
  readonly description: string
}

/** One request to the platform; returns the services in the answer. */
export async function rest(shop: Shop, method: string, path: string, body?: object, environment = '') {
  const platform = shop.platformOf(environment)
  const token = await fetch(`${platform.url}/v3/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${platform.apiKey}:${platform.apiSecret}`)}` },
    body: new URLSearchParams({
      grant_type: 'password',
      username: platform.username,
      password: platform.password,
      scope: platform.area,
    }),
  })
  const { access_token } = (await token.json()) as { readonly access_token: string }
  const answer = await fetch(`${platform.url}/v3/rest${path}`, {
    method,
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const services = (await answer.json()) as readonly LiveService[]
  return { ok: answer.ok, services }
}
