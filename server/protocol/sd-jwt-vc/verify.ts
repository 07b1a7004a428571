import {
  CredentialError,
  checkTimes,
  DEFAULT_LEEWAY_SECONDS,
  decodeJwt,
  type IssuerKey,
  mediaTypeOf,
  readConfirmation,
  stringClaim,
  type TokenStatusReference,
  type VerifyOptions,
  verifyIssuer,
} from '../credential/verification.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import { splitSdJwt } from './compact.js'
import { type DisclosedClaim, processDisclosures } from './disclosures.js'

const CREDENTIAL = 'Credential'

export interface VerifiedSdJwtVc {
  readonly header: JsonObject
  /** The signed body, including digests. */
  readonly payload: JsonObject
  /** The body with every disclosed claim, and without `_sd`, `_sd_alg` and undisclosed array elements. */
  readonly prettyClaims: JsonObject
  /** The body with every disclosed claim, and undefined for each array element that is not disclosed. */
  readonly placedClaims: JsonObject
  readonly vct: string
  readonly issuer: string
  readonly issuerKey: IssuerKey
  readonly disclosures: readonly DisclosedClaim[]
  /** The status entry to check; absent when the credential has none. */
  readonly status?: TokenStatusReference
  readonly cnf?: JsonObject
  /** The Key Binding JWT at the end, which is not verified here. */
  readonly keyBindingJwt?: string
  /** The credential without the Key Binding JWT, ending in `~`. */
  readonly sdJwtWithoutKb: string
}

/**
 * Verifies an SD-JWT VC by RFC 9901 §7.1 and SD-JWT VC, "Verification and Processing": type, times, issuer's signature,
 * every Disclosure. The caller checks the credential's status and key binding, and whether the issuer is trusted.
 *
 * @throws CredentialError with a sentence about the first check that fails.
 */
export async function verifySdJwtVc(compact: string, options: VerifyOptions): Promise<VerifiedSdJwtVc> {
  const parts = splitSdJwt(compact)
  const jwt = decodeJwt(parts.issuerJwt, CREDENTIAL)
  const { header, payload } = jwt
  const vct = checkType(header, payload)
  stringClaim(payload, 'iss', CREDENTIAL)
  const leeway = { past: options.leewaySeconds ?? DEFAULT_LEEWAY_SECONDS, exp: 0 }
  checkTimes(payload, CREDENTIAL, options.now, leeway)
  const status = statusOf(payload)
  const cnf = readConfirmation(payload, CREDENTIAL)
  options.onPassed?.('format')
  options.onPassed?.('validity')

  const issuerKey = await verifyIssuer(jwt, options, CREDENTIAL)
  const { claims, placedClaims, disclosed } = processDisclosures(payload, parts.disclosures)
  // RFC 9901 §7.1, step 6: unlike the other times, `iat` may be in a Disclosure.
  checkTimes(claims, CREDENTIAL, options.now, leeway)
  return {
    header,
    payload,
    prettyClaims: claims,
    placedClaims,
    vct,
    issuer: issuerKey.issuer,
    issuerKey,
    disclosures: disclosed,
    ...(status === undefined ? {} : { status }),
    ...(cnf === undefined ? {} : { cnf }),
    ...(parts.keyBindingJwt === undefined ? {} : { keyBindingJwt: parts.keyBindingJwt }),
    sdJwtWithoutKb: parts.sdJwt,
  }
}

function checkType(header: JsonObject, payload: JsonObject): string {
  // SD-JWT VC, "JOSE Header"; drafts of SD-JWT VC used the name `vc+sd-jwt` until November 2024.
  const type = mediaTypeOf(header.typ)
  if (type !== 'dc+sd-jwt' && type !== 'vc+sd-jwt') {
    throw new CredentialError('Credential typ is neither dc+sd-jwt nor vc+sd-jwt.')
  }
  // SD-JWT VC, "vct Claim".
  const vct = stringClaim(payload, 'vct', CREDENTIAL)
  if (vct === undefined || vct === '') throw new CredentialError('Credential has no vct.')
  return vct
}

function statusOf(payload: JsonObject): TokenStatusReference | undefined {
  const { status } = payload
  if (status === undefined) return undefined
  const list = isObject(status) ? status.status_list : undefined
  // Token Status List §6.2. A status of an unknown kind cannot be checked, so the credential is not accepted as valid.
  if (!isObject(list) || typeof list.uri !== 'string' || !isIndex(list.idx)) {
    throw new CredentialError('Credential status holds no status_list with uri and idx.')
  }
  return { uri: list.uri, idx: list.idx }
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
