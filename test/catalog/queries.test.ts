import { describe, expect, it } from 'vitest'
import { catalog } from '../../src/catalog/catalog.js'
import { creationRank, kindNames } from '../../src/catalog/queries.js'

describe('the order in which objects are created', () => {
  const sequence = [...kindNames].sort((left, right) => creationRank(left) - creationRank(right))

  it('is that of the design', () => {
    expect(sequence.join(' ')).toBe(
      'Domain Role Service ErrorSet ErrorMessage Endpoint Cache SystemDomainAuthentication Method ResponseFilter ' +
        'ServiceRole Package Plan PlanService ScheduledMaintenanceEvent Member Application PackageKey EmailTemplate ' +
        'Organization EmailTemplateSet',
    )
  })

  it.each(kindNames)('has %s after its parent, the targets of its links, and the kinds that its row names', (name) => {
    const { parent, association, after } = catalog[name]
    const earlier = [parent?.kind, association, ...after].filter((each) => each !== undefined)
    for (const each of earlier) expect(creationRank(each)).toBeLessThan(creationRank(name))
  })
})
