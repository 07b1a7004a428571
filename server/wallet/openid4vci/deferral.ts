import { Oauth2Client } from '@openid4vc/oauth2'
import { WalletError } from '../exchange/wallet-error.js'
import { askIssuer, IssuerRefusal } from './ask-issuer.js'
import { type CredentialResponse, readCredentialResponse } from './credential-response.js'
import { boundTo, dpopOf, endOf, type Grant, type Session } from './issuance.js'
import type { Expectation } from './verify-received.js'
import type { SessionKey, WalletKey } from './wallet-keys.js'

/** A credential that the issuer issues later (OpenID4VCI 1.0 §9). */
export interface Transaction {
  readonly transactionId: string
  /** Minimum time between two requests for the credential. */
  readonly intervalSeconds: number
  readonly expected: Expectation
  /** The keys that were proven for the credential, one for each copy. */
  readonly keys: readonly WalletKey[]
}

/** The credentials of one offer that an issuer deferred. */
export interface Deferral {
  readonly credentialIssuer: string
  readonly grant: Grant
  readonly dpopKey: SessionKey
  readonly instanceKey: SessionKey | undefined
  readonly transactions: readonly Transaction[]
}

/** @throws WalletError if the issuer has no endpoint for deferred credentials. */
export function assertCollectable({ metadata }: Session): void {
  if (metadata.credentialIssuer.deferred_credential_endpoint === undefined)
    throw new WalletError('The issuer defers the credential and names no endpoint to ask for it.')
}

/** Drafts use an error to report that a credential is not ready. The error contains the time to wait. */
function stillPending(thrown: unknown, { transactionId }: Transaction): CredentialResponse | undefined {
  if (!(thrown instanceof IssuerRefusal) || thrown.code !== 'issuance_pending') return undefined
  const { interval } = thrown.body as { interval?: unknown }
  return readCredentialResponse({ transaction_id: transactionId, interval }, 0)
}

/**
 * Asks for a deferred credential (OpenID4VCI 1.0 §9.1).
 *
 * @returns the issuer's answer, not yet parsed, because the issuer sends the answer only once
 * @throws IssuerRefusal, and the error of an issuer that cannot be reached.
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
 * Gets a new access token (RFC 6749 §6) with the refresh token of a grant. The server may replace the refresh token;
 * the former token is then invalid.
 *
 * @throws WalletError if there is no refresh token.
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
