import type { Config } from '../../config/config.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import type { RequestParameters } from '../../protocol/openid4vp/request-object.js'
import { responsePublicKey } from '../../protocol/openid4vp/response-encryption.js'
import { encodedTransactionData } from '../../protocol/openid4vp/transaction-data.js'
import type { WalletMetadata } from '../../protocol/openid4vp/wallet-metadata.js'
import type { SessionSecrets } from '../sessions/secrets.js'
import { responseUriOf, type Session, wayOf } from '../sessions/session.js'
import type { KnownFormats } from './profiles/profile.js'
import { profileNamed, vpFormatsOf } from './profiles/profiles.js'

/** Dependencies of {@link createRequestParameters}. */
export interface RequestParametersPorts {
  readonly formats: KnownFormats
  readonly config: Pick<Config, 'verifierBaseUrl' | 'trustAnchors'>
}

/**
 * Makes the parameters of a stored request. The parameters are the same for every way in which a request reaches a
 * wallet.
 *
 * @param wallet the wallet's metadata, if the wallet sent metadata
 * @param verifier client metadata with the verifier's names and logos, for a profile that has them
 */
export type RequestParametersOf = (
  session: Session,
  secrets: SessionSecrets,
  wallet?: WalletMetadata,
  verifier?: JsonObject,
) => RequestParameters

export const createRequestParameters =
  ({ formats, config }: RequestParametersPorts): RequestParametersOf =>
  (session, { nonce, state, encryptionKey }, wallet, verifier) => ({
    inWords: (parameters) =>
      profileNamed(session.profile).requestParameters(parameters, { id: session.requestId, formats, wallet, verifier }),
    clientId: session.clientId ?? undefined,
    responseMode: session.responseMode,
    replyTo:
      wayOf(session) === 'browser' ? undefined : { responseUri: responseUriOf(config, session.requestId), state },
    nonce,
    dcqlQuery: session.dcqlQuery,
    vpFormats: vpFormatsOf(session.profile, formats, config),
    verifierInfo: session.verifierInfo ?? undefined,
    transactionData: session.transactionData?.map(encodedTransactionData),
    encryptionKey: encryptionKey === undefined ? undefined : responsePublicKey(encryptionKey),
  })
