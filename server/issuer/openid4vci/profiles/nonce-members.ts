import type { Deps } from '../../../deps.js'
import { NONCE_SECONDS } from '../sealed.js'
import type { NonceMembers } from './dialect.js'

/** Fresh nonces for answers that have one (draft 13 §6.2, §7.3): made when one is asked for, and stored by nobody. */
export const nonceMembers =
  ({ seals }: Pick<Deps, 'seals'>): NonceMembers =>
  () => ({ c_nonce: seals.nonce(), c_nonce_expires_in: NONCE_SECONDS })
