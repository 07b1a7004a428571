import { publicProcedure, router } from '../../trpc.js'
import { configurationsOf, PROOF_TYPES } from './configurations.js'
import { issuerMetadata } from './metadata.contract.js'

export const metadataRouter = router({
  issuer: publicProcedure
    .meta(issuerMetadata.meta)
    .input(issuerMetadata.input)
    .output(issuerMetadata.output)
    .query(async ({ ctx: { deps } }) => {
      const { issuerBaseUrl } = deps.config
      const [schemas, issuer] = await Promise.all([deps.stores.schemas.allActive(), deps.stores.agents.defaultIssuer()])
      const display = (issuer?.display ?? []).map((entry) => ({ ...entry }))
      return {
        credential_issuer: issuerBaseUrl,
        schema_endpoint: `${issuerBaseUrl}/schemas`,
        offering_endpoint: `${issuerBaseUrl}/api/v1/offerings`,
        authorization_servers: [issuerBaseUrl],
        display: display.length === 0 ? [{ name: 'Credence', locale: 'en' }] : display,
        credential_configurations_supported: configurationsOf(schemas, deps.config),
        proof_types_supported: PROOF_TYPES,
      }
    }),
})
