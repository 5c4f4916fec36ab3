import { expect, it } from 'vitest'
import { fleetReader } from '../../../src/fleet/read-fleet.js'
import { fleetInForce } from '../../../src/fleet/serve/fleet-in-force.js'
import { folderWith, writeIn } from '../../kit/folder.js'
import { areaText, fleetText } from '../texts.js'

const ofShop = (name: string): string => areaText(name, '{project: ../shop}')
const other = (text: string): string => text.replace('brands', 'other')

it('a fleet stays in force until its file is valid again', () => {
  const file = 'gatewright.fleet.yaml'
  const cwd = folderWith({ [file]: fleetText('areas: areas/*.yaml'), 'areas/acme.yaml': ofShop('acme') })
  const told: string[] = []
  const read = fleetReader(file, { cwd })
  const { fleet: first } = read()
  if (!first) throw new Error('a fleet')
  const inForce = fleetInForce(first, read, (message) => told.push(message))
  const names = () => inForce.fleet().areas.map(({ name }) => name)
  expect([inForce.look(), told]).toEqual(['same', []])

  writeIn(cwd, 'areas/globex.yaml', ofShop('globex'))
  expect([inForce.look(), names()]).toEqual(['changed', ['acme', 'globex']])
  expect(told.splice(0)).toEqual([`${file} has changed and is in use: 1 area added, 0 removed`])

  // Reported once, however often it is read.
  writeIn(cwd, 'areas/acme.yaml', areaText('acme', '{projet: x}'))
  expect([inForce.look(), inForce.look(), names()]).toEqual(['same', 'same', ['acme', 'globex']])
  expect(told).toEqual([expect.stringContaining('areas/acme.yaml:4')])
  expect(inForce.fault()).toBe(told.splice(0)[0])

  // Another fleet has other workers.
  writeIn(cwd, 'areas/acme.yaml', ofShop('acme'))
  writeIn(cwd, file, other(fleetText('areas: areas/*.yaml')))
  expect([inForce.look(), told.splice(0)]).toEqual(['same', [expect.stringContaining('fleet "other"')]])

  writeIn(cwd, file, fleetText('areas: areas/*.yaml'))
  expect([inForce.look(), inForce.fault()]).toEqual(['same', null])
  expect(told.splice(0)).toEqual([`${file} has changed and is in use: 0 areas added, 0 removed`])

  writeIn(cwd, file, fleetText('areas: areas/acme.yaml', 'drift: {schedule: "0 3 * * *"}'))
  expect([inForce.look(), names()]).toEqual(['changed', ['acme']])
})
