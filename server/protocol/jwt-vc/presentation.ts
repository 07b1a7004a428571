import {
  CredentialError,
  checkTimes,
  DEFAULT_LEEWAY_SECONDS,
  decodeJwt,
  type Jwt,
  mediaTypeOf,
  numericDate,
  verifyJwtSignature,
} from '../credential/verification.js'
import { isSameKey, type Jwk, readPublicJwk, type Signer, signCompact } from '../jose/jws.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import { issuerIdOf, texts } from './vc.js'
import type { VerifiedJwtVc } from './verify.js'

const PRESENTATION = 'Presentation'

/** Limit of credentials, since each credential costs a signature check and possibly a request. */
const MAX_CREDENTIALS = 32

/**
 * The longest presentation, in characters. Its payload encodes credentials again, so a presentation of the longest credential is longer
 * than that credential by a third.
 */
export const MAX_PRESENTATION_LENGTH = 1_048_576

export interface VpJwtInput {
  /** The holder's key; its `kid` is the DID URL that the holder's DID document lists. */
  readonly signer: Signer
  /** The holder's DID: `iss` and `vp.holder`. */
  readonly holder: string
  /** Compact JWT VCs. */
  readonly credentials: readonly string[]
  readonly nonce: string
  /** The verifier's client identifier, with its prefix. */
  readonly audience: string
  readonly issuedAt: Date
  readonly expiresAt?: Date
  readonly id?: string
}

/** Signs a Verifiable Presentation as a JWT (VCDM 1.1 §6.3.1, OpenID4VP 1.0 Appendix B.1.3.1.5). */
export function createVpJwt(input: VpJwtInput): Promise<string> {
  const now = numericDate(input.issuedAt)
  const payload = {
    iss: input.holder,
    aud: input.audience,
    nonce: input.nonce,
    iat: now,
    nbf: now,
    ...(input.expiresAt === undefined ? {} : { exp: numericDate(input.expiresAt) }),
    ...(input.id === undefined ? {} : { jti: input.id }),
    vp: {
      '@context': ['https://www.w3.org/2018/credentials/v1'],
      type: ['VerifiablePresentation'],
      ...(input.id === undefined ? {} : { id: input.id }),
      holder: input.holder,
      verifiableCredential: input.credentials,
    },
  }
  return signCompact(input.signer, { typ: 'JWT' }, payload)
}

/** A key of the holder, and the identifier that led to it. */
export interface HolderKey {
  readonly jwk: Jwk
  readonly holder: string
}

export interface VerifyVpOptions {
  /**
   * Finds the key that signed the presentation. It must be an authentication key of the holder. Header and payload are
   * not verified yet.
   */
  readonly resolveHolderKey: (header: JsonObject, payload: JsonObject) => Promise<HolderKey>
  readonly nonce: string
  /** The value that `aud` must hold, or several accepted values. */
  readonly audience: string | readonly string[]
  readonly now: Date
  /** The time of the request. An older presentation is refused. */
  readonly notBefore?: Date
  readonly leewaySeconds?: number
  /** Accepted values of `alg`. Default: every supported algorithm. */
  readonly algorithms?: readonly string[] | undefined
}

export interface VerifiedVpJwt extends Jwt {
  readonly holder: string
  readonly holderKey: Jwk
  /** The credentials in compact form, unchanged and not yet verified. */
  readonly credentials: readonly string[]
}

/**
 * Verifies a VP JWT: its structure, its `aud` and `nonce` (OpenID4VP 1.0 Appendix B.1.3.1.5, §14.1), its times, and the
 * holder's signature. The caller checks whether the credentials in the presentation are valid and belong to the holder
 * (`isHeldBy`).
 *
 * @throws CredentialError with a sentence about the first check that fails.
 */
export async function verifyVpJwt(compact: string, options: VerifyVpOptions): Promise<VerifiedVpJwt> {
  const jwt = decodeJwt(compact, PRESENTATION, MAX_PRESENTATION_LENGTH)
  const { header, payload } = jwt
  const vp = vpClaimOf(header, payload)
  const credentials = credentialsOf(vp)
  checkRequest(payload, options)
  checkPresentationTimes(payload, options)
  const { jwk, holder } = await options.resolveHolderKey(header, payload)
  checkHolder(payload, vp, holder)
  verifyJwtSignature(jwt, jwk, PRESENTATION, options.algorithms)
  return { header, payload, holder, holderKey: jwk, credentials }
}

