import { type BitstringStatusListEntry, CredentialError, numericDate } from '../credential/verification.js'
import { type Signer, signCompact } from '../jose/jws.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import type { Work } from '../work.js'
import { bitstringBytes, bitstringValue, STATUS_LIST_SIZE } from './bits.js'
import { expandBase64url, gzipBase64url } from './compression.js'

export const BITSTRING_STATUS_LIST_TYP = 'vc+jwt'
export const BITSTRING_STATUS_LIST_MEDIA_TYPE = 'application/vc+jwt'

/** The purposes of this service's lists. A list has one purpose (Bitstring Status List v1.0 §2.2). */
export type StatusPurpose = 'revocation' | 'suspension'

export interface BitstringStatusListInput {
  readonly signer: Signer
  readonly issuer: string
  /** Address of the list: its `id`, and `statusListCredential` of the credentials. */
  readonly url: string
  /** Default: `revocation`. */
  readonly statusPurpose?: StatusPurpose
  /** Indices of revoked credentials, or of suspended credentials if this is the purpose. */
  readonly setIndices: Iterable<number>
  /** Entries: a multiple of 8, at least 131,072. */
  readonly size: number
  readonly issuedAt: Date
  readonly validUntil: Date
  /** Maximum age of a copy before it is fetched again, in seconds. */
  readonly ttlSeconds: number
}

/**
 * Signs a BitstringStatusListCredential (Bitstring Status List v1.0 §2.2) with one purpose: a VCDM 2.0 credential
 * secured by VC-JOSE-COSE §3.1.1, with the credential itself as the payload.
 *
 * @returns the compact JWT, `typ` `vc+jwt`.
 * @throws RangeError if the list is shorter than the standard's minimum, or an index is outside the list.
 */
export async function createBitstringStatusListCredential(input: BitstringStatusListInput): Promise<string> {
  if (input.size < STATUS_LIST_SIZE)
    throw new RangeError(`A Bitstring Status List has at least ${STATUS_LIST_SIZE} entries.`)
  const header = { typ: BITSTRING_STATUS_LIST_TYP, cty: 'vc' }
  return signCompact(input.signer, header, {
    iss: input.issuer,
    iat: numericDate(input.issuedAt),
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id: input.url,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer: input.issuer,
    validFrom: input.issuedAt.toISOString(),
    validUntil: input.validUntil.toISOString(),
    credentialSubject: {
      id: `${input.url}#list`,
      type: 'BitstringStatusList',
      statusPurpose: input.statusPurpose ?? 'revocation',
      // `u` is the multibase prefix of base64url without padding.
      encodedList: `u${gzipBase64url(bitstringBytes(input.setIndices, input.size))}`,
      // In milliseconds, unlike all other times (§2.2).
      ttl: input.ttlSeconds * 1000,
    },
  })
}

/**
 * Reads one status from the payload of a BitstringStatusListCredential whose signature and times were checked before.
 * Issuers of the VCDM 1.1 put the credential into a `vc` claim, which is accepted too.
 *
 * @param work the budget for expanding the list
 * @returns the value of the entry: 0 if the entry's purpose (revocation, suspension) does not apply to the credential.
 * @throws CredentialError if the list is not the list that the entry names, or is broken, too short, or for another
 * purpose.
 */
export function readBitstringStatus(payload: JsonObject, entry: BitstringStatusListEntry, work?: Work): number {
  const list = bitstringStatusListOf(payload)
  const subject = list.credentialSubject
  // Bitstring Status List v1.0 §2.2: `id`, if present, matches `statusListCredential`.
  if (list.id !== undefined && list.id !== entry.statusListCredential) {
    throw new CredentialError('Status list is not the one that the credential names.')
  }
  if (!isObject(subject) || subject.type !== 'BitstringStatusList' || typeof subject.encodedList !== 'string') {
    throw new CredentialError('Status list credential holds no BitstringStatusList.')
  }
  // §3.2: the list has the purpose of the entry.
  if (![subject.statusPurpose].flat().includes(entry.statusPurpose)) {
    throw new CredentialError(`Status list does not tell the purpose ${entry.statusPurpose}.`)
  }
  if (!subject.encodedList.startsWith('u')) throw new CredentialError('Status list is not multibase base64url.')
  return valueIn(expandBase64url(subject.encodedList.slice(1), 'gzip', work), entry)
}

/** The BitstringStatusListCredential in a payload: the payload itself (VCDM 2.0) or its `vc` claim (VCDM 1.1). */
export function bitstringStatusListOf(payload: JsonObject): JsonObject {
  const credential = isObject(payload.vc) ? payload.vc : payload
  if (![credential.type].flat().includes('BitstringStatusListCredential')) {
    throw new CredentialError('Status list is no BitstringStatusListCredential.')
  }
  return credential
}

function valueIn(bytes: Uint8Array, entry: BitstringStatusListEntry): number {
  const bits = entry.statusSize ?? 1
  // §3.2: fewer entries than 131,072 would reveal the holder.
  if ((bytes.length * 8) / bits < STATUS_LIST_SIZE) {
    throw new CredentialError(`Status list has fewer than ${STATUS_LIST_SIZE} entries.`)
  }
  const value = bitstringValue(bytes, entry.statusListIndex, bits)
  if (value === undefined) throw new CredentialError('Status list ends before the index of the credential.')
  return value
}
