import { Oauth2Client } from '@openid4vc/oauth2'
import { WalletError } from '../exchange/wallet-error.js'
import { askIssuer, IssuerRefusal } from './ask-issuer.js'
import { type CredentialResponse, readCredentialResponse } from './credential-response.js'
import { boundTo, dpopOf, endOf, type Grant, type Session } from './issuance.js'
import type { Expectation } from './verify-received.js'
import type { SessionKey, WalletKey } from './wallet-keys.js'

/** A credential that an issuer will have later (OpenID4VCI 1.0 §9). */
export interface Transaction {
  readonly transactionId: string
  /** The least time between two requests for it. */
  readonly intervalSeconds: number
  readonly expected: Expectation
  /** The keys that were proven for it, each for one copy. */
  readonly keys: readonly WalletKey[]
}

/** What an issuer has deferred of one offer. */
export interface Deferral {
  readonly credentialIssuer: string
  readonly grant: Grant
  readonly dpopKey: SessionKey
  readonly instanceKey: SessionKey | undefined
  readonly transactions: readonly Transaction[]
}

/** @throws WalletError where the issuer could never be asked for what it defers. */
export function assertCollectable({ metadata }: Session): void {
  if (metadata.credentialIssuer.deferred_credential_endpoint === undefined)
    throw new WalletError('The issuer defers the credential and names no endpoint to ask for it.')
}

/** Drafts say that a credential is not ready by an error, with the time to wait. */
function stillPending(thrown: unknown, { transactionId }: Transaction): CredentialResponse | undefined {
  if (!(thrown instanceof IssuerRefusal) || thrown.code !== 'issuance_pending') return undefined
  const { interval } = thrown.body as { interval?: unknown }
  return readCredentialResponse({ transaction_id: transactionId, interval }, 0)
}

/**
 * Asks for a deferred credential (OpenID4VCI 1.0 §9.1).
 *
 * @returns what the issuer answered, unread, since it says this once.
 * @throws IssuerRefusal, and what an issuer fails with that cannot be reached.
 */
export async function collect(
  session: Session,
  grant: Grant,
  transaction: Transaction,
): Promise<{ readonly read: () => CredentialResponse; readonly grant: Grant }> {
  const { deferred_credential_endpoint: endpoint } = session.metadata.credentialIssuer
  assertCollectable(session)
  try {
    const message = { transaction_id: transaction.transactionId }
    const answer = await askIssuer(session, grant, endpoint ?? '', message)
    return { read: () => readCredentialResponse(answer.body, transaction.keys.length), grant: answer.grant }
  } catch (thrown) {
    const pending = stillPending(thrown, transaction)
    if (pending === undefined) throw thrown
    return { read: () => pending, grant }
  }
}

/**
 * A new access token (RFC 6749 §6), asked for with the refresh token of a grant. The refresh token may be another one afterwards, and the former one good no more.
 *
 * @throws WalletError where there is no refresh token.
 */
export async function refreshed(session: Session, grant: Grant, clock: () => Date): Promise<Grant> {
  const { refresh_token: refreshToken } = grant.token
  const server = session.metadata.authorizationServers.find(({ issuer }) => issuer === grant.server)
  if (refreshToken === undefined || server === undefined)
    throw new WalletError('The access token has ended, and there is no refresh token.')
  const { accessTokenResponse: token, dpop } = await new Oauth2Client({
    callbacks: session.callbacks,
  }).retrieveRefreshTokenAccessToken({ authorizationServerMetadata: server, refreshToken, ...dpopOf(grant) })
  return {
    ...grant,
    token: { refresh_token: refreshToken, ...token },
    expiresAt: endOf(token, clock()),
    dpop: boundTo(token, dpop),
  }
}
