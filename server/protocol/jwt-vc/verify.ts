import {
  type BitstringStatusListEntry,
  CredentialError,
  checkDepth,
  checkTimes,
  DEFAULT_LEEWAY_SECONDS,
  decodeJwt,
  type IssuerKey,
  mediaTypeOf,
  readConfirmation,
  type VerifyOptions,
  verifyIssuer,
} from '../credential/verification.js'
import type { JsonObject } from '../json/json-object.js'
import { checkValidityPeriod } from './validity.js'
import { issuerIdOf, readBitstringEntry, statusEntriesOf, subjectsOf, vcClaimOf } from './vc.js'

const CREDENTIAL = 'Credential'

/** Limit of status entries, since each entry may cost a request to an address that the issuer chose. */
const MAX_STATUS_ENTRIES = 8

export interface VerifiedJwtVc {
  readonly header: JsonObject
  readonly payload: JsonObject
  /** The signed `vc` claim. */
  readonly vc: JsonObject
  readonly issuer: string
  readonly issuerKey: IssuerKey
  /** The status entries to check; absent when the credential has none. */
  readonly status?: readonly BitstringStatusListEntry[]
  /** `sub`, or the `id` of the only subject. */
  readonly subjectId?: string
  readonly cnf?: JsonObject
}

/**
 * Verifies a JWT VC of the VCDM 1.1 (§6.3.1): the type, the issuer's signature, the agreement between the JWT's claims
 * and the credential, and the times. The type is checked so that no other JWT of the same key is accepted. The caller
 * checks the credential's status and whether the issuer is trusted.
 *
 * @throws CredentialError with a sentence about the first check that fails.
 */
export async function verifyJwtVc(compact: string, options: VerifyOptions): Promise<VerifiedJwtVc> {
  const jwt = decodeJwt(compact, CREDENTIAL)
  const { header, payload } = jwt
  checkType(header)
  checkDepth(payload, CREDENTIAL)
  const vc = vcClaimOf(payload)
  checkIssuer(payload, vc)
  const subjectId = subjectIdOf(payload, vc)
  const leewaySeconds = options.leewaySeconds ?? DEFAULT_LEEWAY_SECONDS
  checkTimes(payload, CREDENTIAL, options.now, { past: leewaySeconds, exp: 0 })
  checkValidityPeriod(vc, CREDENTIAL, options.now, leewaySeconds)
  const status = statusEntriesOf(vc).map(readBitstringEntry)
  if (status.length > MAX_STATUS_ENTRIES)
    throw new CredentialError(`Credential has more than ${MAX_STATUS_ENTRIES} status entries.`)
  const cnf = readConfirmation(payload, CREDENTIAL)
  options.onPassed?.('format')
  options.onPassed?.('validity')

  const issuerKey = await verifyIssuer(jwt, options, CREDENTIAL)
  return {
    header,
    payload,
    vc,
    issuer: issuerKey.issuer,
    issuerKey,
    ...(status.length === 0 ? {} : { status }),
    ...(subjectId === undefined ? {} : { subjectId }),
    ...(cnf === undefined ? {} : { cnf }),
  }
}

function checkType(header: JsonObject): void {
  // RFC 8725 §3.11: explicit types distinguish other JWTs of the same key. VCDM 1.1 §6.3.1 allows `JWT` or no `typ`.
  const type = mediaTypeOf(header.typ)
  if (header.typ !== undefined && type !== 'jwt' && type !== 'vc+jwt') {
    throw new CredentialError('Credential typ is neither JWT nor vc+jwt.')
  }
}

function checkIssuer(payload: JsonObject, vc: JsonObject): void {
  // VCDM 1.1 §6.3.1: `iss` represents the issuer.
  if (typeof payload.iss !== 'string') throw new CredentialError('Credential has no iss.')
  if (vc.issuer !== undefined && issuerIdOf(vc) !== payload.iss) {
    throw new CredentialError('Credential iss and vc.issuer disagree.')
  }
  // VCDM 1.1 §6.3.1: `jti` represents the id.
  if (payload.jti !== undefined && vc.id !== undefined && payload.jti !== vc.id) {
    throw new CredentialError('Credential jti and vc.id disagree.')
  }
}

function subjectIdOf(payload: JsonObject, vc: JsonObject): string | undefined {
  const ids = subjectsOf(vc).map((subject) => subject.id)
  if (!ids.every((id) => id === undefined || typeof id === 'string')) {
    throw new CredentialError('Credential credentialSubject.id is not a string.')
  }
  const [id] = ids
  if (payload.sub === undefined) return ids.length === 1 ? id : undefined
  if (typeof payload.sub !== 'string') throw new CredentialError('Credential claim sub is not a string.')
  // VCDM 1.1 §6.3.1: `sub` represents the id of the one subject.
  if (ids.length > 1 || (id !== undefined && id !== payload.sub)) {
    throw new CredentialError('Credential sub and vc.credentialSubject.id disagree.')
  }
  return payload.sub
}
