/** The files that git ignores. The lines are added to an existing .gitignore. */
export const ignoredFiles = {
  path: '.gitignore',
  about: 'Keeps packages, records, saved plans, snapshots and secrets out of git.',
  comment:
    '# gatewright: packages, records of this machine, what a killed run was writing, saved plans and snapshots, secrets.',
  lines: ['node_modules/', '.gatewright/', '.gatewright-*.new', '*.plan.json', '*.snapshot.json', '.env'],
} as const
