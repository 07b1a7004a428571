import { z } from 'zod'
import { asCheck, CredentialError } from '../../protocol/credential/verification.js'
import { decodeCompact } from '../../protocol/jose/compact.js'
import { isObject, type JsonObject } from '../../protocol/json/json-object.js'
import {
  isHeldBy,
  MAX_PRESENTATION_LENGTH,
  type VerifiedVpJwt,
  verifyVpJwt,
} from '../../protocol/jwt-vc/presentation.js'
import { texts } from '../../protocol/jwt-vc/vc.js'
import { type VerifiedJwtVc, verifyJwtVc } from '../../protocol/jwt-vc/verify.js'
import { secondsOf } from '../seconds.js'
import {
  type CredentialContent,
  notBound,
  type PresentationContext,
  type PresentedCredential,
  type VerifiedCredential,
  type Verifying,
} from '../verifying.js'
import { jwtVcView } from './view.js'

function verified({ issuer, issuerKey, status, vc, cnf, subjectId, payload }: VerifiedJwtVc): VerifiedCredential {
  return {
    issuer,
    issuerKey,
    status: status ?? [],
    types: texts(vc.type),
    cnf,
    holder: subjectId,
    issuedAt: secondsOf(payload, 'iat', 'nbf'),
    expiresAt: secondsOf(payload, 'exp'),
    holderProof: undefined,
    shown: { payload },
  }
}

function contentOf({ vc, sub }: JsonObject): CredentialContent {
  const { type, credentialSubject } = isObject(vc) ? vc : {}
  const subjects = [credentialSubject].flat().filter(isObject)
  const [only, ...others] = subjects
  const id = sub ?? (others.length === 0 ? only?.id : undefined)
  return {
    type: [...texts(type)],
    ...(typeof id === 'string' ? { subject: id } : {}),
    claims: others.length === 0 ? { ...only } : subjects.map((subject) => ({ ...subject })),
  }
}

/** The wallet may send a credential that is not inside a presentation. */
async function presented(
  compact: string,
  context: PresentationContext,
  presentation: VerifiedVpJwt | undefined,
): Promise<PresentedCredential> {
  const credential = await verifyJwtVc(compact, context.options)
  if (presentation !== undefined) {
    checkHolder(credential, presentation)
    context.options.onPassed?.('holder-binding')
  }
  const { issuer, issuerKey, status = [], header, payload } = credential
  await context.checkStatus({ status, issuerKey })
  return {
    issuer,
    issuerKey,
    x5c: header.x5c,
    holderBound: presentation !== undefined,
    // The proven issuer replaces `iss`, since an unproven `iss` must not match an issuer in the query.
    view: jwtVcView({ ...payload, iss: issuer }),
    content: contentOf(payload),
  }
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
    return isObject(decodeCompact(compact, MAX_PRESENTATION_LENGTH).payload.vp)
  } catch {
    // The text cannot be decoded, so it is neither a presentation nor a credential. It is treated as a credential,
    // whose verification throws the error.
    return false
  }
}

async function verifyPresentation(
  compact: string,
  context: PresentationContext,
): Promise<readonly PresentedCredential[]> {
  if (context.proofRequired === 'never' && !isVp(compact)) return [await presented(compact, context, undefined)]
  const options = {
    resolveHolderKey: context.holderKeyOfJwt,
    nonce: context.nonce,
    audience: context.audience,
    now: context.options.now,
    notBefore: context.requestedAt,
    algorithms: context.options.algorithms,
  }
  const presentation = await asCheck('holder-binding', () => verifyVpJwt(compact, options))
  const credentials: PresentedCredential[] = []
  for (const credential of presentation.credentials) {
    context.onNextCredential()
    credentials.push(await presented(credential, context, presentation))
  }
  return credentials
}

export const verifying = {
  certifiedOnly: false,
  answer: { format: 'jwt_vc', members: { payload: z.record(z.string(), z.unknown()) } },
  recognises: (compact) => {
    const segments = compact.split('.', 4)
    return segments.length === 3 && segments.every((segment) => segment !== '')
  },
  verify: async (compact, options) => verified(await verifyJwtVc(compact, options)),
  verifyPresentation,
} as const satisfies Verifying
