import type { Deps } from '../../deps.js'
import type { RequestParameters } from '../../protocol/openid4vp/request-object.js'
import { responsePublicKey } from '../../protocol/openid4vp/response-encryption.js'
import { encodedTransactionData } from '../../protocol/openid4vp/transaction-data.js'
import type { WalletMetadata } from '../../protocol/openid4vp/wallet-metadata.js'
import type { SessionSecrets } from '../sessions/secrets.js'
import { responseUriOf, type Session, wayOf } from '../sessions/session.js'
import { dialectOf, vpFormatsOf } from './profiles/profile.js'

/**
 * The parameters of a stored request, in whatever way it reaches the wallet.
 *
 * @param wallet what the wallet says of itself, where this is for one that does
 */
export function requestParametersOf(
  deps: Pick<Deps, 'config' | 'formats'>,
  session: Session,
  { nonce, state, encryptionKey }: SessionSecrets,
  wallet?: WalletMetadata,
): RequestParameters {
  const { config, formats } = deps
  const made = { id: session.requestId, formats, wallet }
  return {
    inWords: (parameters) => dialectOf(session.profile).parameters(parameters, made),
    clientId: session.clientId ?? undefined,
    responseMode: session.responseMode,
    replyTo:
      wayOf(session) === 'browser' ? undefined : { responseUri: responseUriOf(config, session.requestId), state },
    nonce,
    dcqlQuery: session.dcqlQuery,
    vpFormats: vpFormatsOf(session.profile, deps),
    verifierInfo: session.verifierInfo ?? undefined,
    transactionData: session.transactionData?.map(encodedTransactionData),
    encryptionKey: encryptionKey === undefined ? undefined : responsePublicKey(encryptionKey),
  }
}
