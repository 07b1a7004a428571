import { z } from 'zod'
import type { Rights } from '../../auth/rights.js'

/**
 * What the console has lists of. `statistics`: more was counted. `everything`: what changed is not known one by one, because the stream
 * begins or too much changed at once.
 */
export const CHANGE_KINDS = [
  'credential-offer-session',
  'offering',
  'credential',
  'schema',
  'verification-session',
  'vp-query',
  'trusted-issuer',
  'issuer',
  'verifier',
  'agent',
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
      'What changed. `issuer`, `verifier`: a record of one. `agent`: keys or DIDs. `wallet`: what a hosted wallet has or does. ' +
      '`statistics`: more was counted. `everything`: what changed is not told one by one; read anew whatever is shown.',
  }),
  id: z.string().nullable().meta({ description: 'Which one; null where no single thing changed.' }),
  state: z.string().nullable().meta({ description: 'Its state as it is now; null where it has none.' }),
})

/** That something changed: which thing, and its state as it is now. */
export type Change = z.infer<typeof zChange>

export const EVERYTHING: Change = { kind: 'everything', id: null, state: null }
export const STATISTICS: Change = { kind: 'statistics', id: null, state: null }

/** What of the audit's subjects each kind stands for, but for those that have states. */
const KINDS: Readonly<Record<string, ChangeKind>> = {
  'vp-query': 'vp-query',
  'trusted-issuer': 'trusted-issuer',
  issuer: 'issuer',
  verifier: 'verifier',
  key: 'agent',
  did: 'agent',
  holder: 'holder',
  wallet_credential: 'wallet',
  wallet_pending_issuance: 'wallet',
  wallet_presentation: 'wallet',
  flow: 'wallet',
}

/** The kind of a thing without states. @param subject as audit events call it */
export const kindOf = (subject: string): ChangeKind =>
  Object.hasOwn(KINDS, subject) ? (KINDS[subject] ?? 'other') : 'other'

/** Whose lists have things of a kind: those of a half of the service, or an admin's alone. */
const HALVES: Readonly<Record<ChangeKind, 'issuer' | 'verifier' | 'both' | 'admin'>> = {
  'credential-offer-session': 'issuer',
  offering: 'issuer',
  credential: 'issuer',
  schema: 'both',
  'verification-session': 'verifier',
  'vp-query': 'verifier',
  'trusted-issuer': 'verifier',
  issuer: 'issuer',
  verifier: 'verifier',
  agent: 'admin',
  holder: 'admin',
  wallet: 'admin',
  other: 'admin',
  statistics: 'both',
  everything: 'both',
}

/** Whether a user's lists have what changed, so that they may hear of it. */
export function maySee({ isAdmin, mayIssue, mayVerify }: Rights, { kind }: Change): boolean {
  const half = HALVES[kind]
  if (isAdmin) return true
  if (half === 'both') return mayIssue || mayVerify
  return (half === 'issuer' && mayIssue) || (half === 'verifier' && mayVerify)
}
