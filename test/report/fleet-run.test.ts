import { expect, it } from 'vitest'
import type { Diagnostic } from '../../src/documents/diagnostics.js'
import type { FleetAreaDocument, FleetDocument } from '../../src/documents/fleet.js'
import { plainColours } from '../../src/report/colours.js'
import { fleetMarkdown, fleetText } from '../../src/report/fleet-run.js'

const failed = (area: string, diagnostics: readonly Diagnostic[]): FleetAreaDocument => ({
  ...{ area, state: 'error', project: 'shop', environment: area, labels: {}, key: null, exit: 1, changes: null },
  ...{ summary: {}, requests: 0, startedAt: '2026-11-21T00:00:00.000Z', seconds: 1, files: {}, diagnostics },
  host: `api.${area}.example:8443`,
})

const fleetOf = (areas: readonly FleetAreaDocument[]): FleetDocument => ({
  ...{ format: 'gatewright.fleet/1', fleet: 'brands', command: 'plan', areas },
  ...{ startedAt: '2026-11-21T00:00:00.000Z', seconds: 3, diagnostics: [], same: [] },
  summary: {
    ...{ areas: areas.length, changes: {}, requests: 0 },
    states: {
      ...{ 'in-sync': 0, pending: 0, drift: 0, conflict: 0, applied: 0, incomplete: 0, stale: 0, refused: 0 },
      ...{ error: areas.length, interrupted: 0, 'not-started': 0 },
    },
  },
})

const refused = (area: string): FleetAreaDocument =>
  failed(area, [
    {
      ...{
        code: 'credentials-refused',
        severity: 'error',
        message: `api.${area}.example:8443 refused the credentials`,
      },
      ...{
        file: `shop/environments/${area}.yaml`,
        line: 6,
        column: 12,
        hint: `see https://api.${area}.example:8443/v3`,
      },
    },
  ])

const text = (fleet: FleetDocument): string =>
  fleetText(fleet, { colours: plainColours, columns: 200, detail: 'some' }).output

it('shows the same mistake of areas with other hosts and names once', () => {
  const fleet = fleetOf(['acme', 'globex', 'initech'].map(refused))
  expect(text(fleet)).toContain(
    [
      '3 areas (acme, globex, initech):',
      'shop/environments/${name}.yaml:6:12: error: ${host} refused the credentials [credentials-refused]',
      '  hint: see https://${host}/v3',
      '',
      'Plan:',
    ].join('\n'),
  )
  expect(fleetMarkdown(fleet).output).toContain('- `acme`, `globex`, `initech`: &#36;{host} refused the credentials')
})

it('shows of areas that ended well only the warnings about webhooks', () => {
  const warning = (code: string, message: string): Diagnostic => ({ code, severity: 'warning', message })
  const well = (area: string): FleetAreaDocument => ({
    ...failed(area, [warning('policy', 'about roles'), warning('webhook-not-told', 'the webhook was not told')]),
    state: 'in-sync',
  })
  const fleet = fleetOf([well('acme'), well('globex')])
  expect(text(fleet)).toContain('2 areas (acme, globex):\nwarning: the webhook was not told [webhook-not-told]\n')
  expect(fleetMarkdown(fleet).output).toContain('- `acme`, `globex`: the webhook was not told\n')
  expect(text(fleet) + fleetMarkdown(fleet).output).not.toContain('about roles')
})

it('shows the mistake of one area as it is, and names inside other words stay', () => {
  expect(text(fleetOf([refused('acme')]))).toContain('error: api.acme.example:8443 refused the credentials')
  const other = (area: string) =>
    failed(area, [
      { code: 'credentials-refused', severity: 'error', message: `the European area of ${area} is missing` },
    ])
  expect(text(fleetOf(['eu', 'us'].map(other)))).toContain('error: the European area of ${name} is missing')
})

const words = (area: string, message: string): FleetAreaDocument =>
  failed(area, [{ code: 'unknown-environment', severity: 'error', message }])

it('shows a message that is the same for all areas as it is, although it names some of them', () => {
  const message = 'there is no environment: write eu, us or jp for api.eu.example:8443'
  const fleet = fleetOf(['eu', 'us', 'jp'].map((area) => words(area, message)))
  expect(text(fleet)).toContain(`3 areas (eu, us, jp):\nerror: ${message} [unknown-environment]`)
})

it.each(['host', 'name', 'area'])('shows the mistake of an area that is called %s with that of other areas', (name) => {
  const message = (area: string) => `${area} at api.${area}.example:8443: the login of area "${area}" is wrong`
  const fleet = fleetOf([name, 'eu'].map((area) => words(area, message(area))))
  expect(text(fleet)).toContain(`2 areas (${name}, eu):\nerror: \${name} at \${host}: the login of the area is wrong`)
})

it.each([
  ['acme', 'package', 'globex'],
  ['package', 'acme'],
  ['acme', 'package'],
])(
  'shows the mistake of an area that is called like a word of the message with that of the others: %s, %s',
  (...names) => {
    const message = (area: string) => `${area}: api.${area}.example:8443 refused the package`
    const fleet = fleetOf(names.map((area) => words(area, message(area))))
    expect(text(fleet)).toContain(
      `${names.length} areas (${names.join(', ')}):\nerror: \${name}: \${host} refused the package [unknown`,
    )
  },
)

it('keeps apart areas of which each names another', () => {
  const fleet = fleetOf([words('acme', 'globex is wrong'), words('globex', 'acme is wrong')])
  expect(text(fleet)).toContain('acme:\nerror: globex is wrong [unknown-environment]\n\nglobex:\nerror: acme is wrong')
})
