import { procedure, router } from '../../api/trpc.js'
import { replaceClaimsSourceSecret, testClaimsSource } from './claims-source.contract.js'
import type { ClaimsSources } from './claims-source.js'

export const claimsSourceRouter = (claimsSources: ClaimsSources) =>
  router({
    replaceSecret: procedure(replaceClaimsSourceSecret).mutation(({ ctx: { caller }, input }) =>
      claimsSources.replaceSecret(caller, input),
    ),

    test: procedure(testClaimsSource).mutation(({ ctx: { caller, work }, input }) =>
      claimsSources.test(caller, input, work),
    ),
  })
