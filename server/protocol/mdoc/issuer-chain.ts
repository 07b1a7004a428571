import { X509Certificate } from 'node:crypto'
import { CredentialError } from '../credential/verification.js'
import { isSelfSigned } from '../issuer-keys/certificate-chain.js'
import { LruMap } from '../jose/lru-map.js'

/** What an issuer's documents take of its certificate chain. */
export interface IssuerChain {
  /** In DER, the signer's first, without a root (HAIP 1.0 §6.1.1; ISO/IEC 18013-5 §9.1.2.4). */
  readonly certificates: readonly Uint8Array[]
  /** Of the signer's certificate, in milliseconds since the epoch, as is `validUntil`. */
  readonly validFrom: number
  readonly validUntil: number
}

/** Of the issuers of one installation, which are few. */
const MAX_CHAINS = 100
const chains = new LruMap<string, IssuerChain>(MAX_CHAINS)

/**
 * Reads the chain of an issuer's key, each certificate base64 DER, leaf first: once, since parsing it costs more than a signature.
 *
 * @throws CredentialError where there is none.
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
