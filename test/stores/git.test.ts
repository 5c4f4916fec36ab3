import { afterEach, beforeEach } from 'vitest'
import { openRecords } from '../../src/stores/open.js'
import { type GitHost, git, gitHost, gitWith } from '../kit/git.js'
import { recordsContract } from './contract.js'

let host: GitHost
let dir = ''

beforeEach(() => {
  host = gitHost()
  dir = host.clone()
})

// The first one registered runs last: by then the contract has closed its stores.
afterEach(() => host.remove())

recordsContract('git', {
  open: () => openRecords('git', { dir, now: () => 1_000 }),
  address: () => 'git:origin',
  dir: () => dir,
  damage: (what, json) => {
    const { ref: refPattern, file: pattern, line } = places[what]
    const ref = refs().find((each) => refPattern.test(each)) ?? ''
    const path =
      git(host.bare, 'ls-tree', '-r', '--name-only', ref)
        .split('\n')
        .find((each) => pattern.test(each)) ?? ''
    const lines = git(host.bare, 'cat-file', 'blob', `${ref}:${path}`).split('\n')
    lines[line] = json
    replace(ref, path, lines.join('\n'))
    return Promise.resolve()
  },
})

const places = {
  head: { ref: /records/, file: /-r1\/head\.json$/, line: 0 },
  entry: { ref: /records/, file: /-r1\/000002\.jsonl$/, line: 0 },
  receipt: { ref: /records/, file: /receipts\/..\.jsonl$/, line: 0 },
  lock: { ref: /lock/, file: /lock\.json$/, line: 0 },
}

const refs = (): readonly string[] =>
  git(host.bare, 'for-each-ref', '--format=%(refname)', 'refs/gatewright/').split('\n').filter(Boolean)

/** Another text in the place of a file of a ref. */
function replace(ref: string, path: string, text: string): void {
  const blob = gitWith(host.bare, text, 'hash-object', '-w', '--stdin').trim()
  git(host.bare, 'read-tree', ref)
  git(host.bare, 'update-index', '--cacheinfo', `100644,${blob},${path}`)
  const commit = git(host.bare, 'commit-tree', git(host.bare, 'write-tree').trim(), '-p', ref, '-m', 'x').trim()
  git(host.bare, 'update-ref', ref, commit)
}
