import type { Stage } from '../stage.js'
import type { Issued } from './issue.js'

/** Verifies a credential of each format. Anyone with a token may verify a credential. */
export async function verify(stage: Stage, claimed: Issued, signed: Issued): Promise<void> {
  stage.step(`Verify the ${claimed.format}`)
  const first = await stage.credence.verify.verify.mutate({ credential: claimed.compact })
  stage.saw('answer', first)
  stage.mustBe('its validity', first.isValid, true)
  stage.mustBe('its format', 'format' in first && first.format, 'jwt_vc')

  stage.step(`Verify the ${signed.format}`)
  const second = await stage.credence.verify.verify.mutate({ credential: signed.compact })
  stage.mustBe('its validity', second.isValid, true)
  stage.mustBe('its format', 'format' in second && second.format, 'dc+sd-jwt')
  if (!('prettyClaims' in second)) return
  stage.saw('signed are digests', second.payload._sd)
  stage.saw('disclosed is', second.prettyClaims)
  stage.mustBe('the disclosed product', second.prettyClaims.productName, 'Coffee grinder')
}
