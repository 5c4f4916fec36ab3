import { relative, resolve } from 'node:path'

/**
 * The variables in which git gives its hooks the repository, with absolute paths, so that they mean the same in every folder. git
 * takes relative ones from the folder that it is started in, and takes that folder for the work tree.
 */
export function gitVariables(env: Readonly<Record<string, string | undefined>>, cwd: string): Record<string, string> {
  const full = placed.flatMap((name): [string, string][] => {
    const path = env[name]
    return path === undefined || path === '' ? [] : [[name, resolve(cwd, path)]]
  })
  const { GIT_DIR: dir, GIT_WORK_TREE: tree } = Object.fromEntries(full)
  // The hooks of a repository without a work tree are started in the repository itself.
  const hasTree = dir !== undefined && tree === undefined && /^\.\.(?:[/\\]|$)/.test(relative(dir, cwd))
  return { ...Object.fromEntries(full), ...(hasTree && { GIT_WORK_TREE: cwd }) }
}

const placed = ['GIT_DIR', 'GIT_COMMON_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY']
