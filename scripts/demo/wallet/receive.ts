import { type CredentialOfferObject, type IssuerMetadataResult, Openid4vciClient } from '@openid4vc/openid4vci'
import type { Wallet } from './wallet.js'

/** The offer from a QR code, with its issuer. */
export interface ScannedOffer {
  readonly offer: CredentialOfferObject
  readonly metadata: IssuerMetadataResult
}

/** A credential in a wallet. */
export interface HeldCredential {
  readonly configurationId: string
  readonly format: string
  readonly compact: string
  readonly notificationId: string | undefined
}

const clientOf = ({ callbacks }: Wallet) => new Openid4vciClient({ callbacks })

/**
 * Fetches the offer to which the content of a QR code points, and the issuer's metadata (OpenID4VCI 1.0 §4.1, §12.2).
 */
export async function scanOffer(wallet: Wallet, content: string): Promise<ScannedOffer> {
  const client = clientOf(wallet)
  const offer = await client.resolveCredentialOffer(content)
  return { offer, metadata: await client.resolveIssuerMetadata(offer.credential_issuer) }
}

/** Exchanges the offer's pre-authorized code for an access token (OpenID4VCI 1.0 §6). */
export async function accessToken(wallet: Wallet, { offer, metadata }: ScannedOffer, txCode: string): Promise<string> {
  const { accessTokenResponse } = await clientOf(wallet).retrievePreAuthorizedCodeAccessTokenFromOffer({
    credentialOffer: offer,
    issuerMetadata: metadata,
    txCode,
  })
  return accessTokenResponse.access_token
}

/** Takes one of the offered configurations, bound to the wallet's key (OpenID4VCI 1.0 §7, §8). */
export async function takeCredential(
  wallet: Wallet,
  { metadata }: ScannedOffer,
  token: string,
  configurationId: string,
): Promise<HeldCredential> {
  const client = clientOf(wallet)
  const { c_nonce: nonce } = await client.requestNonce({ issuerMetadata: metadata })
  const { jwt } = await client.createCredentialRequestJwtProof({
    issuerMetadata: metadata,
    credentialConfigurationId: configurationId,
    nonce,
    signer: { method: 'did', didUrl: wallet.kid, alg: 'ES256' },
  })
  const { credentialResponse } = await client.retrieveCredentials({
    issuerMetadata: metadata,
    credentialConfigurationId: configurationId,
    accessToken: token,
    proofs: { jwt: [jwt] },
  })
  const [entry] = credentialResponse.credentials ?? []
  const compact = typeof entry === 'object' && 'credential' in entry ? entry.credential : entry
  return {
    configurationId,
    format: String(metadata.credentialIssuer.credential_configurations_supported[configurationId]?.format),
    compact: String(compact),
    notificationId: credentialResponse.notification_id,
  }
}

/** Notifies the issuer that the credential is in the wallet (OpenID4VCI 1.0 §11). */
export async function acknowledge(
  wallet: Wallet,
  { metadata }: ScannedOffer,
  token: string,
  notificationId: string,
): Promise<void> {
  await clientOf(wallet).sendNotification({
    issuerMetadata: metadata,
    accessToken: token,
    notification: { notificationId, event: 'credential_accepted' },
  })
}
