import type { CredentialOfferObject } from '@openid4vc/openid4vci'
import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { Log } from '../../log/log.js'
import { failureReason } from '../exchange/failure.js'
import { WalletError } from '../exchange/wallet-error.js'
import { admission, registrationFault } from '../registration/admit.js'
import type { IssuerRegistration } from '../registration/issuer-registration.js'
import type { ObtainToken } from './access-token.js'
import { assertCollectable, type Deferral, type Transaction } from './deferral.js'
import type { Grant, Issuance } from './issuance.js'
import { isModern } from './issuer-metadata.js'
import type { IssuerSessions } from './issuer-sessions.js'
import type { Offers } from './offers.js'
import { proofKeys, takesNoProofs } from './proof-keys.js'
import { assertProvable, type ProveKeys } from './proofs.js'
import { requestCredential, type Wanted, wantedCredentials } from './request-credential.js'
import type { TakeAnswer, Taken } from './take-answer.js'
import type { Expectation } from './verify-received.js'
import type { WalletClient } from './wallet-client.js'
import type { WalletKey } from './wallet-keys.js'

export interface TakeRequest {
  readonly offer: CredentialOfferObject
  /** The holder's keys, the preferred key first. */
  readonly keys: readonly WalletKey[]
  readonly txCode?: string | undefined
  /** Copies of each credential, if the issuer issues batches. */
  readonly copies: number
  /** Whether a person has seen the registration of the issuer. */
  readonly personConfirms?: boolean | undefined
}

/** The result of taking an offer. */
export interface Offered {
  readonly taken: readonly Taken[]
  /** Credentials that the issuer issues later; undefined if the issuer deferred no credential. */
  readonly deferral: Deferral | undefined
}

/** An open issuance. The grant carries the newest DPoP nonce from one request to the next. */
interface Progress {
  grant: Grant
  readonly taken: Taken[]
  readonly deferred: Transaction[]
}

/** Dependencies of {@link createTakeOffer}. */
export interface TakeOfferPorts {
  readonly issuerSessions: Pick<IssuerSessions, 'begin' | 'signing'>
  readonly wallet: Pick<WalletClient, 'hasProvider'>
  readonly configurationsIn: Offers['configurationsIn']
  readonly obtainToken: ObtainToken
  readonly proveKeys: ProveKeys
  readonly takeAnswer: TakeAnswer
  readonly registrationOf: IssuerRegistration
  readonly config: Pick<Config, 'walletRegistration'>
  readonly log: Pick<Log, 'warn'>
}

/**
 * Takes an offer of any issuer (OpenID4VCI 1.0): every configuration that this wallet can hold, if the issuer issues it. Each
 * credential is verified and must be bound to a key of this wallet.
 *
 * @throws 400 for a missing transaction code; the error of the first configuration if none was received or deferred.
 */
export type TakeOffer = ReturnType<typeof createTakeOffer>

/** Creates {@link TakeOffer} from its dependencies. */
export function createTakeOffer({
  issuerSessions,
  wallet,
  configurationsIn,
  obtainToken,
  proveKeys,
  takeAnswer,
  registrationOf,
  config,
  log,
}: TakeOfferPorts) {
  /** Checks the registration of the issuer before anything is used up. */
  async function requireRegistration(
    { fetch, metadata }: Issuance,
    configurations: readonly Expectation[],
    { personConfirms = false }: TakeRequest,
  ): Promise<void> {
    const registration = await registrationOf(fetch, metadata, configurations)
    const admitted = admission(registration, config, personConfirms)
    if (admitted === 'admitted') return
    const fault = registrationFault(registration, 'issuer') ?? ''
    if (admitted !== 'refused') throw errors.registrationUnconfirmed(fault)
    throw new WalletError(fault, { untrusted: registration.signer })
  }

  async function takeOne(
    issuance: Issuance,
    progress: Progress,
    wanted: Wanted,
    expected: Expectation,
    request: TakeRequest,
  ): Promise<void> {
    const { metadata } = issuance
    const configuration = metadata.credentialIssuer.credential_configurations_supported[expected.configurationId]
    if (configuration === undefined) throw new WalletError('The metadata of the issuer lack the offered configuration.')
    const batchSize = metadata.credentialIssuer.batch_credential_issuance?.batch_size ?? 1
    const withoutProofs = takesNoProofs(configuration, expected.format)
    const proving =
      withoutProofs && isModern(metadata)
        ? []
        : await proofKeys(configuration, request.keys, Math.min(request.copies, batchSize))
    const keys = proving.map(({ key }) => key)
    const session = issuerSessions.signing(
      issuance,
      keys.map(({ signer }) => signer),
    )
    const answer = await requestCredential(proveKeys, session, progress.grant, { ...wanted, withoutProofs }, proving)
    progress.grant = answer.grant
    if (answer.kind === 'deferred') {
      assertCollectable(session)
      const { transactionId, intervalSeconds } = answer
      progress.deferred.push({ transactionId, intervalSeconds, expected, keys })
      return
    }
    progress.taken.push(await takeAnswer(session, progress.grant, answer, { expected, keys }, async (one) => one))
  }

  return async (request: TakeRequest): Promise<Offered> => {
    const { offer, txCode } = request
    const issuance = await issuerSessions.begin(offer, txCode)
    const configurations = configurationsIn(issuance)
    assertProvable(wallet, issuance.metadata, configurations)
    await requireRegistration(issuance, configurations, request)
    const progress: Progress = { grant: await obtainToken(issuance), taken: [], deferred: [] }
    const failures: unknown[] = []
    for (const expected of configurations) {
      for (const wanted of wantedCredentials(progress.grant, expected.configurationId)) {
        try {
          await takeOne(issuance, progress, wanted, expected, request)
        } catch (thrown) {
          failures.push(thrown)
          const { configurationId } = expected
          log.warn({ reason: failureReason(thrown), configurationId }, 'credential was not taken')
        }
      }
    }
    const { grant, taken, deferred } = progress
    if (taken.length + deferred.length === 0) throw failures[0]
    const { dpopKey, instanceKey } = issuance
    const deferral = { credentialIssuer: offer.credential_issuer, grant, dpopKey, instanceKey, transactions: deferred }
    return { taken, deferral: deferred.length === 0 ? undefined : deferral }
  }
}
