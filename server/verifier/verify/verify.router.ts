import { procedure, router } from '../../api/trpc.js'
import type { Formats } from '../../formats/registry.js'
import { checkCredentialByCheck, verifyCredential } from './verify.contract.js'
import type { Verify } from './verify.js'

export const verifyRouter = (formats: Formats, { verify, checks }: Verify) =>
  router({
    verify: procedure(verifyCredential(formats)).mutation(({ ctx: { work }, input }) => verify(input.credential, work)),

    checks: procedure(checkCredentialByCheck(formats)).mutation(({ ctx: { work }, input }) =>
      checks(input.credential, work),
    ),
  })
