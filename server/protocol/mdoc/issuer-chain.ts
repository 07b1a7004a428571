import { X509Certificate } from 'node:crypto'
import { CredentialError } from '../credential/verification.js'
import { isSelfSigned } from '../issuer-keys/certificate-chain.js'
import { LruMap } from '../jose/lru-map.js'

/** The parts of an issuer's certificate chain that are needed to sign mobile documents. */
export interface IssuerChain {
  /** Certificates in DER, the signer's first, without a root (HAIP 1.0 §6.1.1; ISO/IEC 18013-5 §9.1.2.4). */
  readonly certificates: readonly Uint8Array[]
  /** Validity of the signer's certificate, in milliseconds since the epoch, like `validUntil`. */
  readonly validFrom: number
  readonly validUntil: number
}

/** Limit of cached chains. One installation has few issuers. */
const MAX_CHAINS = 100
const chains = new LruMap<string, IssuerChain>(MAX_CHAINS)

/**
 * Reads the chain of an issuer's key, each certificate base64 DER, leaf first. Each chain is parsed once, since parsing
 * takes longer than signing.
 *
 * @throws CredentialError if the chain is empty.
 */
export function issuerChainOf(x5c: readonly string[]): IssuerChain {
  const name = x5c.join()
  const known = chains.get(name)
  if (known !== undefined) return known
  const [leaf, ...others] = x5c.map((certificate) => new X509Certificate(Buffer.from(certificate, 'base64')))
  if (leaf === undefined) throw new CredentialError('An mdoc needs the certificate of its issuer.')
  const chain = {
    certificates: [leaf, ...others.filter((certificate) => !isSelfSigned(certificate))].map(({ raw }) => raw),
    validFrom: Date.parse(leaf.validFrom),
    validUntil: Date.parse(leaf.validTo),
  }
  chains.set(name, chain)
  return chain
}
