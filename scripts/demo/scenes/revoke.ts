import type { Stage } from '../stage.js'
import type { Issued } from './issue.js'

/** The issuer revokes a credential. After the revocation, no verifier accepts the credential. */
export async function revoke(stage: Stage, { id, format, compact }: Issued): Promise<void> {
  stage.step(`The shop revokes the ${format}`)
  await stage.credence.credentials.revoke.mutate({ id })
  stage.step('Verify it again')
  const answer = await stage.credence.verify.verify.mutate({ credential: compact })
  stage.saw('answer', answer)
  stage.mustBe('the answer', answer, { isValid: false, error: 'Credential has been revoked.' })
}
