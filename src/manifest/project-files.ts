/** The name of a project file. */
export const projectFile = 'gatewright.yaml'

/** The usual folder of policies, next to the project file. */
export const policiesFolder = 'policies'

/** The usual file of accepted drift, next to the project file. */
export const acceptedFile = 'gatewright.accepted.yaml'
