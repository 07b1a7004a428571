import type { Config } from '../../config/config.js'
import { DAY_SECONDS } from '../../maintenance/task.js'
import type { Metrics } from '../../metrics/metrics.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { ProvenKey } from '../../protocol/openid4vci/key-proof.js'
import type { WatchedStatus } from '../attestation-watch/watched.js'
import { didIn } from '../credentials/holder-binding.js'
import type { SubjectHash } from '../issuance/active-sets.js'
import { type DueTimes, dueTimes, type RetentionConfig } from '../issuance/retention.js'
import { validityFault } from '../issuance/validity.js'
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
  /** The statuses of the key attestations of these keys. */
  readonly statuses: readonly WatchedStatus[]
  /**
   * Hash of the transaction under which the wallet waited. The instances of this transaction were counted before. Null
   * if the wallet did not wait.
   */
  readonly transactionHash: string | null
}

export const denied = (description: string) => new OAuthError('credential_request_denied', description)

const NO_LONGER_GOOD = 'The credential of this access token is no longer valid.'
const REFRESHED = 'A later refresh has replaced this access token.'
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
  refreshed: () => denied(REFRESHED),
  refused: ({ counted }) => denied(counted ? NO_LONGER_GOOD : CLOSED),
  overtaken: () => denied(NO_LONGER_GOOD),
}

/** The error of a refusal. */
export const refusalError = (refusal: Refusal, admission: Admission): OAuthError => REFUSALS[refusal.kind](admission)

/** The statuses on which the credential under a token depends. A type without `watchAttestations` has none. */
const watchedUnder = (token: TokenContext, { statuses }: Pick<WantedCopies, 'statuses'>): readonly WatchedStatus[] =>
  token.watchAttestations ? [...(token.walletStatuses ?? []), ...statuses] : []

/**
 * TS3 v1.5 §2.4.3: the credential expires before the wallet provider stops to maintain the statuses. The validity is shortened to
 * whole days, so that the end of a status does not identify the wallet.
 *
 * @throws OAuthError `credential_request_denied` if less than a day is left, or if the credential would expire before it is valid
 */
function maintained(token: TokenContext, watched: readonly WatchedStatus[], now: Date): TokenContext {
  const ends = watched.flatMap(({ until }) => (until === null ? [] : [Date.parse(until)]))
  if (ends.length === 0) return token
  const days = Math.floor((Math.min(...ends) - now.getTime()) / (DAY_SECONDS * 1000))
  if (days < 1) throw denied('The status of an attestation is maintained for less than a day.')
  const limited = { ...token, expiresInDays: Math.min(token.expiresInDays ?? days, days) }
  if (validityFault(limited, now) !== undefined)
    throw denied('The status of an attestation is not maintained until the credential is valid.')
  return limited
}

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
    generation: token.onRefresh === 'revoke-previous' ? token.generation : null,
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

/** The DID of the recipient that the offering names; undefined if it names none. */
const didOf = ({ recipient, credentialSubject: { id } }: TokenContext): string | undefined =>
  recipient ?? didIn(typeof id === 'string' ? id : undefined)

/** Dependencies of {@link createWalletIssuance}. */
export interface WalletIssuancePorts {
  readonly signCopies: SignCopies
  readonly store: Pick<Openid4vciStore, 'issue'>
  readonly config: Pick<Config, 'issuerProfile'> & RetentionConfig
  readonly seals: Pick<Seals, 'notificationId'>
  readonly metrics: Pick<Metrics, 'offerSession'>
  readonly subjectHash: SubjectHash
  readonly newId: () => string
}

export type WalletIssuance = ReturnType<typeof createWalletIssuance>

/** Issues copies to wallets after the configuration and the keys are known. */
export function createWalletIssuance(ports: WalletIssuancePorts) {
  const { signCopies, store, config, seals, metrics, subjectHash, newId } = ports

  const recordOf = (
    token: TokenContext,
    { keys }: WantedCopies,
    credentialId: string,
    copies: WalletCopies,
    due: DueTimes,
    watched: readonly WatchedStatus[],
  ): NewRecord => {
    const { session } = token
    const holderDid = token.recipient ?? keys[0]?.did ?? null
    return {
      credentialId,
      redemptionId: newId(),
      schemaId: token.id,
      issuerId: token.issuerId,
      holderDid,
      subjectHash: subjectHash(token, {
        forSubject: token.forSubject,
        names: token.names,
        did: didOf(token) ?? holderDid,
        user: null,
      }),
      validFrom: copies.validity.validFrom ?? null,
      expiresAt: copies.validity.expiresAt ?? null,
      generation: token.generation,
      ...due,
      vc: copies.vc,
      names: token.names,
      vcIsSigned: copies.instances[0]?.vc !== undefined,
      instances: copies.instances.map(({ instance }) => instance),
      watched,
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
        | 'authorizationGeneration'
        | 'claimsErased'
        | 'credentialErased'
        | 'credentialGood'
        | 'credentialSuspended'
        | 'generation'
        | 'profile'
        | 'x5c'
      >,
    ): void {
      if (token.claimsErased || token.credentialErased) throw denied(ERASED)
      if (token.credentialGood === false) throw denied(NO_LONGER_GOOD)
      if (token.credentialSuspended) throw denied(SUSPENDED)
      if (token.generation < token.authorizationGeneration) throw denied(REFRESHED)
      if (token.x5c === null && isHaip({ config }, token)) throw denied('The issuer has no certificate (HAIP).')
    },

    /**
     * Signs copies and stores them. If the issuance is refused, the status indices are released.
     *
     * @returns the credentials and a notification id (OpenID4VCI 1.0 §8.3)
     * @throws OAuthError with the code of §8.3.1.2 or §9.3 that fits.
     */
    async issueCopies(given: TokenContext, wanted: WantedCopies, now: Date): Promise<JsonObject> {
      const watched = watchedUnder(given, wanted)
      const token = maintained(given, watched, now)
      const recordId = token.credentialId ?? newId()
      const copies = await signedCopies(token, wanted, recordId, now)
      const due = dueTimes(token, config, now, token.tokenExpiresAt)
      const record = recordOf(token, wanted, recordId, copies, due, watched)
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
