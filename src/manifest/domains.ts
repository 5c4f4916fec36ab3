import { catalog } from '../catalog/catalog.js'
import { domainFields } from '../catalog/queries.js'
import type { Json } from '../json/json.js'
import type { Resource } from './resource.js'

/** A host name in a field where the platform allows only hosts of the area's domains. */
interface DomainUse {
  readonly value: string
  /** JSON Pointer of the list entry. */
  readonly pointer: string
  readonly field: string
}

/** The host names that a resource writes. */
export function domainUses(resource: Resource): readonly DomainUse[] {
  return domainFields(catalog[resource.kind]).flatMap((field) => {
    const written = resource.fields[field.name]
    if (written === undefined) return []
    const values: readonly Json[] = Array.isArray(written) ? written : [written]
    return values.flatMap((value, index) =>
      typeof value === 'string' ? [{ value, pointer: `/${field.name}/${index}`, field: field.name }] : [],
    )
  })
}
