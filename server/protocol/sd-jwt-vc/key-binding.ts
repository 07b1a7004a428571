import {
  CredentialError,
  checkTimes,
  DEFAULT_LEEWAY_SECONDS,
  decodeJwt,
  type Jwt,
  mediaTypeOf,
  numericClaim,
  numericDate,
  verifyJwtSignature,
} from '../credential/verification.js'
import { type Jwk, readPublicJwk, type Signer, signCompact } from '../jose/jws.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import { splitSdJwt } from './compact.js'
import { digestOf } from './hash.js'
import type { VerifiedSdJwtVc } from './verify.js'

const KEY_BINDING = 'Key Binding JWT'

export interface KeyBindingInput {
  /** The key that the credential's `cnf` names. */
  readonly signer: Signer
  /** The SD-JWT with the presented Disclosures, ending in `~`. */
  readonly sdJwt: string
  readonly nonce: string
  /** The verifier's client identifier, with its prefix. */
  readonly audience: string
  readonly issuedAt: Date
  /** Further claims, such as `transaction_data_hashes` (OpenID4VP 1.0 Appendix B.3.3.1). */
  readonly claims?: JsonObject
}

/**
 * Signs a Key Binding JWT (RFC 9901 §4.3).
 *
 * @returns the presentation: the SD-JWT followed by the Key Binding JWT (SD-JWT+KB).
 * @throws CredentialError if the value is no SD-JWT, or already has key binding.
 */
export async function createKeyBinding(input: KeyBindingInput): Promise<string> {
  const { issuerJwt, keyBindingJwt } = splitSdJwt(input.sdJwt)
  if (keyBindingJwt !== undefined) throw new CredentialError('Credential has a Key Binding JWT already.')
  const digest = digestOf(decodeJwt(issuerJwt, 'Credential').payload)
  // There is no `kid`: the credential already names the key, and a `kid` would give verifiers unnecessary information.
  const header = { typ: 'kb+jwt', kid: undefined }
  const jwt = await signCompact(input.signer, header, {
    ...input.claims,
    iat: numericDate(input.issuedAt),
    aud: input.audience,
    nonce: input.nonce,
    sd_hash: digest(input.sdJwt),
  })
  return input.sdJwt + jwt
}

export interface VerifyKeyBindingOptions {
  readonly nonce: string
  /** The value that `aud` must have, or several accepted values. */
  readonly audience: string | readonly string[]
  readonly now: Date
  /** The time of the request. An older Key Binding JWT is refused. */
  readonly notBefore?: Date
  readonly leewaySeconds?: number
  /** Accepted values of `alg`. Default: every supported algorithm. */
  readonly algorithms?: readonly string[] | undefined
  /**
   * Finds the key of a DID URL, for credentials whose `cnf` holds a `kid`. Without this function, these credentials are
   * refused.
   */
  readonly resolveHolderKey?: (kid: string) => Promise<Jwk>
}

/**
 * Verifies the Key Binding JWT of a verified credential (RFC 9901 §7.3, step 5).
 *
 * @returns its header and payload, and the holder's key.
 * @throws CredentialError with a sentence about the first check that fails.
 */
export async function verifyKeyBinding(
  credential: Pick<VerifiedSdJwtVc, 'payload' | 'cnf' | 'keyBindingJwt' | 'sdJwtWithoutKb'>,
  options: VerifyKeyBindingOptions,
): Promise<Jwt & { readonly holderKey: Jwk }> {
  const { keyBindingJwt, cnf } = credential
  if (keyBindingJwt === undefined) throw new CredentialError('Presentation has no Key Binding JWT.')
  if (cnf === undefined) throw new CredentialError('Credential is not bound to a holder key.')
  const jwt = decodeJwt(keyBindingJwt, KEY_BINDING)
  const { header, payload } = jwt
  // RFC 9901 §7.3, step 5.4.
  if (mediaTypeOf(header.typ) !== 'kb+jwt') throw new CredentialError(`${KEY_BINDING} typ is not kb+jwt.`)
  checkCreationTime(payload, options)
  checkTransaction(payload, options)
  // RFC 9901 §4.3.1, §7.3 step 5.7.
  if (payload.sd_hash !== digestOf(credential.payload)(credential.sdJwtWithoutKb)) {
    throw new CredentialError(`${KEY_BINDING} sd_hash is not that of the presented credential.`)
  }
  const holderKey = await holderKeyOf(cnf, options)
  verifyJwtSignature(jwt, holderKey, KEY_BINDING, options.algorithms)
  return { header, payload, holderKey }
}

function checkCreationTime(payload: JsonObject, options: VerifyKeyBindingOptions): void {
  // RFC 9901 §7.3, step 5.5.
  const leeway = options.leewaySeconds ?? DEFAULT_LEEWAY_SECONDS
  const iat = numericClaim(payload, 'iat', KEY_BINDING)
  if (iat === undefined) throw new CredentialError(`${KEY_BINDING} has no iat.`)
  checkTimes(payload, KEY_BINDING, options.now, { past: leeway, exp: leeway })
  if (options.notBefore !== undefined && iat < options.notBefore.getTime() / 1000 - leeway) {
    throw new CredentialError(`${KEY_BINDING} is older than its request.`)
  }
}

function checkTransaction(payload: JsonObject, { nonce, audience }: VerifyKeyBindingOptions): void {
  // RFC 9901 §7.3, step 5.6; §4.3: `aud` is a single string.
  if (payload.nonce !== nonce) throw new CredentialError(`${KEY_BINDING} nonce is not that of the request.`)
  if (typeof payload.aud !== 'string' || ![audience].flat().includes(payload.aud)) {
    throw new CredentialError(`${KEY_BINDING} aud is not this verifier.`)
  }
}

async function holderKeyOf(cnf: JsonObject, options: VerifyKeyBindingOptions): Promise<Jwk> {
  if (isObject(cnf.jwk)) {
    const jwk = readPublicJwk(cnf.jwk)
    if (jwk === undefined) throw new CredentialError('Credential cnf.jwk is no public key of a supported type.')
    return jwk
  }
  if (typeof cnf.kid === 'string' && options.resolveHolderKey !== undefined) return options.resolveHolderKey(cnf.kid)
  throw new CredentialError('Credential cnf names no key that can be resolved.')
}
