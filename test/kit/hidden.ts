import type { JsonObject } from '../../src/json/json.js'
import { type DocumentText, document } from './manifests.js'
import type { Make } from './world.js'

/** A make that hides these texts in all its answers. */
export const hiding = (make: Make, secrets: readonly string[], sign: (secret: string) => string): Make => ({
  log: make.log,
  fetch: async (request) => {
    const response = await make.fetch(request)
    const text = await response.text()
    const hidden = secrets.reduce(
      (all, secret) => all.replaceAll(JSON.stringify(secret), JSON.stringify(sign(secret))),
      text,
    )
    const { status, headers } = response
    return new Response(hidden, { status, headers })
  },
})

/** A key of the package P, with value and secret from the canaries. */
export const keyOfPackage = (number: number): JsonObject => ({
  package: 'P',
  plan: 'Gold',
  apikey: `\${env:KEY_${number}}`,
  secret: `\${env:SECRET_${number}}`,
})

/** The package P, and a member with one application that has these keys. */
export const withKeys = (...packageKeys: readonly JsonObject[]): readonly DocumentText[] => [
  document('Package', 'P', { plans: [{ name: 'Gold' }] }),
  document('Member', 'acme', {
    email: 'a@b.example',
    displayName: 'A',
    externalId: '1',
    passwdNew: '${env:MEMBER_PASSWORD}',
    applications: [{ name: 'Shop', packageKeys }],
  }),
]
