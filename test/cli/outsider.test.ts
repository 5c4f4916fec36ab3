import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { document, manifestText } from '../kit/manifests.js'
import { embedded } from '../kit/world.js'

/** Attempts of a person who knows only the contract, which failed then. */

test('without a command, -o json gives JSON', async () => {
  const run = await embedded().run(['-o', 'json'])
  expect(run.exitCode).toBe(1)
  expect(run.json().diagnostics.map(({ code }) => code)).toEqual(['usage'])
})

test('every mistake has a position, a code and a hint', async () => {
  const world = embedded()
  world.write(
    'manifests/all.yaml',
    `just a text
---
- a list
---
apiVersion: gatewright/v1
kind: Service
metadata: {name: "", protect: "yes"}
---
apiVersion: gatewright/v1
kind: Service
metadata: {name: A}
spec: {qpsLimitOverall: many, description: *nothing, endpoints: [null]}
---
apiVersion: gatewright/v1
kind: Service
metadata: {name: B}
spec: {qpsLimitOverall: 1.5, rfc3986Encode: maybe, endpoints: {name: x}, securityProfile: text}
---
apiVersion: gatewright/v1
kind: ScheduledMaintenanceEvent
metadata: {name: W}
spec: {startDateTime: soon, endpoints: [A/e]}
`,
  )
  const run = await world.run(['validate', '-o', 'json'])
  expect(run.exitCode).toBe(1)
  const { diagnostics } = run.json()
  expect(diagnostics.length).toBeGreaterThan(8)
  for (const each of diagnostics) {
    expect(each, each.message).toMatchObject({
      code: expect.stringMatching(/./),
      file: expect.stringMatching(/./),
      line: expect.any(Number),
      column: expect.any(Number),
      hint: expect.stringMatching(/./),
    })
  }
})

test('a byte order mark does not count as a column', async () => {
  const world = embedded()
  world.write('manifests/all.yaml', `\uFEFFapiVersion: gatewright/v1\r\nkind: Rolle\r\nmetadata: {name: R}\r\n`)
  world.write('manifests/other.yaml', '\uFEFFapiVersion: gatewright/v2\r\nkind: Role\r\nmetadata: {name: R}\r\n')
  const run = await world.run(['validate'])
  expect(run.stdout).toContain('all.yaml:2:7')
  expect(run.stdout).toContain('other.yaml:1:13')
})

test('-f is searched in the folder of -C if it is not in the working directory', async () => {
  const world = embedded()
  world.write('project/gatewright.yaml', 'apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: P}\n')
  world.write('project/roles/r.yaml', manifestText([document('Role', 'R')]))
  mkdirSync(join(world.dir, 'elsewhere'))
  for (const path of ['roles', 'roles/*.yaml', 'roles/r.yaml', 'project/roles']) {
    const run = await world.run(['plan', '-o', 'json', '-C', 'project', '-f', path], { cwd: world.dir })
    expect(run.json().summary, path).toMatchObject({ create: 1 })
  }
})
