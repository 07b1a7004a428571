import { X509Certificate } from 'node:crypto'
import type { Config } from '../../config/config.js'
import { keyInX5c, readX5c } from '../../protocol/issuer-keys/certificate-chain.js'
import { isAnchored, trustedChain } from '../../protocol/issuer-keys/trusted-chain.js'
import { LruMap } from '../../protocol/jose/lru-map.js'
import {
  type JudgeSigner,
  openRegistrationCertificate,
  type RegistrationCertificate,
} from '../../protocol/registration-certificates/registration-certificate.js'

/** The roots and lists of registrars. */
export type RegistrarTrust = Pick<Config, 'registrarTrustAnchors' | 'listed'>

/**
 * Judges signers of registration certificates by REGISTRAR_TRUST_ANCHORS and the lists of registrars. Without both, only the
 * signature is checked: wallets judge the signer.
 */
export const judgeOf = ({ registrarTrustAnchors: trustAnchors, listed }: RegistrarTrust, now: Date): JudgeSigner => {
  const lists = listed?.registrars
  if (!isAnchored({ trustAnchors, lists })) return (x5c) => ({ jwk: keyInX5c(x5c) })
  return (x5c) => trustedChain(x5c, { trustAnchors, lists, now, purpose: 'credential' })
}

/** Opened certificates by their text. The limits are the number of watched certificates, and characters. */
const opened = new LruMap<string, RegistrationCertificate>(1_000, 16_000_000)

/**
 * Opens a stored certificate, whose signature was verified before it was stored. The maintenance job judges its signer
 * again and again.
 */
export async function openStored(certificate: string): Promise<RegistrationCertificate> {
  const known = opened.get(certificate)
  if (known !== undefined) return known
  const read = await openRegistrationCertificate(certificate, (x5c) => ({ jwk: keyInX5c(x5c) }))
  opened.set(certificate, read, certificate.length)
  return read
}

/** The chain of the signer of a stored certificate, which is base64 DER, the signer's certificate first. Nobody judges it. */
export async function signerChainOf(certificate: string): Promise<readonly string[]> {
  let chain: readonly string[] = []
  await openRegistrationCertificate(certificate, (x5c) => {
    chain = readX5c(x5c).map(({ raw }) => raw.toString('base64'))
    return { jwk: keyInX5c(x5c) }
  })
  return chain
}

/** Access certificates by their base64. Requests of strangers bring some, so the characters have a limit too. */
const leaves = new LruMap<string, X509Certificate>(500, 4_000_000)

/** The certificate at the beginning of a stored chain. */
export const leafOf = (x5c: readonly string[] | null): X509Certificate | undefined => {
  const [leaf] = x5c ?? []
  if (leaf === undefined) return undefined
  const known = leaves.get(leaf)
  if (known !== undefined) return known
  const certificate = new X509Certificate(Buffer.from(leaf, 'base64'))
  leaves.set(leaf, certificate, leaf.length)
  return certificate
}
