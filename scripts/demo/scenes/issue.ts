import type { Stage } from '../stage.js'
import type { Offering } from './offer.js'
import { purchase, TYPE } from './purchase.js'

/** The parts of a credential that later scenes use. */
export interface Issued {
  readonly id: string
  readonly format: 'JWT VC' | 'SD-JWT VC'
  readonly compact: string
}

/** Takes the offering over the API and receives a JWT VC. */
export async function claim(stage: Stage, offering: Offering): Promise<Issued> {
  stage.step('Alice claims the offering')
  const { id, vc } = await stage.credence.offerings.claim.mutate({ id: offering.id })
  stage.saw('credential', id)
  stage.saw('its types', vc.type)
  stage.saw('its subject', vc.credentialSubject)
  stage.mustBe('its types', vc.type, ['VerifiableCredential', TYPE])
  const { id: _subjectId, ...claims } = vc.credentialSubject as Record<string, unknown>
  stage.mustBe('what it says of the purchase', claims, offering.credential_subject)
  return { id, format: 'JWT VC', compact: String(vc.proof?.jws) }
}

/** Signs an SD-JWT VC without an offering. */
export async function signDirectly(stage: Stage): Promise<Issued> {
  stage.step('The shop signs another one directly, as an SD-JWT VC')
  const { id, format, credential } = await stage.credence.credentials.sign.mutate({
    type: TYPE,
    credential_subject: purchase('Coffee grinder'),
    format: 'dc+sd-jwt',
  })
  stage.saw('credential', id)
  stage.saw('its disclosures', credential.split('~').length - 2)
  stage.mustBe('its format', format, 'dc+sd-jwt')
  return { id, format: 'SD-JWT VC', compact: credential }
}
