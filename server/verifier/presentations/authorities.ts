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
export function authorityKeyIdentifiersOf(
  { trustAnchors, listed }: Pick<Config, 'trustAnchors' | 'listed'>,
  now: Date,
  { x5c, issuerKey, content }: Pick<PresentedCredential, 'x5c' | 'issuerKey' | 'content'>,
): readonly string[] {
  if (x5c === undefined) return []
  try {
    const io = { trustAnchors, lists: listed?.credentials, types: content.type, now, purpose: 'credential' } as const
    const { path, jwk } = trustedChain(x5c, io)
    if (!isSameKey(jwk, issuerKey.jwk)) return []
    return path.flatMap((certificate) => authorityKeyIdentifier(certificate) ?? [])
  } catch (thrown) {
    // A chain that does not verify contributes no authorities.
    if (thrown instanceof IssuerKeyError) return []
    throw thrown
  }
}
