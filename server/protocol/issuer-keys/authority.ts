import { X509Certificate } from 'node:crypto'
import { LruMap } from '../jose/lru-map.js'

/** Limit of cached answers. One installation has few certificates. */
const MAX_KNOWN = 1_000
const known = new LruMap<string, X509Certificate | null>(MAX_KNOWN)

/**
 * The first certificate of a stored chain, if it is the certificate of a certification authority (RFC 5280 §4.2.1.9).
 * The key of such a certificate signs certificates. It must sign no documents, because verifiers refuse such a signer
 * (RFC 5280 §4.2.1.9; ISO/IEC 18013-5 Annex B; HAIP 1.0 §6.1.1).
 *
 * @param x5c the chain of the key, leaf first, each certificate as base64 DER; null without a certificate
 */
export function authorityIn(x5c: readonly string[] | null): X509Certificate | undefined {
  const [first] = x5c ?? []
  if (first === undefined) return undefined
  const before = known.get(first)
  if (before !== undefined) return before ?? undefined
  const certificate = new X509Certificate(Buffer.from(first, 'base64'))
  known.set(first, certificate.ca ? certificate : null)
  return certificate.ca ? certificate : undefined
}
