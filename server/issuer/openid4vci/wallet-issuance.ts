import type { Config } from '../../config/config.js'
import type { Metrics } from '../../metrics/metrics.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { ProvenKey } from '../../protocol/openid4vci/key-proof.js'
import { type DueTimes, dueTimes, type RetentionConfig } from '../issuance/retention.js'
import { type Admission, INSTANCES_A_DAY, type Refusal } from './admission-store.js'
import { isHaip } from './haip.js'
import { CLOSED, ERASED } from './offer.js'
import type { Seals } from './sealed.js'
import { moved } from './sessions/session.js'
import type { NewRecord, Openid4vciStore } from './store.js'
import type { TokenContext } from './tokens/store.js'
import type { UsedOnce } from './used-once-store.js'
import type { SignCopies, WalletCopies } from './wallet-copies.js'

/** The copies for a wallet: one configuration, one copy for each proven key. */
export interface WantedCopies {
  readonly configurationId: string
  readonly keys: readonly ProvenKey[]
  /** The nonces that the issuance marks as used. */
  readonly nonces: readonly UsedOnce[]
  /**
   * Hash of the transaction under which the wallet waited. The instances of this transaction were counted before. Null
   * if the wallet did not wait.
   */
  readonly transactionHash: string | null
}

export const denied = (description: string) => new OAuthError('credential_request_denied', description)

const NO_LONGER_GOOD = 'The credential of this access token is no longer valid.'
const SUSPENDED = 'The credential of this access token is suspended.'
const MANY = `An authorization gives at most ${INSTANCES_A_DAY} instances a day.`

/**
 * §9.3: the transaction is unknown, belongs to another authorization, or was taken before. The error does not reveal which
 * reason applies.
 */
export const unknownTransaction = () =>
  new OAuthError(
    'invalid_transaction_id',
    'The transaction_id was not given under this access token, or has been used already.',
  )

const REFUSALS: Readonly<Record<Refusal['kind'], (admission: Admission) => OAuthError>> = {
  'nonce-used': () => new OAuthError('invalid_nonce', 'The nonce of the proof has been used already.'),
  'too-many': () => denied(MANY),
  collected: unknownTransaction,
  refused: ({ counted }) => denied(counted ? NO_LONGER_GOOD : CLOSED),
  overtaken: () => denied(NO_LONGER_GOOD),
}

/** The error of a refusal. */
export const refusalError = (refusal: Refusal, admission: Admission): OAuthError => REFUSALS[refusal.kind](admission)

export function admissionOf(
  token: TokenContext,
  { configurationId, keys, nonces, transactionHash }: WantedCopies,
  claimsDueAt: Date | null,
  now: Date,
): Admission {
  return {
    tokenHash: token.tokenHash,
    offeringId: token.offeringId,
    hasSession: token.session !== null,
    linkNumber: token.linkNumber,
    configurationId,
    earlierId: token.credentialId,
    counted: token.counted,
    authorizationId: token.authorizationId,
    // A deferred request was counted when the wallet sent it.
    instances: transactionHash === null ? keys.length : 0,
    transactionHash,
    claimsDueAt,
    nonces,
    now,
  }
}

/**
 * Attempts an admission. If another request under the token was first, it tries again with the state that the other request
 * left. This state changes at most twice: the redemption is counted, then a credential is stored.
 */
export async function admittedAs<Outcome extends { readonly kind: string }>(
  admission: Admission,
  attempt: (admission: Admission) => Promise<Outcome | Refusal>,
): Promise<Outcome | Refusal> {
  const first = await attempt(admission)
  if (!('now' in first)) return first
  const second = await attempt({ ...admission, ...first.now })
  return 'now' in second ? attempt({ ...admission, ...second.now }) : second
}

/** The credential response (§8.3). */
const responseOf = ({ instances }: WalletCopies, notificationId: string): JsonObject => ({
  credentials: instances.map(({ compact }) => ({ credential: compact })),
  notification_id: notificationId,
})

/** Dependencies of {@link createWalletIssuance}. */
export interface WalletIssuancePorts {
  readonly signCopies: SignCopies
  readonly store: Pick<Openid4vciStore, 'issue'>
  readonly config: Pick<Config, 'issuerProfile'> & RetentionConfig
  readonly seals: Pick<Seals, 'notificationId'>
  readonly metrics: Pick<Metrics, 'offerSession'>
  readonly newId: () => string
}

export type WalletIssuance = ReturnType<typeof createWalletIssuance>

/** Issues copies to wallets after the configuration and the keys are known. */
export function createWalletIssuance({ signCopies, store, config, seals, metrics, newId }: WalletIssuancePorts) {
  const recordOf = (
    token: TokenContext,
    keys: readonly ProvenKey[],
    credentialId: string,
    copies: WalletCopies,
    due: DueTimes,
  ): NewRecord => {
    const { session } = token
    return {
      credentialId,
      redemptionId: newId(),
      schemaId: token.id,
      issuerId: token.issuerId,
      holderDid: token.recipient ?? keys[0]?.did ?? null,
      ...due,
      vc: copies.vc,
      vcIsSigned: copies.instances[0]?.vc !== undefined,
      instances: copies.instances.map(({ instance }) => instance),
      session: session === null ? null : moved(session, 'CredentialIssued'),
    }
  }

  /** Signs the copies. A request that cannot be signed now is denied, for example if the certificate has expired. */
  const signedCopies = async (
    token: TokenContext,
    { configurationId, keys }: WantedCopies,
    recordId: string,
    now: Date,
  ): Promise<WalletCopies> => {
    try {
      return await signCopies(token, configurationId, keys, recordId, now)
    } catch (thrown) {
      if (!(thrown instanceof CredentialError)) throw thrown
      throw denied(thrown.message)
    }
  }

  return {
    /**
     * Asserts that a token permits issuance, independent of proofs and decisions.
     *
     * @throws OAuthError `credential_request_denied`
     */
    assertIssuable(
      token: Pick<
        TokenContext,
        'claimsErased' | 'credentialErased' | 'credentialGood' | 'credentialSuspended' | 'profile' | 'x5c'
      >,
    ): void {
      if (token.claimsErased || token.credentialErased) throw denied(ERASED)
      if (token.credentialGood === false) throw denied(NO_LONGER_GOOD)
      if (token.credentialSuspended) throw denied(SUSPENDED)
      if (token.x5c === null && isHaip({ config }, token)) throw denied('The issuer has no certificate (HAIP).')
    },

    /**
     * Signs copies and stores them. If the issuance is refused, the status indices are released.
     *
     * @returns the credentials and a notification id (OpenID4VCI 1.0 §8.3)
     * @throws OAuthError with the code of §8.3.1.2 or §9.3 that fits.
     */
    async issueCopies(token: TokenContext, wanted: WantedCopies, now: Date): Promise<JsonObject> {
      const { keys } = wanted
      const recordId = token.credentialId ?? newId()
      const copies = await signedCopies(token, wanted, recordId, now)
      const due = dueTimes(token, config, now, token.tokenExpiresAt)
      const record = recordOf(token, keys, recordId, copies, due)
      const admission = admissionOf(token, wanted, due.claimsDueAt, now)
      const outcome = await admittedAs(admission, (current) => store.issue(current, record))
      if (outcome.kind !== 'issued') {
        copies.taken.giveBack()
        throw refusalError(outcome, admission)
      }
      if (admission.hasSession && admission.earlierId === null) metrics.offerSession('issued')
      const notificationId = seals.notificationId(token.offeringId, outcome.credentialId)
      return responseOf(copies, notificationId)
    },
  }
}
