import { procedure, router } from '../api/trpc.js'
import {
  didConfiguration,
  difDidConfiguration,
  hostedDocument,
  hostedWellKnownDocument,
  jwtVcIssuer,
} from './dids.contract.js'
import type { Dids } from './dids.js'
import { DID_CONFIGURATION_CONTEXT } from './domain-linkage.js'

export const didsRouter = (dids: Dids) =>
  router({
    hosted: procedure(hostedDocument).query(({ input }) => dids.hosted(input.uuid)),

    hostedWellKnown: procedure(hostedWellKnownDocument).query(({ input }) => dids.hosted(input.uuid)),

    configuration: procedure(didConfiguration).query(async () => ({ entries: await dids.linkages() })),

    difConfiguration: procedure(difDidConfiguration).query(async () => ({
      '@context': DID_CONFIGURATION_CONTEXT,
      linked_dids: (await dids.linkages()).map(({ jwt }) => jwt),
    })),

    jwtVcIssuer: procedure(jwtVcIssuer).query(() => dids.issuerKeySet()),
  })
