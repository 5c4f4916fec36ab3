import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { JsonObject } from '../../src/json/json.js'
import { restOf } from '../kit/rest.js'
import { embedded, environment, type Run, type World } from '../kit/world.js'

/**
 * A folder is a case: `steps.yaml` has the steps, folders beside it the manifests, and `expected.txt` the output of the
 * program. Every case ends with a plan that must be empty. `UPDATE=1 npx vitest run test/golden` accepts new output.
 */
interface Case {
  readonly about: string
  readonly platform?: { readonly autoApprove?: boolean; readonly dialect?: 'document' | 'recorded' }
  readonly env?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}

type Step =
  /** Uses the manifests of that folder instead of those before. */
  | { readonly manifests: string }
  /** Runs the program. */
  | { readonly run: string }
  /** Somebody changes the live area: `PUT /services/{Orders API}`, names in braces stand for ids. */
  | { readonly live: string; readonly body?: JsonObject }
  | { readonly approve: string }

const folders = readdirSync(import.meta.dirname).filter((name) => /^\d{3}-/.test(name))

test.each(folders)('%s', async (name) => {
  const folder = join(import.meta.dirname, name)
  const { steps, platform, env } = parse(readFileSync(join(folder, 'steps.yaml'), 'utf8')) as Case
  const world = embedded(platform, { env: { ...environment, ...env } })
  const told: string[] = []
  for (const step of steps) told.push(await perform(step, folder, world))
  const last = await world.run(['plan', '--exit-code', '--quiet'])
  told.push(spoken('plan --exit-code', last))
  compare(join(folder, 'expected.txt'), told.join('\n'))
  expect(last.exitCode, 'every case ends with an empty plan').toBe(0)
})

async function perform(step: Step, folder: string, world: World): Promise<string> {
  if ('manifests' in step) return takeManifests(step.manifests, folder, world)
  if ('run' in step) return spoken(step.run, await world.run([...words(step.run), '--quiet']))
  if ('approve' in step) {
    const url = `http://platform.example/control/domains/${step.approve}/approve`
    await world.make.fetch(new Request(url, { method: 'POST' }))
    return `# ${step.approve} is approved\n`
  }
  await changeLive(step.live, step.body ?? {}, world)
  return `# somebody: ${step.live} ${JSON.stringify(step.body ?? {})}\n`
}

function takeManifests(from: string, folder: string, world: World): string {
  rmSync(join(world.dir, 'manifests'), { recursive: true, force: true })
  cpSync(join(folder, from), join(world.dir, 'manifests'), { recursive: true })
  return `# the manifests of ${from}/\n`
}

const words = (line: string): readonly string[] => line.split(' ')

const spoken = (line: string, { exitCode, stdout, stderr }: Run): string =>
  steady([`$ gatewright ${line}`, stdout.trimEnd(), ...marked(stderr), `exit ${exitCode}`, ''].join('\n'))

/** Names of runs always differ, and digests mean nothing to a reader. */
const steady = (text: string): string =>
  text.replaceAll(/\d{8}T\d{6}Z-[0-9a-f]{6}/g, '(run)').replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:(digest)')

/** stderr is marked. */
const marked = (text: string): readonly string[] =>
  text.trim() === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => `! ${line}`.trimEnd())

/** Finds the objects in braces by name, step by step along the path. */
async function changeLive(line: string, body: JsonObject, world: World): Promise<void> {
  const rest = await restOf(world.make)
  const [method, ...parts] = line.split(' ')
  let path = parts.join(' ')
  for (let found = /^([^{]*)\/\{([^}]+)\}/.exec(path); found; found = /^([^{]*)\/\{([^}]+)\}/.exec(path)) {
    const [whole, collection = '', desired = ''] = found
    const objects = await rest.get(`${collection}?limit=1000`)
    const object = objects.find((each) => [each.name, each.domain, each.username].includes(desired))
    path = path.replace(whole, () => `${collection}/${String(object?.id)}`)
  }
  if (method === 'PUT') await rest.put(path, body)
  else if (method === 'POST') await rest.post(path, body)
  else await rest.remove(path)
}

function compare(file: string, told: string): void {
  if (process.env.UPDATE || !existsSync(file)) writeFileSync(file, told)
  expect(told).toBe(readFileSync(file, 'utf8'))
}
