import type { Formats } from '../../formats/registry.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import { router, verifierProcedure } from '../../trpc.js'
import { checkCredential } from './check-credential.js'
import { verifyCredential } from './verify.contract.js'

const UNSUPPORTED = 'Unsupported credential format. Expected compact JWT (x.y.z) or SD-JWT.'

export const verifyRouter = (formats: Formats) => {
  const { meta, input: zInput, output: zOutput } = verifyCredential(formats)
  return router({
    verify: verifierProcedure
      .meta(meta)
      .input(zInput)
      .output(zOutput)
      .mutation(async ({ ctx: { deps, work }, input }) => {
        try {
          const format = deps.formats.recognise(input.credential)
          const answer = format?.verifying.answer
          if (format === undefined || answer === undefined) throw new CredentialError(UNSUPPORTED)
          const credential = await checkCredential(deps, format, input.credential, work)
          // Presentations are not verified here; `isValid: true` would suggest that this one was.
          if (credential.holderProof !== undefined) {
            throw new CredentialError(
              `Credential carries a ${credential.holderProof}: presentations are not verified here.`,
            )
          }
          deps.metrics.verification(undefined)
          return { isValid: true as const, format: answer.format, ...credential.shown }
        } catch (thrown) {
          if (!(thrown instanceof CredentialError)) throw thrown
          deps.metrics.verification(thrown.check)
          return { isValid: false as const, error: thrown.message }
        }
      }),
  })
}
