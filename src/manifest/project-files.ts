/** The name of a project file. */
export const projectFile = 'gatewright.yaml'

/** The usual folder of policies, beside the project file. */
export const policiesFolder = 'policies'

/** The usual file of accepted drift, beside the project file. */
export const acceptedFile = 'gatewright.accepted.yaml'
