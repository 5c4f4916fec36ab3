import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

const hook = `export const resolve = (name, context, next) =>
  ['pg', '@dbos-inc/dbos-sdk'].includes(name) ? Promise.reject(Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' })) : next(name, context)`

const program = `
  import { register } from 'node:module'
  register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}))
  const { openRecords } = await import(${JSON.stringify(new URL('../../src/stores/open.ts', import.meta.url).href)})
  await openRecords('postgres://user:secret-password@localhost/x', { dir: '/', now: () => 0 }).catch((error) =>
    console.log(JSON.stringify(error.problems)))`

const engine = `
  import { register } from 'node:module'
  register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}))
  const { openWorkflowClient } = await import(${JSON.stringify(new URL('../../src/workflows/client.ts', import.meta.url).href)})
  await openWorkflowClient({ url: 'postgres://user:secret-password@localhost/x' }).catch((error) =>
    console.log(JSON.stringify(error.problems)))`

it('if the package of PostgreSQL is missing, the message says what to install', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    encoding: 'utf8',
  })
  expect(stdout, stderr).toContain('"hint":"install it beside gatewright: npm install pg@8"')
  expect(stdout + stderr).not.toContain('secret-password')
})

it('if the package of the workflow engine is missing, the message says what to install', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', engine], {
    encoding: 'utf8',
  })
  expect(stdout, stderr).toContain('npm install @dbos-inc/dbos-sdk@5.3.0 pg@8')
})
