import type { Deps } from '../deps.js'
import { errors } from '../errors.js'
import { publicProcedure, router } from '../trpc.js'
import {
  didConfiguration,
  difDidConfiguration,
  hostedDocument,
  hostedWellKnownDocument,
  jwtVcIssuer,
} from './dids.contract.js'
import { documentOf } from './documents.js'
import { DID_CONFIGURATION_CONTEXT } from './domain-linkage.js'
import { issuerKeySet } from './issuer-key-set.js'

async function hosted(deps: Pick<Deps, 'config' | 'stores'>, uuid: string) {
  const stored = await deps.stores.dids.findByUuid(uuid)
  if (stored === undefined) throw errors.didDocumentNotFound()
  return { ...documentOf(stored, deps.config) }
}

const linkages = async (deps: Pick<Deps, 'domainLinkages' | 'stores'>) =>
  deps.domainLinkages(await deps.stores.dids.recordIdentities())

export const didsRouter = router({
  hosted: publicProcedure
    .meta(hostedDocument.meta)
    .input(hostedDocument.input)
    .output(hostedDocument.output)
    .query(({ ctx: { deps }, input }) => hosted(deps, input.uuid)),

  hostedWellKnown: publicProcedure
    .meta(hostedWellKnownDocument.meta)
    .input(hostedWellKnownDocument.input)
    .output(hostedWellKnownDocument.output)
    .query(({ ctx: { deps }, input }) => hosted(deps, input.uuid)),

  configuration: publicProcedure
    .meta(didConfiguration.meta)
    .input(didConfiguration.input)
    .output(didConfiguration.output)
    .query(async ({ ctx: { deps } }) => ({ entries: await linkages(deps) })),

  difConfiguration: publicProcedure
    .meta(difDidConfiguration.meta)
    .input(difDidConfiguration.input)
    .output(difDidConfiguration.output)
    .query(async ({ ctx: { deps } }) => ({
      '@context': DID_CONFIGURATION_CONTEXT,
      linked_dids: (await linkages(deps)).map(({ jwt }) => jwt),
    })),

  jwtVcIssuer: publicProcedure
    .meta(jwtVcIssuer.meta)
    .input(jwtVcIssuer.input)
    .output(jwtVcIssuer.output)
    .query(({ ctx: { deps } }) => issuerKeySet(deps)),
})
