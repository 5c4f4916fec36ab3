import { expect, test } from 'vitest'
import { readProjectOf } from '../../../src/engine/project.js'
import { vaultOf } from '../../../src/engine/vault.js'
import { manifestTexts, readTexts } from '../../../src/engine/write-back/manifest-texts.js'
import { document } from '../../kit/manifests.js'
import { embedded } from '../../kit/world.js'

test.each([
  ['the environments', 'environments/prod.yaml', 'metadata:\n  name: prod\n spec: {}\n'],
  ['the project', 'gatewright.yaml', 'kind: Project\nspec: [\n'],
])('written text may not break %s', (_, broken, text) => {
  const world = embedded()
  world.project('  environments: [environments]\n')
  world.write('environments/prod.yaml', 'apiVersion: gatewright/v1\nkind: Environment\nmetadata: {name: prod}\n')
  world.declare(document('Role', 'R'))
  const ports = { cwd: world.dir, env: {} }
  const request = { directory: '.', environment: 'prod', values: [] }
  const { project } = readProjectOf(request, ports)
  const texts = manifestTexts(project, [], { allowFile: [] }, { ...ports, vault: vaultOf(ports) })
  expect(readTexts(texts, new Map([['notes.yaml', '']])).resources.map(({ address }) => address)).toEqual(['Role/R'])
  expect(() => readTexts(texts, new Map([[broken, text]]))).toThrow(/YAML|yaml/)
})
