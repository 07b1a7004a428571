import { hash } from 'node:crypto'
import { createDecoy, pack } from '@sd-jwt/core'
import {
  type Confirmation,
  confirmationOf,
  numericDate,
  type TokenStatusReference,
} from '../credential/verification.js'
import { type Jwk, type Signer, signCompact } from '../jose/jws.js'
import type { JsonObject } from '../json/json-object.js'
import { joinSdJwt } from './compact.js'
import { disclosureFrame, type SelectivelyDisclosable } from './disclosure-frame.js'
import { checkSubjectClaims } from './registered-claims.js'

export interface SdJwtVcInput {
  readonly signer: Signer
  /** `iss`: a DID or an https URL. */
  readonly issuer: string
  readonly vct: string
  /** The claims about the subject; none may have the name of a registered claim (`checkSubjectClaims`). */
  readonly claims: JsonObject
  readonly selectivelyDisclosable: SelectivelyDisclosable
  /** Digests without a Disclosure that are added at the top level, to hide the number of claims. Default: 0. */
  readonly decoys?: number
  /** `cnf`: the holder's key (RFC 9901 §4.1.2), or the key's absolute DID URL. */
  readonly holderKey?: Jwk | { readonly kid: string }
  /** `sub` */
  readonly subject?: string
  readonly status?: TokenStatusReference
  /** Rounded down to whole seconds, like `expiresAt`. */
  readonly issuedAt: Date
  /** `nbf`, if the credential is not valid when it is issued. */
  readonly validFrom?: Date
  readonly expiresAt?: Date
  /**
   * The issuer's certificate chain, leaf first, each base64 DER. With a chain, the header has a `kid` only if
   * `issuerKid` is set.
   */
  readonly x5c?: readonly string[]
  /** `kid` of the header, if it differs from the signer's. */
  readonly issuerKid?: string
  /** `vc+sd-jwt` is for wallets of drafts before November 2024. Default: `dc+sd-jwt`. */
  readonly typ?: 'dc+sd-jwt' | 'vc+sd-jwt'
  /** A cryptographically secure source, for salts and decoys. */
  readonly randomBytes: (length: number) => Uint8Array
}

/**
 * Issues an SD-JWT VC (SD-JWT VC §2, RFC 9901). Digests are SHA-256; each claim gets a new salt of 128 random bits. The
 * order of the digests does not reveal the order of the claims.
 *
 * @returns the compact SD-JWT with all of its Disclosures, ending in `~`.
 * @throws CredentialError for a subject claim that an SD-JWT VC cannot have; the message names the claim. Also for a
 * path of `selectivelyDisclosable` to a claim that must be plain, and for a holder's key of no supported type.
 */
export async function issueSdJwtVc(input: SdJwtVcInput): Promise<string> {
  checkSubjectClaims(input.claims)
  const { digests, ...subject } = await concealed(input)
  const header = {
    typ: input.typ ?? 'dc+sd-jwt',
    ...(input.x5c === undefined ? {} : { x5c: input.x5c }),
    ...(input.issuerKid === undefined ? {} : { kid: input.issuerKid }),
  }
  const payload = {
    ...registeredClaims(input),
    ...subject.claims,
    // SD-JWT VC, "SD-JWT VC without Selectively Disclosable Claims": without selectively disclosable claims there is no `_sd`.
    ...(digests.length === 0 ? {} : { _sd: digests }),
    ...(digests.length === 0 && subject.disclosures.length === 0 ? {} : { _sd_alg: 'sha-256' }),
  }
  return joinSdJwt(await signCompact(input.signer, header, payload), subject.disclosures)
}

function registeredClaims(input: SdJwtVcInput): JsonObject {
  const cnf: Confirmation | undefined = input.holderKey === undefined ? undefined : confirmationOf(input.holderKey)
  return {
    iss: input.issuer,
    ...(input.subject === undefined ? {} : { sub: input.subject }),
    iat: numericDate(input.issuedAt),
    ...(input.validFrom === undefined ? {} : { nbf: numericDate(input.validFrom) }),
    ...(input.expiresAt === undefined ? {} : { exp: numericDate(input.expiresAt) }),
    vct: input.vct,
    ...(cnf === undefined ? {} : { cnf }),
    ...(input.status === undefined
      ? {}
      : { status: { status_list: { idx: input.status.idx, uri: input.status.uri } } }),
  }
}

/** RFC 9901 §9.3 recommends 128 bits. */
const SALT_BYTES = 16
/** Salts in one draw of random bytes. Drawing 16 salts costs hardly more than drawing one. */
const SALTS_OF_A_DRAW = 16

/** Returns a function that gives a new salt at each call. */
function saltsFrom(randomBytes: (length: number) => Uint8Array): () => string {
  let drawn = Buffer.alloc(0)
  let at = 0
  return () => {
    if (at === drawn.length) {
      drawn = Buffer.from(randomBytes(SALT_BYTES * SALTS_OF_A_DRAW))
      at = 0
    }
    at += SALT_BYTES
    return drawn.toString('base64url', at - SALT_BYTES, at)
  }
}

/** The subject's claims, with digests in place of the selectively disclosable claims. */
async function concealed(
  input: SdJwtVcInput,
): Promise<{ claims: JsonObject; digests: string[]; disclosures: string[] }> {
  const salt = saltsFrom(input.randomBytes)
  const digest = { alg: 'sha-256', hasher: (data: string | ArrayBuffer) => sha256(data) }
  const frame = disclosureFrame(input.claims, input.selectivelyDisclosable)
  const { packedClaims, disclosures } = await pack(
    { ...input.claims },
    frame as Parameters<typeof pack>[1],
    digest,
    salt,
  )
  const { _sd, ...claims } = packedClaims as JsonObject
  const digests = Array.isArray(_sd) ? _sd.map(String) : []
  for (let decoy = 0; decoy < (input.decoys ?? 0); decoy++) digests.push(await createDecoy(digest, salt))
  return { claims, digests: digests.sort(), disclosures: disclosures.map((disclosure) => disclosure.encode()) }
}

function sha256(data: string | ArrayBuffer): Uint8Array {
  return hash('sha256', typeof data === 'string' ? data : new Uint8Array(data), 'buffer')
}
