import { CredentialError, numericDate, type TokenStatusReference } from '../credential/verification.js'
import { type Signer, signCompact } from '../jose/jws.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import type { Work } from '../work.js'
import {
  suspendableStatusBytes,
  TOKEN_STATUS_BITS,
  type TokenStatusBits,
  tokenStatusBytes,
  tokenStatusValue,
} from './bits.js'
import { expandBase64url, zlibBase64url } from './compression.js'

export const TOKEN_STATUS_LIST_TYP = 'statuslist+jwt'
export const TOKEN_STATUS_LIST_MEDIA_TYPE = 'application/statuslist+jwt'
/** The same list as a CWT (§5.2). */
export const STATUS_LIST_CWT_MEDIA_TYPE = 'application/statuslist+cwt'

export interface TokenStatusListInput {
  readonly signer: Signer
  /** `iss` of the credentials in the list. */
  readonly issuer: string
  /** `kid` of the header, if it differs from the signer's. */
  readonly issuerKid?: string
  /**
   * The issuer's certificate chain, leaf first, each base64 DER. With a chain, the header has a `kid` only if
   * `issuerKid` is set.
   */
  readonly x5c?: readonly string[]
  /** Address of the list: `sub`, and `status_list.uri` of the credentials. */
  readonly uri: string
  /** Address of the Status List Aggregation (§9.2), if there is one. */
  readonly aggregationUri?: string
  readonly revokedIndices: Iterable<number>
  /** Makes entries of two bits. Without it, entries have one bit. */
  readonly suspendedIndices?: Iterable<number> | undefined
  /** Entries, a multiple of 8. */
  readonly size: number
  readonly issuedAt: Date
  readonly expiresAt: Date
  /** Maximum age of a copy before it is fetched again, in seconds. */
  readonly ttlSeconds: number
}

/** The entries of a Status List Token: their number of bits, and the compressed list (Token Status List §4.2). */
export function tokenStatusEntries({
  revokedIndices,
  suspendedIndices,
  size,
}: Pick<TokenStatusListInput, 'revokedIndices' | 'suspendedIndices' | 'size'>): { bits: 1 | 2; lst: string } {
  return suspendedIndices === undefined
    ? { bits: 1, lst: zlibBase64url(tokenStatusBytes(revokedIndices, size)) }
    : { bits: 2, lst: zlibBase64url(suspendableStatusBytes({ revokedIndices, suspendedIndices }, size)) }
}

/**
 * Signs a Status List Token (Token Status List §5.1, §7.1). An entry is 0 (VALID), 1 (INVALID: the credential is revoked), or 2
 * (SUSPENDED), which needs entries of two bits.
 *
 * @returns the compact JWT, `typ` `statuslist+jwt`.
 */
export function createTokenStatusList(input: TokenStatusListInput): Promise<string> {
  const { kid, publicJwk: jwk } = input.signer
  const header = {
    typ: TOKEN_STATUS_LIST_TYP,
    // The key itself, for readers that support neither DIDs nor certificates. It does not prove the key's owner (RFC
    // 7515 §4.1.3).
    jwk,
    ...(input.x5c === undefined ? { kid: input.issuerKid ?? kid } : { x5c: input.x5c, kid: input.issuerKid }),
  }
  return signCompact(input.signer, header, {
    iss: input.issuer,
    sub: input.uri,
    iat: numericDate(input.issuedAt),
    exp: numericDate(input.expiresAt),
    ttl: input.ttlSeconds,
    status_list: {
      ...tokenStatusEntries(input),
      ...(input.aggregationUri === undefined ? {} : { aggregation_uri: input.aggregationUri }),
    },
  })
}

/** Returns the status value of an index; undefined if the list ends before the index. */
export type TokenStatusReader = (idx: number) => number | undefined

/**
 * Expands the payload of a Status List Token whose signature, type and times were checked before.
 *
 * @param uri the address in the reference to the list
 * @param work the budget for expanding the list
 * @throws CredentialError if the list is not the list at the address, or is broken.
 */
export function tokenStatusReader(payload: JsonObject, uri: string, work?: Work): TokenStatusReader {
  // Token Status List §8.3: `sub` equals the `uri` of the reference.
  if (payload.sub !== uri) throw new CredentialError('Status list is not the one that the credential names.')
  const list = payload.status_list
  if (!isObject(list) || typeof list.lst !== 'string' || !isTokenStatusBits(list.bits)) {
    throw new CredentialError('Status list has no status_list of 1, 2, 4 or 8 bits.')
  }
  const { bits } = list
  const bytes = expandBase64url(list.lst, 'zlib', work)
  return (idx) => tokenStatusValue(bytes, idx, bits)
}

/**
 * Reads one status from the payload of a Status List Token whose signature, type and times were checked before.
 *
 * @param work the budget for expanding the list
 * @returns the status value: 0 VALID, 1 INVALID, 2 SUSPENDED, or another registered value (Token Status List §7.1).
 * @throws CredentialError if the list is not the list that the reference names, is broken, or ends before the index.
 */
export function readTokenStatus(payload: JsonObject, reference: TokenStatusReference, work?: Work): number {
  const value = tokenStatusReader(payload, reference.uri, work)(reference.idx)
  // Token Status List §8.3: an index out of bounds gives no status, so the credential is rejected.
  if (value === undefined) throw new CredentialError('Status list ends before the index of the credential.')
  return value
}

function isTokenStatusBits(value: unknown): value is TokenStatusBits {
  return TOKEN_STATUS_BITS.some((bits) => bits === value)
}
