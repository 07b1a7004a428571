import type { Formats } from '../../formats/registry.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import { router, verifierProcedure } from '../../trpc.js'
import { checkCredential } from './check-credential.js'
import { verifyCredential } from './verify.contract.js'

export const verifyRouter = (formats: Formats) => {
  const { meta, input: zInput, output: zOutput } = verifyCredential(formats)
  return router({
    verify: verifierProcedure
      .meta(meta)
      .input(zInput)
      .output(zOutput)
      .mutation(async ({ ctx: { deps, work }, input }) => {
        try {
          const { format, credential } = await checkCredential(deps, input.credential, work)
          // Presentations are not verified here; `isValid: true` would suggest that this one was.
          if (credential.holderProof !== undefined) {
            throw new CredentialError(
              `Credential carries a ${credential.holderProof}: presentations are not verified here.`,
            )
          }
          deps.metrics.verification(undefined)
          return { isValid: true as const, format: format.verifying.answer.format, ...credential.shown }
        } catch (thrown) {
          if (!(thrown instanceof CredentialError)) throw thrown
          deps.metrics.verification(thrown.check)
          return { isValid: false as const, error: thrown.message }
        }
      }),
  })
}
