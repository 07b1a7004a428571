import type { Config } from '../../config/config.js'
import type { Keys } from '../../keys/keys.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { headerFor } from '../../protocol/openid4vp/client-identifier.js'
import type { DcqlQuery } from '../../protocol/openid4vp/dcql/dcql-query.js'
import { isEncrypted, REQUEST_OBJECT_MEDIA_TYPE, signRequestObject } from '../../protocol/openid4vp/request-object.js'
import { keptTransactionData } from '../../protocol/openid4vp/transaction-data.js'
import {
  assertTakes,
  limitsRequests,
  queryFor,
  readWalletMetadata,
  requestObjectEncryption,
  type WalletMetadata,
  WalletMetadataError,
} from '../../protocol/openid4vp/wallet-metadata.js'
import { opened, type SessionSecrets, type SessionVault } from '../sessions/secrets.js'
import { EXPIRED_MESSAGE, isFinal, type Session, wayOf } from '../sessions/session.js'
import type { VerificationSessions } from '../sessions/verification-sessions.js'
import { clientNames, type VerifierFace } from './client-names.js'
import type { KnownFormats } from './profiles/profile.js'
import { profileNamed } from './profiles/profiles.js'
import { requestGone, requestNotFound } from './refusals.js'
import type { RequestParametersOf } from './request-parameters.js'
import { sentRequestObject, withCopy } from './sent-request.js'

export interface Retrieval {
  /** Whether a wallet fetches the request; a HEAD does not count. */
  readonly counts: boolean
  readonly walletNonce?: string | undefined
  /** `wallet_metadata` as the wallet sent it. */
  readonly walletMetadata?: string | undefined
}

/** How a wallet's metadata changes its copy of a request. */
interface ForWallet {
  readonly metadata: WalletMetadata
  readonly encrypt: ((signed: string) => string) | undefined
}

/** Wallets fetch only requests that are passed by reference. */
export const isByReference = (session: Session | undefined): session is Session & { readonly clientId: string } =>
  session !== undefined && wayOf(session) === 'reference'

/**
 * The query, adapted to the formats of the wallet. Transaction data are sent unchanged, and name credential queries. If
 * the adapted copy lacks one of these queries, the stored query is sent.
 */
function copyFor(session: Session, metadata: WalletMetadata, vpFormats: JsonObject): DcqlQuery {
  const copy = queryFor(session.dcqlQuery, metadata, vpFormats)
  const asked = new Set(copy.credentials.map(({ id }) => id))
  const named = keptTransactionData(session.transactionData ?? []).flatMap(({ entry }) => entry.credential_ids)
  return named.every((id) => asked.has(id)) ? copy : session.dcqlQuery
}

/** Dependencies of {@link createSignRequest}. */
export interface SignRequestPorts {
  readonly keys: Pick<Keys, 'signer'>
  readonly parametersOf: RequestParametersOf
  /** Names, logos and links of the verifier with a DID; undefined if the record is gone. */
  readonly verifierFace: (did: string) => Promise<VerifierFace | undefined>
  readonly config: Pick<Config, 'verifierBaseUrl'>
}

/** Signs the request object of a request by reference. @param wallet the members of one wallet's copy */
export type SignRequest = (
  session: Session & { readonly clientId: string },
  secrets: SessionSecrets,
  wallet?: { readonly metadata?: WalletMetadata | undefined; readonly walletNonce?: string | undefined },
) => Promise<string>

export const createSignRequest =
  ({ keys, parametersOf, verifierFace, config }: SignRequestPorts): SignRequest =>
  async (session, secrets, { metadata, walletNonce } = {}) => {
    const { namesVerifier } = profileNamed(session.profile)
    const face = namesVerifier ? await verifierFace(session.verifierId) : undefined
    const names = face === undefined ? undefined : clientNames(face, config.verifierBaseUrl)
    const parameters = parametersOf(session, secrets, metadata, names)
    return signRequestObject({
      ...parameters,
      signer: await keys.signer(session.keyId, session.kid),
      header: headerFor(session.clientId, session),
      dcqlQuery: metadata === undefined ? session.dcqlQuery : copyFor(session, metadata, parameters.vpFormats),
      walletNonce,
      issuedAt: session.createdAt,
      expiresAt: session.expiresAt,
    })
  }

