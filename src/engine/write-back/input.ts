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
import type { WriteBackPurpose } from './decide.js'
import type { LayersAccess } from './layers.js'
import type { Home } from './new-files.js'

/** What is needed to bring a live area into manifests. */
export interface WriteBackInput {
  readonly snapshot: Snapshot
  readonly variables: Variables
  /** Whether secrets that no manifest says yet are written, as placeholders of their variables. */
  readonly secrets: 'as variables' | 'left out'
  readonly purpose: WriteBackPurpose
  readonly fullness: Fullness
  readonly vocabulary: Vocabulary
  /** Whether a known secret is in a value: it is written nowhere. */
  readonly isSecret: (value: Json) => boolean
  /** Whether a secret was applied at a JSON Pointer in an object; undefined: new manifests say nothing of it. */
  readonly wasSecret?: FormContext['wasSecret']
  /** What becomes of manifests whose objects are gone. */
  vanished(address: string): 'keep' | 'remove'
  readonly keyName: KeyName
  /** The id that the records have for an address: under another name it is the object that was declared there. */
  recordedId(address: string): string | undefined
  /** Whether the records have that object at any address. */
  isRecorded(object: LiveObject): boolean
  /** The manifests as they are with these texts in the place of their files. */
  read(texts: Texts): Manifests
  /** All manifests of the project, where `read` gives only some of them; undefined where it gives all. */
  readonly whole: ((texts: Texts) => Manifests) | undefined
  /** A text with its placeholders filled in. */
  valueOf(text: string): string | undefined
  /** Whether manifests of that file may be changed. */
  isOurs(file: string): boolean
  /** Whether everything is brought to what is live, or some objects and fields are left as they are. */
  readonly selection: 'all' | 'some'
  isSelected(path: readonly { readonly kind: string; readonly key: string }[]): boolean
  wants(resource: Resource, field: FieldChange): boolean
  /** Whether what no manifest has may be written. */
  mayAdd(object: LiveObject, address: string): boolean
  /** Whether a declared object that is not live is one that went away. */
  isGone(resource: Resource): boolean
  /** Where new manifests go; undefined: there are none. */
  readonly home: Home | undefined
  /** What decides which layer gets an edit; undefined: all goes to the manifests. */
  readonly layers: LayersAccess | undefined
}
