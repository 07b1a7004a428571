import { asCheck, CredentialError, type IssuerKey } from '../../protocol/credential/verification.js'
import { decodeCompact } from '../../protocol/jose/compact.js'
import { isObject, type JsonObject } from '../../protocol/json/json-object.js'
import { isHeldBy, type VerifiedVpJwt, verifyVpJwt } from '../../protocol/jwt-vc/presentation.js'
import { type VerifiedJwtVc, verifyJwtVc } from '../../protocol/jwt-vc/verify.js'
import type { CredentialQuery } from '../../protocol/openid4vp/dcql/credential-query.js'
import { verifyKeyBinding } from '../../protocol/sd-jwt-vc/key-binding.js'
import { type VerifiedSdJwtVc, verifySdJwtVc } from '../../protocol/sd-jwt-vc/verify.js'
import { checkStatus, type Verification, verifyOptions } from '../verify/check-credential.js'
import { holderKeyOfKid, holderKeyOfPresentation } from './holder-key.js'
import { onlyTrusted, type Trust } from './trust.js'

/** What a presentation must be bound to. */
export interface PresentationRequest {
  readonly nonce: string
  /** The verifier's client identifier, with its prefix. */
  readonly audience: string
  readonly issuedAt: Date
}

/** A credential that was presented, every check of its format passed. */
export type PresentedCredential = {
  readonly header: JsonObject
  readonly issuer: string
  readonly issuerKey: IssuerKey
  readonly holderBound: boolean
} & (
  | {
      readonly format: 'dc+sd-jwt'
      readonly claims: JsonObject
      /** As queries look at them: undefined stands for an array element that is not disclosed. */
      readonly placedClaims: JsonObject
    }
  | { readonly format: 'jwt_vc_json'; readonly payload: JsonObject }
)

const notBound = () => new CredentialError('Credential is not bound to a holder key.', { check: 'holder-binding' })

/**
 * Verifies one presentation as the format of its credential query has it (OpenID4VP 1.0 §8.6, Appendix B.1.3.1, B.3): the
 * credential, the trust in its issuer, the holder's proof and the status.
 *
 * @returns its credential; several where a VP holds several.
 * @throws CredentialError with a sentence about the first check that fails.
 */
export async function verifyPresentation(
  verification: Verification,
  query: CredentialQuery,
  presentation: string | JsonObject,
  request: PresentationRequest,
  trust: Trust,
): Promise<readonly PresentedCredential[]> {
  if (typeof presentation !== 'string') throw new CredentialError(`Presentation is not of format ${query.format}.`)
  const proofRequired = query.require_cryptographic_holder_binding !== false
  return query.format === 'dc+sd-jwt'
    ? [await verifySdJwt(verification, presentation, request, trust, proofRequired)]
    : verifyJwt(verification, presentation, request, trust, proofRequired)
}

async function verifySdJwt(
  verification: Verification,
  compact: string,
  request: PresentationRequest,
  trust: Trust,
  proofRequired: boolean,
): Promise<PresentedCredential> {
  const resolve = onlyTrusted(verification.resolveIssuerKey, trust)
  const credential = await verifySdJwtVc(compact, verifyOptions(verification, resolve))
  const holderBound = await checkKeyBinding(verification, credential, request, proofRequired)
  await checkStatus(verification, credential)
  const { header, issuer, issuerKey, prettyClaims: claims, placedClaims } = credential
  return { format: 'dc+sd-jwt', header, issuer, issuerKey, claims, placedClaims, holderBound }
}

/** Appendix B.3.6; a proof that was not asked for is checked all the same. */
async function checkKeyBinding(
  verification: Verification,
  credential: VerifiedSdJwtVc,
  { nonce, audience, issuedAt }: PresentationRequest,
  proofRequired: boolean,
): Promise<boolean> {
  if (!proofRequired && credential.keyBindingJwt === undefined) return false
  if (credential.cnf === undefined) throw notBound()
  const options = {
    nonce,
    audience,
    now: verification.now,
    notBefore: issuedAt,
    resolveHolderKey: (kid: string) => holderKeyOfKid(verification, kid),
  }
  await asCheck('holder-binding', () => verifyKeyBinding(credential, options))
  return true
}

async function verifyJwt(
  verification: Verification,
  compact: string,
  request: PresentationRequest,
  trust: Trust,
  proofRequired: boolean,
): Promise<readonly PresentedCredential[]> {
  if (!proofRequired && !isVp(compact)) return [await verifyJwtCredential(verification, compact, trust, undefined)]
  const options = {
    resolveHolderKey: (header: JsonObject, payload: JsonObject) =>
      holderKeyOfPresentation(verification, header, payload),
    nonce: request.nonce,
    audience: request.audience,
    now: verification.now,
    notBefore: request.issuedAt,
  }
  const presentation = await asCheck('holder-binding', () => verifyVpJwt(compact, options))
  const credentials: PresentedCredential[] = []
  for (const credential of presentation.credentials) {
    credentials.push(await verifyJwtCredential(verification, credential, trust, presentation))
  }
  return credentials
}

/** Without a presentation around it the credential stands for itself. */
async function verifyJwtCredential(
  verification: Verification,
  compact: string,
  trust: Trust,
  presentation: VerifiedVpJwt | undefined,
): Promise<PresentedCredential> {
  const resolve = onlyTrusted(verification.resolveIssuerKey, trust)
  const credential = await verifyJwtVc(compact, verifyOptions(verification, resolve))
  if (presentation !== undefined) checkHolder(credential, presentation)
  await checkStatus(verification, credential)
  const { header, issuer, issuerKey, payload } = credential
  return { format: 'jwt_vc_json', header, issuer, issuerKey, payload, holderBound: presentation !== undefined }
}

function checkHolder(credential: VerifiedJwtVc, presentation: VerifiedVpJwt): void {
  if (credential.cnf === undefined && credential.subjectId === undefined) throw notBound()
  if (!isHeldBy(credential, presentation)) {
    throw new CredentialError('Credential is held by another than who signed the presentation.', {
      check: 'holder-binding',
    })
  }
}

function isVp(compact: string): boolean {
  try {
    return isObject(decodeCompact(compact).payload.vp)
  } catch {
    // Whatever it is, it is no credential either, and will be refused as one.
    return false
  }
}
