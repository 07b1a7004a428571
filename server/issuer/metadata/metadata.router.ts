import { weightOf } from '../../accept.js'
import { issuerKeySet } from '../../dids/issuer-key-set.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { publicProcedure, router } from '../../trpc.js'
import * as contracts from './metadata.contract.js'
import { authorizationServerMetadata, issuerMetadata, signedIssuerMetadata } from './published.js'

/** §12.2.2. Sent only where `Accept` names the type: wallets that want JSON often send a wildcard. */
function prefersJwt(accept = ''): boolean {
  const jwt = weightOf(accept, 'application/jwt')
  return jwt > 0 && jwt >= weightOf(accept, 'application/json', 'application/*', '*/*')
}

const reply = (body: NonNullable<ProtocolReply['body']>, type = 'application/json'): ProtocolReply => ({
  status: 200,
  headers: { 'content-type': type, vary: 'accept, origin', 'cache-control': 'no-cache' },
  body,
})

export const metadataRouter = router({
  issuer: publicProcedure
    .meta(contracts.issuerMetadata.meta)
    .input(contracts.issuerMetadata.input)
    .output(contracts.issuerMetadata.output)
    .query(async ({ ctx: { deps, request } }) =>
      prefersJwt(request.headers.accept)
        ? reply(await signedIssuerMetadata(deps), 'application/jwt')
        : reply(await issuerMetadata(deps)),
    ),

  authorizationServer: publicProcedure
    .meta(contracts.authorizationServerMetadata.meta)
    .input(contracts.authorizationServerMetadata.input)
    .output(contracts.authorizationServerMetadata.output)
    .query(async ({ ctx: { deps } }) => reply(await authorizationServerMetadata(deps))),

  keys: publicProcedure
    .meta(contracts.jsonWebKeySet.meta)
    .input(contracts.jsonWebKeySet.input)
    .output(contracts.jsonWebKeySet.output)
    .query(async ({ ctx: { deps } }) => reply({ ...(await issuerKeySet(deps)).jwks })),
})
