import { expect, it } from 'vitest'
import { embedded } from '../kit/world.js'
import { openRecords } from '../../src/records/open.js'
it('x', async () => {
  const world = embedded()
  world.declare({ kind: 'Service', metadata: {name: 'A'}, spec: {description: 'x', version: '1', endpoints: [{name: 'e', requestPathAlias: '/x', trafficManagerDomain: 'not.example', publicDomains: ['not.example'], systemDomains: ['x.example'], supportedHttpMethods: ['get']}]} } as never)
  console.log(await world.run(['apply', '--yes']))
  console.log((await world.run(['history'])).stdout, (await world.run(['history', '-o', 'json'])).stdout)
  console.log((await world.run(['show', 'latest'])).stdout,(await world.run(['show', 'latest', '-o', 'json'])).stdout)
  console.log(await world.run(['show', 'nope']))
})
