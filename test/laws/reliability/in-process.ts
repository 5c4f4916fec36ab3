import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json, JsonObject } from '../../../src/json/json.js'
import { isObject } from '../../../src/json/json.js'
import { disturbed, type Misfortune } from '../../kit/disturbed.js'
import { environment, isWrite, type Make, testClock, type World, worldIn } from '../../kit/world.js'
import { type Chance, chanceOf, seedOf } from '../history/chance.js'
import { type Commit, historyOf } from '../history/commits.js'
import { liveArea } from '../history/live.js'
import { allowed, type Clock } from '../history/play.js'
import { recording } from '../history/requests.js'
import { judge } from '../history/verdict.js'
import { platform } from '../within.js'
import type { Effort, Figure } from './figure.js'

/** Attacks that need no separate process: the program's main, and a platform in memory. */

interface Stage<Reached extends Make = Make> {
  readonly clock: Clock
  /** The platform itself. */
  readonly make: Make
  /** The platform as the program sees it. */
  readonly reached: Reached
  readonly world: World
  readonly commit: Commit
  readonly dir: string
}

/** A random project in a folder, and a platform; the way to it may be changed. */
async function onStage<Reached extends Make>(
  seed: number,
  bend: (make: Make, clock: Clock) => Reached,
  use: (stage: Stage<Reached>) => Promise<void>,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-attack-'))
  const clock = testClock()
  const make = platform(clock)
  try {
    const [commit] = historyOf(seed, { origin: 'known', commits: 0 })
    if (!commit) throw new Error('no project was drawn')
    const env = { ...environment, ...commit.written.env }
    const reached = bend(make, clock)
    const world = worldIn(dir, reached, { ...clock, env })
    for (const [file, text] of Object.entries(commit.written.files)) world.write(file, text)
    await use({ clock, make, reached, world, commit, dir })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const apply = (world: World) => world.run(['apply', '--yes', ...allowed])

async function wrongIn({ commit, make }: Stage): Promise<readonly string[]> {
  return judge(commit.project, await liveArea(make)).findings
}

const misfortunes: readonly Misfortune[] = [
  { is: 'lost' },
  ...[500, 502, 504].map((status): Misfortune => ({ is: 'failed', status, body: 'json' })),
  { is: 'failed', status: 500, body: 'other json' },
  { is: 'failed', status: 500, body: 'html' },
  { is: 'failed', status: 504, body: 'html' },
  ...[500, 2500, 6000, 30_000].map((milliseconds): Misfortune => ({ is: 'late', milliseconds })),
]

/** The answer to one write is lost, or says that it was not carried out, or it is carried out later. */
export async function lostAnswers({ count, seed }: Effort): Promise<Figure> {
  const failures: string[] = []
  for (let index = 0; index < count; index += 1) {
    const chance = chanceOf(seedOf(seed, index, 1))
    const misfortune = misfortunes[index % misfortunes.length] ?? { is: 'lost' }
    const write = 1 + chance.below(15)
    await onStage(seed + index, disturbed, async (stage) => {
      const { reached } = stage
      reached.meet({ misfortunes: new Map([[write, misfortune]]), lagMs: 0 }, () => undefined)
      const codes: number[] = []
      for (let tries = 0; tries < 4 && codes.at(-1) !== 0; tries += 1) {
        codes.push((await apply(stage.world)).exitCode)
        await stage.clock.sleep(90_000)
      }
      await reached.settle()
      const wrong = await wrongIn(stage)
      const told = `seed ${seed + index}, write ${write} ${Object.values(misfortune).join(' ')}`
      if (codes.at(-1) !== 0) failures.push(`${told}: applies ended with ${codes.join(', ')}`)
      failures.push(...wrong.map((each) => `${told}: ${each}`))
    })
  }
  return {
    attack: `an answer is lost, says 5xx after the commit (JSON, other JSON, HTML), or the write is carried out up to 30 s later`,
    tried: `${count} applies, ${misfortunes.length} ways, then again`,
    held: 'nothing twice, nothing lost; at most four applies until done',
    failures,
  }
}

/** Answers of 200 that are not lists, and other nonsense. */
const nonsense: readonly (readonly [string, (body: Json) => Response])[] = [
  ...[
    '{}',
    '{"message":"Forbidden"}',
    '{"errors":[{"message":"x"}]}',
    '{"error":"invalid_token"}',
    '{"data":null}',
  ].map((text): [string, () => Response] => [text, () => jsonText(text)]),
  ...[
    '{"services":[]}',
    '{"items":[],"total":0}',
    'null',
    '[null]',
    '[1]',
    '"text"',
    '',
    '<html></html>',
    '[{"id":',
  ].map((text): [string, () => Response] => [text, () => jsonText(text)]),
  ['204', () => new Response(null, { status: 204 })],
  ['206', () => new Response('[]', { status: 206, headers: { 'content-type': 'application/json' } })],
  ...[null, 5, {}, undefined].map((name): [string, (body: Json) => Response] => [
    `names are ${JSON.stringify(name)}`,
    (body) => jsonText(JSON.stringify(renamed(body, name))),
  ]),
  ...[null, '', 5].map((id): [string, (body: Json) => Response] => [
    `ids are ${JSON.stringify(id)}`,
    (body) => jsonText(JSON.stringify(withIds(body, id))),
  ]),
]

/** This number of them, from the whole list. */
const spread = <Item>(items: readonly Item[], count: number): readonly Item[] =>
  items.filter(
    (_, index) => Math.floor((index * count) / items.length) !== Math.floor(((index - 1) * count) / items.length),
  )

const jsonText = (text: string): Response => new Response(text, { headers: { 'content-type': 'application/json' } })

const mapped = (body: Json, change: (object: JsonObject) => JsonObject): Json =>
  Array.isArray(body) ? (body as readonly Json[]).map((each) => (isObject(each) ? change(each) : each)) : body

const renamed = (body: Json, name: Json | undefined): Json =>
  mapped(body, (object) => {
    const { name: _name, domain: _domain, username: _username, apikey: _apikey, ...rest } = object
    return name === undefined ? rest : { ...rest, name, domain: name, username: name, apikey: name }
  })

const withIds = (body: Json, id: Json): Json => mapped(body, (object) => ({ ...object, id }))

const lists = ['services', 'packages', 'domains', 'roles', 'members', 'scheduledMaintenanceEvents']

/** A list of an area that was applied already is answered with nonsense. */
export async function brokenLists({ count, seed }: Effort): Promise<Figure> {
  const failures: string[] = []
  const all = lists.flatMap((list) => nonsense.map((each) => ({ list, each })))
  const tries = spread(all, count)
  for (const [index, { list, each }] of tries.entries()) {
    const [about, answer] = each
    let isBroken = false
    const bend = (make: Make): Make => ({
      log: make.log,
      fetch: async (request) => {
        const response = await make.fetch(request)
        const isList = request.method === 'GET' && new URL(request.url).pathname === `/v3/rest/${list}`
        return isBroken && isList && response.ok ? answer((await response.json()) as Json) : response
      },
    })
    await onStage(seed + (index % 5), bend, async (stage) => {
      if ((await apply(stage.world)).exitCode !== 0) throw new Error(`seed ${seed + (index % 5)} cannot be applied`)
      isBroken = true
      const before = stage.make.log.length
      const run = await apply(stage.world)
      const writes = stage.make.log.slice(before).filter(isWrite)
      const told = `GET /${list} answers ${about}`
      if (writes.length > 0)
        failures.push(`${told}: ${writes.map(({ method, path }) => `${method} ${path}`).join(', ')}`)
      if (/internal error/.test(run.stderr)) failures.push(`${told}: ${run.stderr.slice(0, 200)}`)
    })
  }
  return {
    attack: 'a list is answered 200, 204 or 206 with something that is no list of objects with ids and names',
    tried: `${tries.length} applies of an area that is there already`,
    held: 'no write, and no internal error',
    failures,
  }
}

const damages: readonly (readonly [string, (content: Buffer, chance: Chance) => Buffer | undefined])[] = [
  ['removed', () => undefined],
  ['emptied', () => Buffer.alloc(0)],
  ['cut', (content, chance) => content.subarray(0, chance.below(content.length + 1))],
  ['its first half gone', (content) => content.subarray(content.length / 2)],
  ['doubled', (content) => Buffer.concat([content, content])],
  ['a bit turned', (content, chance) => flipped(content, chance)],
  ['zeros', (content) => Buffer.alloc(content.length)],
  ['noise', (content, chance) => Buffer.from(content.map(() => chance.below(256)))],
  ...['{}', 'null', '5', '[]', '"x"', '{"is":"begun"}', '\u0000'].map((line): [string, () => Buffer] => [
    `lines of ${JSON.stringify(line)}`,
    () => Buffer.from(`${line}\n${line}\n`),
  ]),
]

function flipped(content: Buffer, chance: Chance): Buffer {
  const copy = Buffer.from(content)
  const at = chance.below(Math.max(copy.length, 1))
  if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ (1 << chance.below(8))
  return copy
}

/** Every file of the records is damaged in many ways. */
export async function damagedRecords({ count, seed }: Effort): Promise<Figure> {
  const failures: string[] = []
  let tried = 0
  await onStage(
    seed,
    (make) => make,
    async (stage) => {
      const { world, dir, make } = stage
      if ((await apply(world)).exitCode !== 0) throw new Error(`seed ${seed} cannot be applied`)
      const records = join(dir, '.gatewright')
      const kept = join(dir, 'kept')
      cpSync(records, kept, { recursive: true })
      const files = readdirSync(kept, { recursive: true, encoding: 'utf8' }).filter((file) =>
        statSync(join(kept, file)).isFile(),
      )
      const all = files.sort().flatMap((file) => damages.map((damage) => ({ file, damage })))
      const chance = chanceOf(seed)
      for (const { file, damage } of spread(all, count)) {
        const [about, change] = damage
        for (const command of [['plan'], ['drift'], ['history'], ['apply', '--yes']]) {
          rmSync(records, { recursive: true, force: true })
          cpSync(kept, records, { recursive: true })
          const content = change(readFileSync(join(kept, file)), chance)
          if (content === undefined) rmSync(join(records, file))
          else writeFileSync(join(records, file), content)
          const before = make.log.length
          const run = await world.run(command)
          tried += 1
          const writes = make.log.slice(before).filter(isWrite)
          const told = `${command.join(' ')}, ${file.replace(/[0-9a-f-]{12,}/g, '…')} ${about}`
          if (writes.length > 0) failures.push(`${told}: ${writes.length} writes`)
          if (/internal error/.test(run.stdout + run.stderr)) failures.push(`${told}: ${run.stderr.slice(0, 200)}`)
        }
      }
      failures.push(...(await wrongIn(stage)))
    },
  )
  return {
    attack: 'a file of the records is removed, cut, doubled, turned to noise, or of another shape',
    tried: `${tried} runs of plan, drift, history and apply on an area that is in sync`,
    held: 'no write, and no internal error',
    failures,
  }
}

/** A saved plan is edited at a random place, and applied. */
export async function editedPlans({ count, seed }: Effort): Promise<Figure> {
  const failures: string[] = []
  let refused = 0
  for (let index = 0; index < count; index += 1) {
    const chance = chanceOf(seedOf(seed, index, 2))
    let writes: ReturnType<typeof recording>['writes'] = []
    const bend = (make: Make): Make => {
      const recorded = recording(make)
      writes = recorded.writes
      return recorded.make
    }
    await onStage(seed + (index % 7), bend, async (stage) => {
      const file = join(stage.dir, 'plan.json')
      await stage.world.run(['plan', '--out', file, ...allowed])
      const plan = JSON.parse(readFileSync(file, 'utf8')) as Json
      if (index === 0) return void failures.push(...(await asItIs(stage, file)))
      const places = placesIn(plan, [])
      const place = chance.pick(places) ?? []
      writeFileSync(file, JSON.stringify(edited(plan, place, chance)))
      const run = await stage.world.run(['apply', file, '--yes', ...allowed])
      const told = `plan of seed ${seed + (index % 7)}, /${place.join('/')} edited`
      if (run.exitCode !== 0) {
        refused += 1
        if (writes.length > 0 && run.exitCode !== 3)
          failures.push(`${told}: exit ${run.exitCode} after ${writes.length} writes`)
        if (/internal error/.test(run.stderr)) failures.push(`${told}: ${run.stderr.slice(0, 200)}`)
      } else failures.push(...(await wrongIn(stage)).map((each) => `${told}: exit 0, and ${each}`))
    })
  }
  return {
    attack: 'a saved plan is edited: one value, one entry, one member, anywhere',
    tried: `${count} edits, ${refused} refused`,
    held: 'refused without a write, or what is applied is what the manifests say',
    failures,
  }
}

/** An unedited plan is applied, which shows that the refusals of the others mean something. */
async function asItIs(stage: Stage, file: string): Promise<readonly string[]> {
  const run = await stage.world.run(['apply', file, '--yes', ...allowed])
  return run.exitCode === 0
    ? await wrongIn(stage)
    : [`the plan as it is: exit ${run.exitCode} ${run.stderr.slice(0, 300)}`]
}

type Place = readonly (string | number)[]

const placesIn = (value: Json, place: Place): readonly Place[] => {
  if (Array.isArray(value))
    return (value as readonly Json[]).flatMap((each, index) => [
      [...place, index],
      ...placesIn(each, [...place, index]),
    ])
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, each]) => [[...place, name], ...placesIn(each, [...place, name])])
}

const strange: readonly Json[] = [null, '', 'x', 0, -1, true, false, [], {}, ['x'], 'delete', 'Service/x', 'all']

function edited(value: Json, [step, ...rest]: Place, chance: Chance): Json {
  if (step === undefined) return chance.pick(strange) ?? null
  const isGone = rest.length === 0 && chance.percent(25)
  if (Array.isArray(value)) {
    const list = value as readonly Json[]
    return isGone
      ? list.filter((_, index) => index !== step)
      : list.map((each, index) => (index === step ? edited(each, rest, chance) : each))
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]): [string, Json][] => {
      if (name !== step) return [[name, each]]
      return isGone ? [] : [[name, edited(each, rest, chance)]]
    }),
  )
}
