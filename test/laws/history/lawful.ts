import { type Item, itemsOf, type Project } from './items.js'

/**
 * Makes a project acceptable for platforms: "a package key's rateLimitCeiling and qpsLimitCeiling apply up to the plan
 * maximum", "key-level overrides only when … is true", and "maximum keys per developer".
 */
export function makeLawful(project: Project): void {
  const keys = itemsOf(project, 'PackageKey')
  for (const key of keys) {
    const { plan } = key.links
    if (plan) for (const limit of ['rateLimit', 'qpsLimit'] as const) keepWithin(key, plan, limit)
  }
  for (const plan of itemsOf(project, 'Plan')) allowKeys(plan, keys)
}

/** The ceilings that the embedded platform sets by default. */
const usual = { rateLimit: 5000, qpsLimit: 2 }

function keepWithin(key: Item, plan: Item, limit: 'rateLimit' | 'qpsLimit'): void {
  const [ceiling, exempt] = [`${limit}Ceiling`, `${limit}Exempt`]
  if (plan.fields.get(`${limit}KeyOverrideAllowed`) === false) {
    key.fields.delete(ceiling)
    key.fields.delete(exempt)
    return
  }
  const most = plan.fields.get(ceiling) ?? usual[limit]
  const own = key.fields.get(ceiling)
  if (plan.fields.get(exempt) !== true && typeof own === 'number' && typeof most === 'number' && own > most)
    key.fields.set(ceiling, most)
}

/** The embedded platform allows four by default. */
function allowKeys(plan: Item, keys: readonly Item[]): void {
  const counts = new Map<Item | undefined, number>()
  for (const key of keys) {
    const member = key.parent?.parent
    if (key.links.plan === plan) counts.set(member, (counts.get(member) ?? 0) + 1)
  }
  const needed = Math.max(0, ...counts.values())
  const most = plan.fields.get('maxNumKeysAllowed') ?? 4
  if (typeof most === 'number' && most !== 0 && most < needed) plan.fields.set('maxNumKeysAllowed', needed)
}
