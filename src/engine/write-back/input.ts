import type { Vocabulary } from '../../catalog/vocabulary.js'
import type { Texts } from '../../files/overlay.js'
import type { Json } from '../../json/json.js'
import type { LiveObject, Snapshot } from '../../live/live-object.js'
import type { FormContext } from '../../live/references-form.js'
import type { Fullness } from '../../live/value-form.js'
import type { Variables } from '../../live/variables.js'
import type { Manifests, Resource } from '../../manifest/resource.js'
import type { KeyName } from '../../planner/match/live-address.js'
import type { FieldChange } from '../../planner/plan.js'
import type { WriteBackPurpose } from './deciding.js'
import type { LayersAccess } from './layers.js'
import type { Home } from './new-files.js'

/** The input for writing a live area into manifests. */
export interface WriteBackInput {
  readonly snapshot: Snapshot
  readonly variables: Variables
  /** Whether secrets that no manifest has are written, as placeholders of their variables. */
  readonly secrets: 'as variables' | 'left out'
  readonly purpose: WriteBackPurpose
  readonly fullness: Fullness
  readonly vocabulary: Vocabulary
  /** Whether a value contains a known secret: such a value is never written. */
  readonly isSecret: (value: Json) => boolean
  /**
   * Whether a secret was applied at a JSON Pointer in an object. If so, a new manifest has the path in `metadata.ignore`.
   * Undefined: new manifests have no such entries.
   */
  readonly wasSecret?: FormContext['wasSecret']
  /** What happens to a manifest whose object does not exist any more. */
  vanished(address: string): 'keep' | 'remove'
  readonly keyName: KeyName
  /** The id for an address in the records. If the object has another name now, it was renamed. */
  recordedId(address: string): string | undefined
  /** Whether the records have that object at any address. */
  isRecorded(object: LiveObject): boolean
  /** The manifests with these texts instead of their files. */
  read(texts: Texts): Manifests
  /** All manifests of the project, if `read` returns only some of them. Undefined if it returns all. */
  readonly whole: ((texts: Texts) => Manifests) | undefined
  /** A text with resolved placeholders. */
  valueOf(text: string): string | undefined
  /** Whether manifests of that file may be changed. */
  isOurs(file: string): boolean
  /** `all`: everything gets its live values; `some`: some objects and fields are left as they are. */
  readonly selection: 'all' | 'some'
  isSelected(path: readonly { readonly kind: string; readonly key: string }[]): boolean
  wants(resource: Resource, field: FieldChange): boolean
  /** Whether an object that no manifest has may be written. */
  mayAdd(object: LiveObject, address: string): boolean
  /** Whether a declared object that is not live was deleted. */
  isGone(resource: Resource): boolean
  /** The folder for new manifests. Undefined: none are written. */
  readonly home: Home | undefined
  /** The layers, which decide where an edit goes. Undefined: all edits go to the manifests. */
  readonly layers: LayersAccess | undefined
}
