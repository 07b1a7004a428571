import type { TokenContext } from '../tokens/store.js'

/**
 * How it stands with what a token is good for of a deferred offer. `pending`: nobody has decided. `ended`: nobody can any more,
 * or what was approved is not to be had.
 */
export type Standing = 'pending' | 'approved' | 'rejected' | 'ended'

export function decisionOn({ credentialId, session }: Pick<TokenContext, 'credentialId' | 'session'>): Standing {
  if (session?.state === 'Error') return session.deferred === 'rejected' ? 'rejected' : 'ended'
  // What is on record was approved, though the session may be past its retention.
  if (credentialId !== null || session?.deferred === 'approved') return 'approved'
  return session === null ? 'ended' : 'pending'
}
