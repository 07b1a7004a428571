import { hash } from 'node:crypto'
import { CredentialError } from '../credential/verification.js'
import type { JsonObject } from '../json/json-object.js'

/** RFC 9901 §4.1.1: the accepted names of the IANA Named Information Hash Algorithm registry. */
export const HASH_NAMES = ['sha-256', 'sha-384', 'sha-512'] as const

const HASHES = new Map<string, string>(HASH_NAMES.map((name) => [name, name.replace('-', '')]))

/** The base64url digest of US-ASCII text (RFC 9901 §4.2.3, §4.3.1). */
export type Digest = (text: string) => string

/** The digest function of a hash algorithm; undefined for an unknown name. */
export function digestNamed(name: string): Digest | undefined {
  const algorithm = HASHES.get(name)
  return algorithm === undefined ? undefined : (text) => hash(algorithm, text, 'base64url')
}

/**
 * The digest function that a payload names in `_sd_alg`; SHA-256 if it names no algorithm.
 *
 * @throws CredentialError for an algorithm other than SHA-256, SHA-384 and SHA-512.
 */
export function digestOf(payload: JsonObject): Digest {
  const name = payload._sd_alg ?? 'sha-256'
  const digest = typeof name === 'string' ? digestNamed(name) : undefined
  if (digest === undefined) throw new CredentialError(`Credential _sd_alg is none of ${HASH_NAMES.join(', ')}.`)
  return digest
}
