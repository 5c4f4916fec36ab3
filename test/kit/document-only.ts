import { catalog } from '../../src/catalog/catalog.js'
import { elementOf, kinds } from '../../src/catalog/queries.js'
import type { KindName } from '../../src/catalog/types.js'
import { documentFields } from '../catalog/document.js'
import type { Make } from './world.js'

/** A make that refuses to be asked for fields that the document's table of a kind does not have, as no recorded platform does. */
export function documentOnly(make: Make): Make {
  return {
    log: make.log,
    fetch: (request) => {
      const { pathname, searchParams } = new URL(request.url)
      const kind = request.method === 'GET' ? kindAt(pathname.replace('/v3/rest', '')) : undefined
      const paths = searchParams.getAll('fields').flatMap((text) => text.split(','))
      const unknown = kind && paths.find((path) => !isKnown(kind, path.split('.')))
      if (unknown === undefined) return make.fetch(request)
      refusals.push(`${pathname} ${unknown}`)
      const errors = [{ property: 'fields', message: `there is no field ${unknown}` }]
      return Promise.resolve(Response.json([{ errorCode: 400, errorMessage: 'refused', errors }], { status: 400 }))
    },
  }
}

/** The kind whose objects a path of the document answers. */
const kindAt = (path: string): KindName | undefined =>
  kinds.find(
    ({ origin, operations }) =>
      origin === 'document' &&
      Object.values(operations).some(
        (operation) => /^(list|fetch)(Of[A-Z]|$)/.test(operation.name) && pattern(operation.path).test(path),
      ),
  )?.name

const pattern = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)

function isKnown(kind: KindName, [name = '', ...inner]: readonly string[]): boolean {
  const row = catalog[kind].fields[name]
  // Its paths need an id, which the table of an error set does not have.
  const isPrinted = name === 'id' || documentFields(kind).some((field) => field.name === name)
  if (!row || !isPrinted || inner.length === 0) return isPrinted
  const element = elementOf(row.type)
  return element.is === 'child' || element.is === 'reference' ? isKnown(element.kind, inner) : true
}

/** What was refused so far; whoever reads it empties it. */
const refusals: string[] = []

export const refusedSoFar = (): readonly string[] => refusals.splice(0)
