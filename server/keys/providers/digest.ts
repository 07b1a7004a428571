import { createHash } from 'node:crypto'
import type { SignatureAlgorithm } from '../../protocol/jose/algorithms.js'

const HASHES: Readonly<Partial<Record<SignatureAlgorithm, string>>> = {
  ES256: 'sha256',
  ES256K: 'sha256',
  ES384: 'sha384',
}

/** The hash that an ECDSA algorithm signs (RFC 7518 §3.4, RFC 8812 §3.2). Undefined for any other algorithm. */
export function digestOf(alg: SignatureAlgorithm, data: Uint8Array): Uint8Array | undefined {
  const hash = HASHES[alg]
  return hash === undefined ? undefined : createHash(hash).update(data).digest()
}
