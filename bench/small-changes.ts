import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { program, type Row, runNode, startPlatform } from './measure.js'
import { type AreaSize, reference, writeManifests, writeProject } from './reference-area.js'

/**
 * The number of requests for a small change: the pages of the plan, one write for each change, and a final reading of the changed
 * objects.
 */
export async function smallChanges(dir: string): Promise<readonly Row[]> {
  return [
    await changing(join(dir, 'one'), { ...reference, services: 100 }, 1),
    await changing(join(dir, 'ten'), reference, 10),
  ]
}

/**
 * Changes one endpoint in each of `count` services. The limit is the pages, as many writes, and as many requests for the final
 * reading.
 */
async function changing(dir: string, size: AreaSize, count: number): Promise<Row> {
  writeProject(dir, {})
  writeManifests(dir, size, 'nothing')
  const platform = await startPlatform({ size, keep: 'answers' })
  const run = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await runNode([program, ...args, '--quiet'], { cwd: dir, env: platform.env })
    if (exitCode !== 0) throw new Error(stdout + stderr)
  }
  const sent = async (): Promise<number> => (await platform.log()).filter(({ path }) => !path.endsWith('/token')).length
  try {
    await run('plan')
    const pages = await sent()
    for (let service = 0; service < count; service += 1) {
      const file = join(dir, 'manifests', `service-${service}.yaml`)
      const text = readFileSync(file, 'utf8')
      writeFileSync(
        file,
        text.replace('connectionTimeoutForSystemDomainRequest: 5', 'connectionTimeoutForSystemDomainRequest: 10'),
      )
    }
    await run('apply', '--yes')
    const requests = (await sent()) - pages
    const allowed = count === 1 ? 5 : pages + 2 * count
    return {
      name: `apply of ${count} changed ${count === 1 ? 'field' : 'endpoints'} in ${size.services.toLocaleString('en')} services: requests`,
      floor: `pages: ${pages}`,
      figure: `${requests} of at most ${allowed}`,
      ratio: requests / allowed,
      limit: 1,
    }
  } finally {
    platform.stop()
  }
}
