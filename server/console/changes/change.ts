import { z } from 'zod'
import type { Rights } from '../../auth/rights.js'

/**
 * The kinds of entries in the console's lists. `statistics`: a counter grew. `everything`: any entry may have changed,
 * because the stream begins or too many entries changed at once.
 */
export const CHANGE_KINDS = [
  'credential-offer-session',
  'offering',
  'credential',
  'credential-status-job',
  'schema',
  'verification-session',
  'vp-query',
  'trusted-issuer',
  'trust-list',
  'issuer',
  'verifier',
  'registration-certificate',
  'agent',
  'image',
  'holder',
  'wallet',
  'other',
  'statistics',
  'everything',
] as const

export type ChangeKind = (typeof CHANGE_KINDS)[number]

export const zChange = z.object({
  kind: z.enum(CHANGE_KINDS).meta({
    description:
      'The kind of the changed entry. `issuer`, `verifier`: an issuer or verifier record. `agent`: keys or DIDs. `image`: a stored image. `wallet`: a credential, ' +
      'presentation or flow of a hosted wallet. `statistics`: a counter grew. `everything`: any entry may have changed; read all shown lists again.',
  }),
  id: z
    .string()
    .nullable()
    .meta({ description: 'The id of the changed entry; null if the change is not about a single entry.' }),
  state: z
    .string()
    .nullable()
    .meta({ description: 'The current state of the entry; null if entries of this kind have no states.' }),
})

/** A change: the changed entry and its current state. */
export type Change = z.infer<typeof zChange>

export const EVERYTHING: Change = { kind: 'everything', id: null, state: null }
export const STATISTICS: Change = { kind: 'statistics', id: null, state: null }

/** The kind of each audit subject that has no states. */
const KINDS: Readonly<Record<string, ChangeKind>> = {
  'credential-status-job': 'credential-status-job',
  'vp-query': 'vp-query',
  'trusted-issuer': 'trusted-issuer',
  'trust-list': 'trust-list',
  issuer: 'issuer',
  verifier: 'verifier',
  'registration-certificate': 'registration-certificate',
  key: 'agent',
  did: 'agent',
  image: 'image',
  holder: 'holder',
  wallet_credential: 'wallet',
  wallet_pending_issuance: 'wallet',
  wallet_presentation: 'wallet',
  flow: 'wallet',
}

/** The kind of an entry without states. @param subject the subject of the entry's audit events */
export const kindOf = (subject: string): ChangeKind =>
  Object.hasOwn(KINDS, subject) ? (KINDS[subject] ?? 'other') : 'other'

/** Who sees entries of a kind in lists: users who may issue, users who may verify, both, or only admins. */
const HALVES: Readonly<Record<ChangeKind, 'issuer' | 'verifier' | 'both' | 'admin'>> = {
  'credential-offer-session': 'issuer',
  offering: 'issuer',
  credential: 'issuer',
  'credential-status-job': 'issuer',
  schema: 'both',
  'verification-session': 'verifier',
  'vp-query': 'verifier',
  'trusted-issuer': 'verifier',
  'trust-list': 'admin',
  issuer: 'issuer',
  verifier: 'verifier',
  'registration-certificate': 'both',
  agent: 'admin',
  image: 'both',
  holder: 'admin',
  wallet: 'admin',
  other: 'admin',
  statistics: 'both',
  everything: 'both',
}

/** True if the user's lists show the changed entry, so that the user may receive the change. */
export function maySee({ isAdmin, mayIssue, mayVerify }: Rights, { kind }: Change): boolean {
  const half = HALVES[kind]
  if (isAdmin) return true
  if (half === 'both') return mayIssue || mayVerify
  return (half === 'issuer' && mayIssue) || (half === 'verifier' && mayVerify)
}
