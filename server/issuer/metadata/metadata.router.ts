import { weightOf } from '../../api/accept.js'
import { procedure, router } from '../../api/trpc.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import * as contracts from './metadata.contract.js'
import type { Metadata } from './metadata.js'

/** §12.2.2: the JWT is sent only if `Accept` names its type, because wallets that want JSON often send a wildcard. */
function prefersJwt(accept = ''): boolean {
  const jwt = weightOf(accept, 'application/jwt')
  return jwt > 0 && jwt >= weightOf(accept, 'application/json', 'application/*', '*/*')
}

const reply = (body: NonNullable<ProtocolReply['body']>, type = 'application/json'): ProtocolReply => ({
  status: 200,
  headers: { 'content-type': type, vary: 'accept, origin', 'cache-control': 'no-cache' },
  body,
})

export const metadataRouter = (metadata: Metadata) =>
  router({
    issuer: procedure(contracts.issuerMetadata).query(async ({ ctx: { request } }) =>
      prefersJwt(request.headers.accept)
        ? reply(await metadata.signedIssuer(), 'application/jwt')
        : reply(await metadata.issuer()),
    ),

    authorizationServer: procedure(contracts.authorizationServerMetadata).query(async () =>
      reply(await metadata.authorizationServer()),
    ),

    keys: procedure(contracts.jsonWebKeySet).query(async () => reply({ ...(await metadata.keySet()) })),
  })
