import type { X509Certificate } from 'node:crypto'
import type { Config } from '../../config/config.js'
import type { PresentedCredential } from '../../formats/verifying.js'
import { authorityKeyIdentifier } from '../../protocol/issuer-keys/authority-key-identifier.js'
import { IssuerKeyError } from '../../protocol/issuer-keys/issuer-key-error.js'
import { trustedChain } from '../../protocol/issuer-keys/trusted-chain.js'
import { isSameKey } from '../../protocol/jose/jws.js'

/**
 * Key identifiers of the authorities in a credential's certificate chain (OpenID4VP 1.0 §6.1.1.1), base64url. A chain
 * counts only if it leads to a trust anchor and its first certificate contains the key that signed the credential.
 * Certificates after the anchor are ignored.
 */
export const authorityKeyIdentifiersOf = (config: Anchored, now: Date, credential: Chained): readonly string[] =>
  pathOf(config, now, credential).flatMap((certificate) => authorityKeyIdentifier(certificate) ?? [])

/** Whether the chain of the key that signed a credential leads to a trust anchor. */
export const isAnchoredBy = (config: Anchored, now: Date, credential: Chained): boolean =>
  pathOf(config, now, credential).length > 0

type Anchored = Pick<Config, 'trustAnchors' | 'listed'>
type Chained = Pick<PresentedCredential, 'x5c' | 'issuerKey' | 'content'>

/** The certificates from the signer of a credential to the anchor; empty if there is no such chain. */
function pathOf(
  { trustAnchors, listed }: Anchored,
  now: Date,
  { x5c, issuerKey, content }: Chained,
): readonly X509Certificate[] {
  if (x5c === undefined) return []
  try {
    const io = { trustAnchors, lists: listed?.credentials, types: content.type, now, purpose: 'credential' } as const
    const { path, jwk } = trustedChain(x5c, io)
    return isSameKey(jwk, issuerKey.jwk) ? path : []
  } catch (thrown) {
    // A chain that does not verify contributes no authorities.
    if (thrown instanceof IssuerKeyError) return []
    throw thrown
  }
}

/**
 * Whether the issuer of a credential is on the trusted list with an address (OpenID4VP 1.0 §6.1.1.2). The chain must lead to
 * a service of this list, and its first certificate must contain the key that signed the credential.
 */
export const isOnListOf =
  ({ listed }: Pick<Config, 'listed'>, now: Date, { x5c, issuerKey, content }: Chained) =>
  (address: string): boolean => {
    if (x5c === undefined) return false
    const key = listed?.credentials.keyOn(address, x5c, { now, purpose: 'credential', types: content.type })
    return key !== undefined && isSameKey(key, issuerKey.jwk)
  }
