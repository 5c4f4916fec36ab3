/** The name of a project file. */
export const projectFile = 'gatewright.yaml'

/** The usual file of accepted drift, beside the project file. */
export const acceptedFile = 'gatewright.accepted.yaml'
