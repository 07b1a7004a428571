import { z } from 'zod'
import { asCheck } from '../../protocol/credential/verification.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { verifyKeyBinding } from '../../protocol/sd-jwt-vc/key-binding.js'
import { REGISTERED_CLAIMS } from '../../protocol/sd-jwt-vc/registered-claims.js'
import { extendedType } from '../../protocol/sd-jwt-vc/type-hierarchy.js'
import { type VerifiedSdJwtVc, verifySdJwtVc } from '../../protocol/sd-jwt-vc/verify.js'
import { secondsOf } from '../seconds.js'
import {
  type CredentialContent,
  notBound,
  type PresentationContext,
  type VerifiedCredential,
  type Verifying,
} from '../verifying.js'
import { typeOfVct } from './vct.js'
import { sdJwtVcView } from './view.js'

const zJsonObject = z.record(z.string(), z.unknown())

const statusOf = ({ status }: VerifiedSdJwtVc) => (status === undefined ? [] : [status])

function verified(credential: VerifiedSdJwtVc): VerifiedCredential {
  const { issuer, issuerKey, vct, cnf, payload, prettyClaims, keyBindingJwt } = credential
  return {
    issuer,
    issuerKey,
    status: statusOf(credential),
    types: [vct],
    cnf,
    holder: undefined,
    issuedAt: secondsOf(payload, 'iat', 'nbf'),
    expiresAt: secondsOf(payload, 'exp'),
    holderProof: keyBindingJwt === undefined ? undefined : 'Key Binding JWT',
    shown: { payload, prettyClaims },
  }
}

function contentOf({ prettyClaims }: VerifiedSdJwtVc): CredentialContent {
  const { vct, sub, ...others } = prettyClaims
  const claims = Object.fromEntries(Object.entries(others).filter(([name]) => !REGISTERED_CLAIMS.has(name)))
  return { type: typeof vct === 'string' ? [vct] : [], ...(typeof sub === 'string' ? { subject: sub } : {}), claims }
}

const proofNeeded = ({ cnf }: VerifiedSdJwtVc, { proofRequired }: PresentationContext): boolean =>
  proofRequired === 'always' || (proofRequired === 'whereBound' && cnf !== undefined)

/**
 * Checks the Key Binding JWT (OpenID4VP 1.0 Appendix B.3.6). It is checked even if no proof was requested.
 *
 * @returns the proof's content; undefined if there is no proof.
 */
async function checkKeyBinding(
  credential: VerifiedSdJwtVc,
  context: PresentationContext,
): Promise<JsonObject | undefined> {
  if (credential.keyBindingJwt === undefined && !proofNeeded(credential, context)) return undefined
  if (credential.cnf === undefined) throw notBound()
  const options = {
    nonce: context.nonce,
    audience: context.audience,
    now: context.options.now,
    notBefore: context.requestedAt,
    algorithms: context.options.algorithms,
    resolveHolderKey: context.holderKeyOfKid,
  }
  const { payload } = await asCheck('holder-binding', () => verifyKeyBinding(credential, options))
  context.options.onPassed?.('holder-binding')
  return payload
}

/**
 * Returns the requested type that the type of the credential extends (OpenID4VP 1.0 Appendix B.3.5). Undefined if the
 * credential's type extends no requested type.
 */
async function extendedTypeOf(
  { vct, payload }: VerifiedSdJwtVc,
  { meta, installation, fetchTypeMetadata }: PresentationContext,
): Promise<string | undefined> {
  const wanted = Array.isArray(meta.vct_values) ? meta.vct_values : []
  if (wanted.includes(vct)) return undefined
  // Types of this installation do not extend other types.
  const fetch = async (type: string) =>
    typeOfVct(installation, type) === undefined ? fetchTypeMetadata(type) : undefined
  return asCheck('query', () => extendedType({ vct, integrity: payload['vct#integrity'] }, wanted, fetch))
}

/**
 * The claims that queries read. `iss` is replaced by the proven issuer, since an unproven `iss` must not match an
 * issuer in the query.
 */
function provenClaims({ placedClaims, issuer }: VerifiedSdJwtVc): JsonObject {
  return placedClaims.iss === undefined ? placedClaims : { ...placedClaims, iss: issuer }
}

export const verifying = {
  certifiedOnly: false,
  answer: { format: 'dc+sd-jwt', members: { payload: zJsonObject, prettyClaims: zJsonObject } },
  recognises: (compact) => compact.includes('~'),
  verify: async (compact, options) => verified(await verifySdJwtVc(compact, options)),
  verifyPresentation: async (presentation, context) => {
    const credential = await verifySdJwtVc(presentation, context.options)
    const keyBinding = await checkKeyBinding(credential, context)
    const { issuer, issuerKey, header } = credential
    await context.checkStatus({ status: statusOf(credential), issuerKey })
    const takenAs = await extendedTypeOf(credential, context)
    return [
      {
        issuer,
        issuerKey,
        x5c: header.x5c,
        holderBound: keyBinding !== undefined,
        transactionDataHashes: {
          hashes: keyBinding?.transaction_data_hashes,
          alg: keyBinding?.transaction_data_hashes_alg,
        },
        view: sdJwtVcView(provenClaims(credential), context.installation, takenAs),
        content: contentOf(credential),
      },
    ]
  },
} as const satisfies Verifying
