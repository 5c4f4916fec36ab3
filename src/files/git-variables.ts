import { relative, resolve } from 'node:path'

/**
 * The variables by which git tells its hooks which repository they are about, as they are meant in every folder: git takes them
 * from the folder that it is started in, and the work tree for that folder.
 */
export function gitVariables(env: Readonly<Record<string, string | undefined>>, cwd: string): Record<string, string> {
  const full = placed.flatMap((name): [string, string][] => {
    const path = env[name]
    return path === undefined || path === '' ? [] : [[name, resolve(cwd, path)]]
  })
  const { GIT_DIR: dir, GIT_WORK_TREE: tree } = Object.fromEntries(full)
  // In a repository without a work tree its hooks are started in the repository itself.
  const hasTree = dir !== undefined && tree === undefined && /^\.\.(?:[/\\]|$)/.test(relative(dir, cwd))
  return { ...Object.fromEntries(full), ...(hasTree && { GIT_WORK_TREE: cwd }) }
}

const placed = ['GIT_DIR', 'GIT_COMMON_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY']
