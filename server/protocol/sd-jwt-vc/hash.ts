import { hash } from 'node:crypto'
import { CredentialError } from '../credential/verification.js'
import type { JsonObject } from '../json/json-object.js'

/** RFC 9901 §4.1.1: names of the IANA Named Information Hash Algorithm registry, here those that are accepted. */
const HASHES = new Map([
  ['sha-256', 'sha256'],
  ['sha-384', 'sha384'],
  ['sha-512', 'sha512'],
])

/** The base64url digest of US-ASCII text (RFC 9901 §4.2.3, §4.3.1). */
export type Digest = (text: string) => string

/**
 * The digest function that a payload names in `_sd_alg`, SHA-256 where it names none.
 *
 * @throws CredentialError for any other than SHA-256, SHA-384 and SHA-512.
 */
export function digestOf(payload: JsonObject): Digest {
  const name = payload._sd_alg ?? 'sha-256'
  const algorithm = typeof name === 'string' ? HASHES.get(name) : undefined
  if (algorithm === undefined) throw new CredentialError('Credential _sd_alg is none of sha-256, sha-384, sha-512.')
  return (text) => hash(algorithm, text, 'base64url')
}
