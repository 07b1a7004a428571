import { CredentialError } from '../../protocol/credential/verification.js'
import { router, verifierProcedure } from '../../trpc.js'
import { type CheckedCredential, checkCredential } from './check-credential.js'
import { verifyCredential } from './verify.contract.js'

function valid(checked: CheckedCredential) {
  const payload = { ...checked.payload }
  if (checked.format === 'jwt_vc') return { isValid: true as const, format: checked.format, payload }
  return { isValid: true as const, format: checked.format, payload, prettyClaims: { ...checked.prettyClaims } }
}

export const verifyRouter = router({
  verify: verifierProcedure
    .meta(verifyCredential.meta)
    .input(verifyCredential.input)
    .output(verifyCredential.output)
    .mutation(async ({ ctx: { deps }, input }) => {
      try {
        const checked = await checkCredential(deps, input.credential)
        // A presentation is not evaluated here, and must not pass for one that was.
        if (checked.format === 'dc+sd-jwt' && checked.keyBindingJwt !== undefined) {
          throw new CredentialError('Credential carries a Key Binding JWT: presentations are not verified here.')
        }
        deps.metrics.verification(undefined)
        return valid(checked)
      } catch (thrown) {
        if (!(thrown instanceof CredentialError)) throw thrown
        deps.metrics.verification(thrown.check)
        return { isValid: false as const, error: thrown.message }
      }
    }),
})
