import { errors } from '../api/errors.js'
import { procedure, router } from '../api/trpc.js'
import type { Deps } from '../deps.js'
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
  hosted: procedure(hostedDocument).query(({ ctx: { deps }, input }) => hosted(deps, input.uuid)),

  hostedWellKnown: procedure(hostedWellKnownDocument).query(({ ctx: { deps }, input }) => hosted(deps, input.uuid)),

  configuration: procedure(didConfiguration).query(async ({ ctx: { deps } }) => ({ entries: await linkages(deps) })),

  difConfiguration: procedure(difDidConfiguration).query(async ({ ctx: { deps } }) => ({
    '@context': DID_CONFIGURATION_CONTEXT,
    linked_dids: (await linkages(deps)).map(({ jwt }) => jwt),
  })),

  jwtVcIssuer: procedure(jwtVcIssuer).query(({ ctx: { deps } }) => issuerKeySet(deps)),
})
