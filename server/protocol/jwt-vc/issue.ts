import {
  type BitstringStatusListEntry,
  CredentialError,
  confirmationOf,
  numericDate,
} from '../credential/verification.js'
import { type Jwk, type Signer, signCompact } from '../jose/jws.js'
import type { JsonObject } from '../json/json-object.js'
import { dateTime } from './validity.js'
import { type VerifiableCredential, vcObjectOf } from './vc.js'

const VCDM_1_CONTEXT = 'https://www.w3.org/2018/credentials/v1'
const STATUS_CONTEXT = 'https://www.w3.org/ns/credentials/status/v1'

export interface JwtVcInput {
  readonly signer: Signer
  /** The issuer's DID or https address, with its name if it has one. */
  readonly issuer: string | { readonly id: string; readonly name: string }
  /** `kid` of the header, if it differs from the signer's. */
  readonly issuerKid?: string
  /** A URI: `id` and `jti`. */
  readonly id: string
  /** The credential's types, with or without `VerifiableCredential`, which is added if it is missing. */
  readonly types: readonly string[]
  readonly claims: JsonObject
  /** A URI: `credentialSubject.id` and `sub`. */
  readonly subjectId?: string
  /** `cnf`: the holder's key, or the key's DID URL. Used for a holder without a DID in `subjectId`. */
  readonly holderKey?: Jwk | { readonly kid: string }
  readonly schema?: { readonly id: string; readonly type: string }
  /** One entry for each purpose. */
  readonly status?: readonly (BitstringStatusListEntry & { readonly id: string })[]
  /** Rounded down to whole seconds, like `expiresAt`. */
  readonly issuedAt: Date
  /** The beginning of the validity: `nbf` and `issuanceDate`. Default: `issuedAt`. */
  readonly validFrom?: Date
  readonly expiresAt?: Date
}

/**
 * Issues a W3C credential of the VCDM 1.1 as a JWT (§6.3.1, OpenID4VCI 1.0 Appendix A.1.1). The claims `nbf`, `exp`, `jti`, `sub`
 * and `iss` repeat `issuanceDate`, `expirationDate`, `id`, `credentialSubject.id` and `issuer`.
 *
 * @returns the compact JWT, and the credential object in the API's form, with the JWT in its proof.
 * @throws CredentialError if the claims name a subject other than `subjectId`, or if the holder's key is of no
 * supported type.
 */
export async function issueJwtVc(input: JwtVcInput): Promise<{ compact: string; vc: VerifiableCredential }> {
  const nbf = numericDate(input.validFrom ?? input.issuedAt)
  const exp = input.expiresAt === undefined ? undefined : numericDate(input.expiresAt)
  const sub = subjectIdOf(input)
  const payload = {
    iss: typeof input.issuer === 'string' ? input.issuer : input.issuer.id,
    ...(sub === undefined ? {} : { sub }),
    jti: input.id,
    iat: numericDate(input.issuedAt),
    nbf,
    ...(exp === undefined ? {} : { exp }),
    ...(input.holderKey === undefined ? {} : { cnf: confirmationOf(input.holderKey) }),
    vc: {
      '@context': [VCDM_1_CONTEXT, STATUS_CONTEXT],
      id: input.id,
      type: ['VerifiableCredential', ...input.types.filter((type) => type !== 'VerifiableCredential')],
      issuer: input.issuer,
      issuanceDate: dateTime(nbf),
      ...(exp === undefined ? {} : { expirationDate: dateTime(exp) }),
      credentialSubject: sub === undefined ? input.claims : { id: sub, ...input.claims },
      ...(input.schema === undefined ? {} : { credentialSchema: input.schema }),
      ...signedStatus(input.status ?? []),
    },
  }
  const header = { typ: 'JWT', ...(input.issuerKid === undefined ? {} : { kid: input.issuerKid }) }
  const compact = await signCompact(input.signer, header, payload)
  return { compact, vc: vcObjectOf(compact) }
}

function subjectIdOf({ claims, subjectId }: JwtVcInput): string | undefined {
  if (claims.id === undefined) return subjectId
  if (typeof claims.id !== 'string' || (subjectId !== undefined && subjectId !== claims.id)) {
    throw new CredentialError('Subject claim id does not name the subject of the credential.')
  }
  return claims.id
}

/** A single entry is an object, since some wallets refuse an array. */
function signedStatus(entries: readonly BitstringStatusListEntry[]): { readonly credentialStatus?: unknown } {
  const [only, ...others] = entries.map(signedEntry)
  if (only === undefined) return {}
  return { credentialStatus: others.length === 0 ? only : [only, ...others] }
}

/** Bitstring Status List v1.0 §2.1: in a signed credential the index is a string in base 10. */
function signedEntry(entry: BitstringStatusListEntry): JsonObject {
  return { ...entry, statusListIndex: String(entry.statusListIndex) }
}
