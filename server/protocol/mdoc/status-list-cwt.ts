import { CredentialError, numericDate } from '../credential/verification.js'
import { encodeBase64url } from '../jose/base64url.js'
import type { Jwk } from '../jose/jws.js'
import type { JsonObject } from '../json/json-object.js'
import { MAX_STATUS_LIST_BYTES } from '../status-list/compression.js'
import {
  STATUS_LIST_CWT_MEDIA_TYPE,
  type TokenStatusListInput,
  tokenStatusEntries,
} from '../status-list/token-status-list.js'
import { decodeCbor } from './cbor/decode.js'
import { encodeCbor } from './cbor/encode.js'
import { type CborKey, type CborMap, type Encodable, isBytes, isMap, Tagged } from './cbor/values.js'
import { createSign1, readSign1, type Sign1, verifySign1, x5chainHeader, x5cOf } from './cose/sign1.js'

const TAG_COSE_SIGN1 = 18
const KID = 4
const TYP = 16
// Token Status List §5.2; RFC 8392 §4.
const ISS = 1
const SUB = 2
const EXP = 4
const IAT = 6
const STATUS_LIST = 65533
const TTL = 65534

const LIST = 'Status list'

/**
 * Signs a Status List Token as a CWT (Token Status List §5.2), with the same content as the JWT of
 * `createTokenStatusList`: a tagged COSE_Sign1. The protected header has the `typ`, and the certificate chain or,
 * without a chain, the `kid`.
 *
 * @throws CredentialError if the signer's algorithm is not supported with COSE.
 */
export async function createStatusListCwt(input: TokenStatusListInput): Promise<Uint8Array> {
  const { x5c, issuerKid, signer } = input
  const protectedHeader = new Map<CborKey, Encodable>([
    [TYP, STATUS_LIST_CWT_MEDIA_TYPE],
    ...(x5c === undefined ? [] : x5chainHeader(x5c.map((certificate) => Buffer.from(certificate, 'base64')))),
    ...(x5c !== undefined && issuerKid === undefined ? [] : [[KID, Buffer.from(issuerKid ?? signer.kid)] as const]),
  ])
  const { bits, lst } = tokenStatusEntries(input)
  const claims = new Map<CborKey, Encodable>([
    [SUB, input.uri],
    [IAT, numericDate(input.issuedAt)],
    [EXP, numericDate(input.expiresAt)],
    [TTL, input.ttlSeconds],
    [
      STATUS_LIST,
      new Map<CborKey, Encodable>([
        ['bits', bits],
        ['lst', Buffer.from(lst, 'base64url')],
        ...(input.aggregationUri === undefined ? [] : [['aggregation_uri', input.aggregationUri] as const]),
      ]),
    ],
  ])
  const sign1 = await createSign1(signer, encodeCbor(claims), { protectedHeader })
  return encodeCbor(new Tagged(TAG_COSE_SIGN1, sign1))
}

/** A Status List Token in CWT format that is not verified yet, with the member names of the JWT format. */
export interface StatusListCwt {
  /** `x5c` holds the certificates of `x5chain`. */
  readonly header: { readonly kid?: string; readonly x5c?: readonly string[] }
  /** `iss`, `sub`, `iat`, `exp`, `ttl` and `status_list` with their names in the JWT format; `lst` is base64url. */
  readonly payload: JsonObject
  readonly sign1: Sign1
}

/**
 * Decodes a Status List Token in CWT format (Token Status List §5.2). Its payload has the same times and list as the payload of
 * a JWT.
 *
 * @throws CredentialError if it is malformed, or not of the type of a status list.
 */
export function decodeStatusListCwt(bytes: Uint8Array): StatusListCwt {
  const decoding = { what: LIST, maxBytes: MAX_STATUS_LIST_BYTES }
  const tagged = decodeCbor(bytes, decoding)
  if (!(tagged instanceof Tagged) || tagged.tag !== TAG_COSE_SIGN1) {
    throw new CredentialError(`${LIST} is no tagged COSE_Sign1.`)
  }
  const sign1 = readSign1(tagged.value, decoding)
  if (sign1.protectedHeader.get(TYP) !== STATUS_LIST_CWT_MEDIA_TYPE) {
    throw new CredentialError(`${LIST} is not of type ${STATUS_LIST_CWT_MEDIA_TYPE}.`)
  }
  const claims = sign1.payload === null ? undefined : decodeCbor(sign1.payload, decoding)
  if (!isMap(claims)) throw new CredentialError(`${LIST} has no claims.`)
  const x5c = x5cOf(sign1, LIST)
  const kid = sign1.protectedHeader.get(KID) ?? sign1.unprotected.get(KID)
  return {
    header: {
      ...(isBytes(kid) ? { kid: Buffer.from(kid).toString('utf8') } : {}),
      ...(x5c === undefined ? {} : { x5c }),
    },
    payload: payloadOf(claims),
    sign1,
  }
}

function payloadOf(claims: CborMap): JsonObject {
  const list = claims.get(STATUS_LIST)
  const named = { iss: ISS, sub: SUB, iat: IAT, exp: EXP, ttl: TTL }
  const members = Object.entries(named).filter(([, key]) => claims.has(key))
  return {
    ...Object.fromEntries(members.map(([name, key]) => [name, claims.get(key)])),
    ...(isMap(list) ? { status_list: listMembers(list) } : {}),
  }
}

function listMembers(list: CborMap): JsonObject {
  const [bits, lst, aggregation] = ['bits', 'lst', 'aggregation_uri'].map((name) => list.get(name))
  return {
    bits,
    lst: isBytes(lst) ? encodeBase64url(lst) : lst,
    ...(aggregation === undefined ? {} : { aggregation_uri: aggregation }),
  }
}

/**
 * Verifies the signature of a Status List Token in CWT format with a key that the caller trusts. Throws
 * CredentialError.
 */
export function verifyStatusListCwt({ sign1 }: StatusListCwt, key: Jwk): void {
  verifySign1(sign1, { key, what: `${LIST} signature` })
}
