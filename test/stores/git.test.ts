import { afterEach, beforeEach } from 'vitest'
import { openRecords } from '../../src/stores/open.js'
import { type GitHost, git, gitHost, replaceFile } from '../kit/git.js'
import { recordsContract } from './contract.js'

let host: GitHost
let dir = ''

beforeEach(() => {
  host = gitHost()
  dir = host.clone()
})

// The hook that is registered first runs last: the contract has closed its stores then.
afterEach(() => host.remove())

recordsContract('git', {
  open: () => openRecords('git', { dir, now: () => 1_000 }),
  address: () => 'git:origin',
  dir: () => dir,
  damage: (what, json) => {
    const { ref: refPattern, file } = places[what]
    const ref = refs().find((each) => refPattern.test(each)) ?? ''
    const paths = git(host.bare, 'ls-tree', '-r', '--name-only', ref).split('\n')
    replaceFile(host.bare, ref, paths.find((each) => file.test(each)) ?? '', `${json}\n`)
    return Promise.resolve()
  },
})

/** Each of these files has one line. */
const places = {
  head: { ref: /records/, file: /-r1\/head\.json$/ },
  entry: { ref: /records/, file: /-r1\/000002\.jsonl$/ },
  receipt: { ref: /records/, file: /receipts\/..\.jsonl$/ },
  lock: { ref: /lock/, file: /lock\.json$/ },
}

const refs = (): readonly string[] =>
  git(host.bare, 'for-each-ref', '--format=%(refname)', 'refs/gatewright/').split('\n').filter(Boolean)
