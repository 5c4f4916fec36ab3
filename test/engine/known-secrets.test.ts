import { expect, test } from 'vitest'
import { learnFrom } from '../../src/engine/known-secrets.js'
import { noManifests } from '../../src/manifest/resource.js'
import { masking } from '../../src/secrets/mask.js'

test('there may be more secrets than a call can have arguments', () => {
  const secrets = Array.from({ length: 300_000 }, () => 'the-same-secret')
  const mask = masking(secrets)
  learnFrom({ ...noManifests, secrets: [...secrets, 'another-secret'] }, mask)
  expect(mask('the-same-secret another-secret')).not.toMatch(/same|another/)
})
