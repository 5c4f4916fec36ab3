import { error, type Problem } from './problem.js'

/** The packages of the workflow engine are installed by those who use them. */
export const workflowPackageMissing = (): Problem =>
  error(
    'fleet-package-missing',
    undefined,
    'fleets on a server need the package @dbos-inc/dbos-sdk, and it is not installed',
    'install it beside gatewright: npm install @dbos-inc/dbos-sdk@5.3.0 pg@8; without a server: gatewright fleet drift, plan and apply',
  )
