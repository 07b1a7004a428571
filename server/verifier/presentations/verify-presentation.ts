import type { Installation } from '../../formats/issuing.js'
import type { Formats } from '../../formats/registry.js'
import type { PresentationContext, PresentedCredential } from '../../formats/verifying.js'
import { OutboundError } from '../../outbound/outbound-error.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import type { CredentialQuery } from '../../protocol/openid4vp/dcql/credential-query.js'
import { namingSigner } from '../verify/name-signer.js'
import { type Verification, verifyOptions } from '../verify/verification.js'
import type { PassedChecks } from './checks.js'
import { holderKeyOfKid, holderKeyOfPresentation } from './holder-key.js'
import { onlyTrusted, type Trust } from './trust.js'

/** Values that a presentation must be bound to. */
export interface PresentationRequest
  extends Pick<PresentationContext, 'nonce' | 'audience' | 'handover' | 'requestedAt'> {
  /**
   * Whether each credential with a key needs a proof by its holder, even if the query requires none. The key must be a
   * JWK.
   */
  readonly holderBound: boolean
}

/** Dependencies of {@link createVerifyPresentation}. */
export interface VerifyPresentationPorts {
  readonly formats: Pick<Formats, 'named'>
  readonly config: Installation
}

/**
 * Verifies one presentation by the rules of its format (OpenID4VP 1.0 §8.6, Appendix B). It checks the credential, the
 * trust in its issuer, the holder's proof and the status.
 *
 * @param passed receives each check that the presentation passes
 * @returns its credentials
 * @throws CredentialError with a sentence about the first check that fails.
 */
export type VerifyPresentation = (
  verification: Verification,
  query: CredentialQuery,
  presentation: string | JsonObject,
  request: PresentationRequest,
  trust: Trust,
  passed: PassedChecks,
) => Promise<readonly PresentedCredential[]>

export const createVerifyPresentation =
  ({ formats, config }: VerifyPresentationPorts): VerifyPresentation =>
  async (verification, query, presentation, { holderBound, ...request }, trust, passed) => {
    if (typeof presentation !== 'string') throw new CredentialError(`Presentation is not of format ${query.format}.`)
    const { verifying } = formats.named(query.format)
    return verifying.verifyPresentation(presentation, {
      ...request,
      options: {
        ...verifyOptions(
          verification,
          namingSigner(onlyTrusted(verification, trust, () => passed.add('issuer-trust'))),
        ),
        onPassed: passed.add,
      },
      onNextCredential: passed.clear,
      installation: config,
      proofRequired: proofRequired(query, holderBound),
      meta: query.meta,
      claims: query.claims ?? [],
      fetchTypeMetadata: (vct) => typeMetadata(verification, vct),
      holderKeyOfKid: (kid) => (holderBound ? Promise.reject(noJwk()) : holderKeyOfKid(verification, kid)),
      holderKeyOfJwt: (header, payload) => holderKeyOfPresentation(verification, header, payload),
      checkStatus: async (credential) => {
        await verification.checkStatus(credential)
        passed.add('revoked')
      },
      work: verification.work,
    })
  }

/** Whether a holder's proof is required for a query. */
export function proofRequired(
  { require_cryptographic_holder_binding: asked }: CredentialQuery,
  holderBound: boolean,
): PresentationContext['proofRequired'] {
  if (asked !== false) return 'always'
  return holderBound ? 'whereBound' : 'never'
}

/** HAIP 1.0 §6.1. */
const noJwk = () => new CredentialError('Credential cnf has no jwk, which its profile demands.')

const UNITS_OF_A_CHARACTER = 0.5

async function typeMetadata({ fetches, work }: Verification, vct: string): Promise<string | undefined> {
  if (!/^https?:/i.test(vct)) return undefined
  try {
    const text = await fetches.fetchTypeMetadata(vct)
    work.spend(text.length * UNITS_OF_A_CHARACTER)
    return text
  } catch (thrown) {
    // Without metadata, the type extends no other type.
    if (thrown instanceof OutboundError) return undefined
    throw thrown
  }
}
