import { errors } from '../api/errors.js'
import type { Half } from '../auth/access.js'
import { type RoleConfig, reachOf, rightsOf, type Sender } from '../auth/rights.js'
import type { PeriodKind, Subject } from './export.js'

/** The part of a person's data that a caller receives. `account` is everything that belongs to neither half. */
export type Section = Half | 'account'

/** The records of a half that a sender receives: see {@link reachOf}. */
function reachedIn(half: Half, { caller, client }: Sender, config: RoleConfig): ReturnType<typeof reachOf> {
  if (client) return 'all'
  return caller === undefined ? 'none' : reachOf(half, rightsOf(caller.roles, config), config)
}

const isAdmin = ({ caller, client }: Sender, config: RoleConfig): boolean =>
  client || (caller !== undefined && rightsOf(caller.roles, config).isAdmin)

/**
 * The `sub` whose records of a kind the sender receives; undefined if the sender receives the records of all callers.
 *
 * @throws 403 if the sender receives none
 */
export function ownerFor(kind: PeriodKind, sender: Sender, config: RoleConfig): string | undefined {
  if (isAdmin(sender, config)) return undefined
  if (kind === 'audit') throw errors.insufficientRole()
  const reach = reachedIn(kind === 'credentials' ? 'issuer' : 'verifier', sender, config)
  if (reach === 'none') throw errors.insufficientRole()
  return reach === 'own' ? sender.caller?.sub : undefined
}

/** True if the person is the sender. */
async function isSelf(
  subject: Subject,
  { caller }: Sender,
  holderDidsOf: (sub: string) => Promise<readonly string[]>,
): Promise<boolean> {
  if (caller === undefined) return false
  if (subject.sub !== undefined) return subject.sub === caller.sub
  return caller.tokenDids.includes(subject.did) || (await holderDidsOf(caller.sub)).includes(subject.did)
}

/**
 * The parts of a person's data that the sender receives.
 *
 * - The client secret and the role admin: all parts.
 * - An operator of a half: this half.
 * - Any user, about themselves: each half whose role is not set; and the account, if the user receives both halves.
 *
 * @param holderDidsOf returns the DIDs of a user's hosted wallets
 * @throws 403 if the sender receives none
 */
export async function sectionsFor(
  subject: Subject,
  sender: Sender,
  config: RoleConfig,
  holderDidsOf: (sub: string) => Promise<readonly string[]>,
): Promise<ReadonlySet<Section>> {
  if (isAdmin(sender, config)) return new Set<Section>(['issuer', 'verifier', 'account'])
  const self = await isSelf(subject, sender, holderDidsOf)
  const halves = (['issuer', 'verifier'] as const).filter((half) => {
    const reach = reachedIn(half, sender, config)
    return reach === 'all' || (reach === 'own' && self)
  })
  if (halves.length === 0) throw errors.insufficientRole()
  return new Set<Section>([...halves, ...(self && halves.length === 2 ? (['account'] as const) : [])])
}
