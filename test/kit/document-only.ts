import { catalog } from '../../src/catalog/catalog.js'
import { elementOf, kinds } from '../../src/catalog/queries.js'
import type { KindName } from '../../src/catalog/types.js'
import { documentFields } from '../catalog/document.js'
import type { Make } from './world.js'

/** A make that, unlike recorded platforms, refuses requests for fields that are not in the document's table of a kind. */
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

/** The kind of the objects at a path of the document. */
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
  // The paths of error sets need an id, although their table has none.
  const isPrinted = name === 'id' || documentFields(kind).some((field) => field.name === name)
  if (!row || !isPrinted || inner.length === 0) return isPrinted
  const element = elementOf(row.type)
  return element.is === 'child' || element.is === 'reference' ? isKnown(element.kind, inner) : true
}

/** The refusals so far. Reading them removes them. */
const refusals: string[] = []

export const refusedSoFar = (): readonly string[] => refusals.splice(0)
