import type { Metrics } from '../../metrics/metrics.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { WalletOffering } from './offer-store.js'
import { profileNamed } from './profiles/profiles.js'
import { moved } from './sessions/session.js'
import type { OfferSessionStore } from './sessions/store.js'
import { TX_CODE_LOCKED, txCodeMatches } from './tx-code.js'

/** Dependencies of {@link createTxCodeCheck}. */
export interface TxCodeCheckPorts {
  /** The key for the hashes of transaction codes. */
  readonly key: Uint8Array
  readonly offerSessions: Pick<OfferSessionStore, 'countWrongTxCode'>
  readonly metrics: Pick<Metrics, 'offerSession'>
  readonly clock: () => Date
}

/**
 * Checks the transaction code that a wallet sends for an offering. Each session has five attempts, even if its offer is fetched
 * again. The fifth wrong code ends the session.
 *
 * @param sent the code; undefined if the wallet sends none
 * @throws OAuthError `invalid_request` for a code that is missing or not expected (§6.3), `invalid_grant` for a wrong code
 */
export type AssertTxCode = (
  offering: Pick<WalletOffering, 'profile' | 'session'>,
  sent: string | undefined,
) => Promise<void>

export const createTxCodeCheck =
  ({ key, offerSessions, metrics, clock }: TxCodeCheckPorts): AssertTxCode =>
  async ({ session, profile }, sent) => {
    const { txCodeName } = profileNamed(profile)
    const hash = session?.txCodeHash ?? null
    if (session === null || hash === null) {
      if (sent !== undefined) throw new OAuthError('invalid_request', `${txCodeName} is not expected for this offer.`)
      return
    }
    if (sent === undefined) throw new OAuthError('invalid_request', `${txCodeName} is missing.`)
    if (txCodeMatches(key, session.id, sent, hash)) return
    const left = await offerSessions.countWrongTxCode(moved(session, 'Error', TX_CODE_LOCKED), clock())
    if (left === 0) metrics.offerSession('failed', 'tx-code')
    if (left === undefined || left === 0) throw new OAuthError('invalid_grant', TX_CODE_LOCKED)
    throw new OAuthError('invalid_grant', `The transaction code is wrong. Attempts left: ${left}.`)
  }
