import type { X509Certificate } from 'node:crypto'
import type { StoredKey } from '../keys/store.js'
import { certificatesInPem } from '../protocol/issuer-keys/pem.js'
import { verificationKey } from '../protocol/jose/verification-key.js'
import type { Refusal } from './certified-chain.js'

/** The certificates of a PEM text that an admin sent, the leaf first. @throws the error of `refusal` */
export function certificatesOf(pem: string, refusal: Refusal): X509Certificate[] {
  // The text is stored unchanged, so it must not contain a private key.
  if (/-----BEGIN (?!CERTIFICATE-----)/.test(pem)) throw refusal('must hold certificates and nothing else')
  try {
    return certificatesInPem(pem)
  } catch {
    throw refusal('must be certificates in PEM, the leaf first')
  }
}

/** Whether a certificate is for a key. */
export function isFor({ publicJwk }: StoredKey, leaf: X509Certificate | undefined): boolean {
  try {
    return leaf !== undefined && verificationKey(publicJwk).equals(leaf.publicKey)
  } catch {
    // The key has an unknown type, so it does not belong to this service.
    return false
  }
}
