import { onlyLooks } from '../../api/context.js'
import { errors } from '../../api/errors.js'
import { procedure, router } from '../../api/trpc.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { withValue } from '../../protocol/oauth/parameters.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { challenge } from './challenge.contract.js'
import { attestsWallets, authenticateClient } from './client-authentication.js'
import { credential } from './credential.contract.js'
import { issueToWallet } from './credential.js'
import { collectDeferred } from './deferred/collect.js'
import { deferredCredential } from './deferred/deferred-credential.contract.js'
import { dpopProcedure, dpopProofOf } from './dpop.js'
import { encryptableProcedure } from './encryption.js'
import { nonce } from './nonce.contract.js'
import { notification } from './notification.contract.js'
import { takeNotification } from './notification.js'
import { handOut } from './offer.js'
import { credentialOffer } from './offers.contract.js'
import { inDialect } from './profiles/in-dialect.js'
import { token } from './token.contract.js'
import { issueToken } from './token.js'
import { walletProcedure } from './wallet-access.js'

/** Codes, tokens, nonces and credentials stay out of caches (RFC 6749 §5.1, OpenID4VCI 1.0 §7.2). */
const uncached = (body: Record<string, unknown>, status = 200): ProtocolReply => ({
  status,
  headers: { 'cache-control': 'no-store' },
  body,
})

/** §8.3, §9.2: a wallet that has to wait gets a transaction, and a status of its own. */
const credentialReply = (body: JsonObject): ProtocolReply =>
  uncached(body, body.transaction_id === undefined ? 200 : 202)

export const openid4vciRouter = router({
  offer: procedure(credentialOffer).query(async ({ ctx, input }) =>
    uncached(await handOut(ctx.deps, input.id, !onlyLooks(ctx.request))),
  ),

  token: dpopProcedure(token).mutation(async ({ ctx, input }) => {
    const parameters = withValue(input)
    const wallet = await authenticateClient(ctx, parameters)
    return uncached({ ...(await issueToken(ctx.deps, parameters, { dpop: dpopProofOf(ctx), wallet })) })
  }),

  nonce: dpopProcedure(nonce).mutation(({ ctx }) => uncached({ c_nonce: ctx.deps.seals.nonce() })),

  challenge: procedure(challenge).mutation(({ ctx: { deps } }) => {
    if (!attestsWallets(deps.config)) throw errors.routeNotFound('POST', '/openid4vci/challenge')
    return uncached({ attestation_challenge: deps.seals.attestationChallenge() })
  }),

  credential: encryptableProcedure(credential).mutation(async ({ ctx: { deps, token, work }, input }) =>
    credentialReply(await inDialect(deps, token, input, (request) => issueToWallet(deps, token, request, work))),
  ),

  deferredCredential: encryptableProcedure(deferredCredential).mutation(async ({ ctx: { deps, token }, input }) =>
    credentialReply(await collectDeferred(deps, token, input)),
  ),

  notification: walletProcedure(notification).mutation(async ({ ctx, input }) => {
    await takeNotification(ctx.deps, ctx.token, input)
    return { status: 204, headers: { 'cache-control': 'no-store' } }
  }),
})
