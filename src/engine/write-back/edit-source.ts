import { catalog } from '../../catalog/catalog.js'
import type { Resource } from '../../manifest/resource.js'
import { placeOf, type Source } from '../../manifest/source.js'
import type { Edit, EditContext, Edited } from '../../manifest/write/edit.js'
import { editText } from '../../manifest/write/edit-text.js'
import type { Problem } from '../../problems/problem.js'
import { notWrittenBack, placeholderReplaced, secretDiffers, sharedByAnchor } from '../../problems/write-back.js'

/** An edit in the text of an object. */
export interface ResourceEdit {
  readonly edit: Edit
  readonly resource: Resource
}

/** A text after its edits, and the messages about them. */
interface EditedSource {
  readonly text: string | undefined
  /** About edits that could not be made. A later comparison finds these differences again. */
  readonly problems: readonly Problem[]
  /** About placeholders that were replaced. */
  readonly replaced: readonly Problem[]
}

/** Makes the edits in the text of one file. */
export function editSource(
  { text }: Source,
  edits: readonly ResourceEdit[],
  context: Pick<EditContext, 'resolve' | 'newMembers'>,
): EditedSource {
  const kinds = new Map(edits.map(({ edit, resource }) => [edit.at, catalog[resource.kind]]))
  const edited = editText(
    text,
    edits.map(({ edit }) => edit),
    {
      ...context,
      namingAt: (at) => kinds.get(at)?.naming,
      fieldAt: (at) => kinds.get(at)?.parent?.field,
    },
  )
  return { text: edited.text, ...messagesAbout(edited, new Map(edits.map(({ edit, resource }) => [edit, resource]))) }
}

function messagesAbout(
  { kept, replaced, lost, shared }: Edited,
  owners: ReadonlyMap<Edit, Resource>,
): Pick<EditedSource, 'problems' | 'replaced'> {
  const of = <Noted extends { readonly edit: Edit }>(
    noted: readonly Noted[],
    problem: (resource: Resource, noted: Noted) => Problem,
  ): readonly Problem[] =>
    noted.flatMap((each) => {
      const resource = owners.get(each.edit)
      return resource ? [problem(resource, each)] : []
    })
  const alone = (edit: Edit) => ({ edit })
  return {
    problems: [
      ...of(lost.map(alone), ({ address, range }) =>
        notWrittenBack(address, 'a difference', 'its place in the file was not found', placeOf(range)),
      ),
      ...of(shared.map(alone), ({ address, range }, { edit }) =>
        sharedByAnchor(address, editedPart(edit), placeOf(range)),
      ),
      ...of(kept, (resource, { edit, offset }) => secretDiffers(placeAt(resource, offset), fieldText(resource, edit))),
    ],
    replaced: of(replaced, (resource, { edit, offset, placeholder }) =>
      placeholderReplaced(placeAt(resource, offset), fieldText(resource, edit), placeholder),
    ),
  }
}

const placeAt = ({ range: { source } }: Resource, offset: number) => placeOf({ source, start: offset, end: offset })

const fieldText = ({ address }: Resource, edit: Edit): string =>
  [address, ...(edit.is === 'set' ? edit.path : [])].join(' ')

function editedPart(edit: Edit): string {
  switch (edit.is) {
    case 'set':
      return edit.path[0] ?? 'a difference'
    case 'append':
      return edit.field
    case 'rename':
    case 'remove':
      return 'a difference'
  }
}