/** Dependencies of {@link createServeRequestObject}. */
export interface ServeRequestObjectPorts {
  readonly verificationSessions: Pick<VerificationSessions, 'byRequest' | 'retrieve' | 'expireNow' | 'replaceSecrets'>
  readonly keys: Pick<Keys, 'signer'>
  readonly formats: KnownFormats
  readonly clock: () => Date
  readonly sessionVault: Pick<SessionVault, 'protect' | 'reveal'>
  readonly sign: SignRequest
}

/**
 * Serves a request any number of times while the request is open. The first fetch by a wallet moves the session to
 * RequestUriRetrieved. A wallet's metadata changes only its own copy of the request. If evidence is kept,
 * all other wallets get the copy that the evidence contains. The evidence contains the copies of these wallets too.
 *
 * @throws OAuthError 400 for a wallet that cannot answer the request; 404 for an unknown request; 410 for a request
 *   that has expired or has an answer
 */
export type ServeRequestObject = (requestId: string, retrieval: Retrieval) => Promise<ProtocolReply>

export function createServeRequestObject({
  verificationSessions,
  keys,
  formats,
  clock,
  sessionVault,
  sign,
}: ServeRequestObjectPorts): ServeRequestObject {
  /** @throws 410 for a request that has expired or has an answer. */
  const assertServed = async (session: Session, now: Date, counts: boolean): Promise<void> => {
    if (isFinal(session.state))
      throw requestGone(
        session.errorMessage === EXPIRED_MESSAGE ? EXPIRED_MESSAGE : 'Authorization request was answered.',
      )
    if (session.expiresAt > now) return
    // The maintenance job expires sessions within a second. Here the session expires at once, so that it agrees with
    // the answer to the wallet.
    if (counts) await verificationSessions.expireNow(session.id, now)
    throw requestGone(EXPIRED_MESSAGE)
  }

  /**
   * Reads a wallet's metadata and checks that the wallet can answer the request, before anything changes.
   *
   * @throws 400 `invalid_request`
   */
  const forWallet = async (requestId: string, text: string): Promise<ForWallet> => {
    try {
      const metadata = readWalletMetadata(text)
      const encrypt = requestObjectEncryption(metadata)
      if (limitsRequests(metadata)) {
        const session = await verificationSessions.byRequest(requestId)
        if (!isByReference(session)) throw requestNotFound()
        const { alg } = await keys.signer(session.keyId, session.kid)
        const { clientId, responseMode, profile } = session
        assertTakes(profileNamed(profile).walletMetadata(metadata, formats), {
          alg,
          clientId,
          encrypted: isEncrypted(responseMode),
        })
      }
      return { metadata, encrypt }
    } catch (thrown) {
      if (!(thrown instanceof WalletMetadataError)) throw thrown
      throw new OAuthError('invalid_request', thrown.message, { cause: thrown })
    }
  }

  /** Keeps the copy of one wallet, if evidence is kept. */
  const keepCopy = async ({ id }: Session, secrets: SessionSecrets, copy: string): Promise<void> => {
    if (secrets.sent === undefined) return
    const kept = { ...secrets, sent: withCopy(secrets.sent, copy) }
    await verificationSessions.replaceSecrets(id, await sessionVault.protect(id, kept))
  }

  return async (requestId, { counts, walletNonce, walletMetadata }) => {
    const wallet = walletMetadata === undefined ? undefined : await forWallet(requestId, walletMetadata)
    const now = clock()
    const stored = await (counts
      ? verificationSessions.retrieve(requestId, now)
      : verificationSessions.byRequest(requestId))
    if (!isByReference(stored)) throw requestNotFound()
    await assertServed(stored, now, counts)
    const metadata = wallet && profileNamed(stored.profile).walletMetadata(wallet.metadata, formats)
    const secrets = await sessionVault.reveal(stored)
    const session = opened(stored, secrets)
    const isCommon = metadata === undefined && walletNonce === undefined
    const common = isCommon ? sentRequestObject(secrets) : undefined
    const requestObject = common ?? (await sign(session, secrets, { metadata, walletNonce }))
    if (!isCommon && counts) await keepCopy(session, secrets, requestObject)
    return {
      status: 200,
      headers: { 'content-type': REQUEST_OBJECT_MEDIA_TYPE, 'cache-control': 'no-store' },
      body: wallet?.encrypt?.(requestObject) ?? requestObject,
    }
  }
}
