import { weightOf } from '../../accept.js'
import { issuerKeySet } from '../../dids/issuer-key-set.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { publicProcedure, router } from '../../trpc.js'
import { authorizationServerMetadataOf, issuerMetadataOf, signedIssuerMetadata } from './issuer-metadata.js'
import { authorizationServerMetadata, issuerMetadata, jsonWebKeySet } from './metadata.contract.js'

/** §12.2.2. Sent only where `Accept` names the type: wallets that want JSON often send a wildcard. */
function prefersJwt(accept = ''): boolean {
  const jwt = weightOf(accept, 'application/jwt')
  return jwt > 0 && jwt >= weightOf(accept, 'application/json', 'application/*', '*/*')
}

const json = (body: Record<string, unknown>): ProtocolReply => ({
  status: 200,
  headers: { 'content-type': 'application/json', vary: 'accept, origin', 'cache-control': 'no-cache' },
  body,
})

export const metadataRouter = router({
  issuer: publicProcedure
    .meta(issuerMetadata.meta)
    .input(issuerMetadata.input)
    .output(issuerMetadata.output)
    .query(async ({ ctx: { deps, request } }) => {
      if (!prefersJwt(request.headers.accept)) return json(await issuerMetadataOf(deps))
      const headers = { 'content-type': 'application/jwt', vary: 'accept, origin', 'cache-control': 'no-cache' }
      return { status: 200, headers, body: await signedIssuerMetadata(deps) }
    }),

  authorizationServer: publicProcedure
    .meta(authorizationServerMetadata.meta)
    .input(authorizationServerMetadata.input)
    .output(authorizationServerMetadata.output)
    .query(async ({ ctx: { deps } }) => json(await authorizationServerMetadataOf(deps))),

  keys: publicProcedure
    .meta(jsonWebKeySet.meta)
    .input(jsonWebKeySet.input)
    .output(jsonWebKeySet.output)
    .query(async ({ ctx: { deps } }) => json({ ...(await issuerKeySet(deps)).jwks })),
})
