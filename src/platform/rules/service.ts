import type { JsonObject } from '../../json/json.js'
import { below, complain, setFields } from '../area.js'
import { childrenIn } from '../entity.js'
import type { KindRules } from '../kind-rules.js'
import { withDefaultSet } from './error-set.js'

const crossdomainPolicy = `<?xml version="1.0"?>
<!DOCTYPE cross-domain-policy SYSTEM "http://www.macromedia.com/xml/dtds/cross-domain-policy.dtd">
<cross-domain-policy>
   <allow-access-from domain="*"/>
</cross-domain-policy>`

const robotsPolicy = 'User-agent: *\nDisallow: / '

/** Values that the platform itself writes into every service. */
export const servicePolicies: JsonObject = { crossdomainPolicy, robotsPolicy }

/** A service counts its revisions, stores its last editor, and always has an error set. */
export const serviceRules: KindRules = {
  prepare: ({ area }, _site, body) => ({ ...body, errorSets: withDefaultSet(area.settings, body.errorSets) }),
  generate: (write, entity) => {
    const revisionNumber = write.area.settings.dialect === 'recorded' ? 2 : 1
    setFields(write, entity, { ...servicePolicies, revisionNumber, editorHandle: write.editor })
  },
  check: (write, entity, { mode, body, path }) => {
    const isWithout = write.area.settings.errorSet === '' && (mode === 'create' || body.errorSets === undefined)
    if (isWithout || childrenIn(entity, 'errorSets').length > 0) return
    complain(write, below(path, 'errorSets'), 'A service must have at least one error set.')
  },
  touched: (write, root, where) => {
    // Recorded services do not change when their endpoints change (field notes, Reading).
    if (where === 'below' && write.area.settings.dialect === 'recorded') return
    const revision = root.fields.revisionNumber
    const revisionNumber = (typeof revision === 'number' ? revision : 0) + 1
    setFields(write, root, { revisionNumber, editorHandle: write.editor })
  },
}