/**
 * Whether a credential belongs to the holder of a presentation: the credential's subject is the holder, or the
 * credential's `cnf` is the holder's key.
 */
export function isHeldBy(
  credential: Pick<VerifiedJwtVc, 'subjectId' | 'cnf'>,
  presentation: Pick<VerifiedVpJwt, 'holder' | 'holderKey' | 'header'>,
): boolean {
  const { cnf, subjectId } = credential
  // RFC 7800 §3: if there is a confirmation key, only this key proves possession, and the subject's id is ignored.
  if (cnf === undefined) return subjectId !== undefined && subjectId === presentation.holder
  if (isObject(cnf.jwk)) return sameKey(cnf.jwk, presentation.holderKey)
  // A relative `kid` would match a key of any presenter.
  const { kid } = presentation.header
  const absolute = typeof kid === 'string' && kid.startsWith('#') ? presentation.holder + kid : kid
  return typeof cnf.kid === 'string' && cnf.kid.startsWith('did:') && cnf.kid === absolute
}

function vpClaimOf(header: JsonObject, payload: JsonObject): JsonObject {
  const type = mediaTypeOf(header.typ)
  if (header.typ !== undefined && type !== 'jwt' && type !== 'vp+jwt') {
    throw new CredentialError('Presentation typ is neither JWT nor vp+jwt.')
  }
  const { vp } = payload
  if (!isObject(vp) || !texts(vp.type).includes('VerifiablePresentation')) {
    throw new CredentialError('Presentation has no vp object of type VerifiablePresentation.')
  }
  return vp
}

function credentialsOf(vp: JsonObject): readonly string[] {
  const credentials = vp.verifiableCredential === undefined ? [] : [vp.verifiableCredential].flat()
  if (credentials.length === 0) throw new CredentialError('Presentation holds no credential.')
  if (credentials.length > MAX_CREDENTIALS)
    throw new CredentialError(`Presentation holds more than ${MAX_CREDENTIALS} credentials.`)
  if (!credentials.every((credential) => typeof credential === 'string')) {
    throw new CredentialError('Presentation holds a credential that is not a compact JWT.')
  }
  return credentials
}

function checkRequest(payload: JsonObject, { nonce, audience }: VerifyVpOptions): void {
  // OpenID4VP 1.0 Appendix B.1.3.1.5: `nonce` and `aud` have the request's values.
  if (payload.nonce !== nonce) throw new CredentialError('Presentation nonce is not that of the request.')
  const accepted = [audience].flat()
  if (!texts(payload.aud).some((value) => accepted.includes(value))) {
    throw new CredentialError('Presentation aud is not this verifier.')
  }
}

function checkPresentationTimes(payload: JsonObject, options: VerifyVpOptions): void {
  const leeway = options.leewaySeconds ?? DEFAULT_LEEWAY_SECONDS
  checkTimes(payload, PRESENTATION, options.now, { past: leeway, exp: leeway })
  if (options.notBefore === undefined) return
  const earliest = options.notBefore.getTime() / 1000 - leeway
  // checkTimes has checked that these claims are numbers if they are present. Some wallets send neither.
  if (Number(payload.iat ?? earliest) < earliest) throw new CredentialError('Presentation is older than its request.')
}

function checkHolder(payload: JsonObject, vp: JsonObject, holder: string): void {
  // VCDM 1.1 §6.3.1: `iss` represents the holder.
  if (payload.iss !== undefined && payload.iss !== holder)
    throw new CredentialError('Presentation iss is not its holder.')
  if (vp.holder !== undefined && issuerIdOf({ issuer: vp.holder }) !== holder) {
    throw new CredentialError('Presentation vp.holder is not its holder.')
  }
}

function sameKey(value: JsonObject, key: Jwk): boolean {
  const jwk = readPublicJwk(value)
  return jwk !== undefined && isSameKey(jwk, key)
}
