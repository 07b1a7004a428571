import { onlyLooks } from '../../api/context.js'
import { procedure, router } from '../../api/trpc.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { withValue } from '../../protocol/oauth/parameters.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { challenge } from './challenge.contract.js'
import type { ClientAuthentication } from './client-authentication.js'
import { credential } from './credential.contract.js'
import type { CredentialRequests } from './credential-requests.js'
import { deferredCredential } from './deferred/deferred-credential.contract.js'
import { type Dpop, dpopProcedure } from './dpop.js'
import { encryptableProcedure, type RequestEncryption } from './encryption.js'
import { nonce } from './nonce.contract.js'
import type { Nonces } from './nonces.js'
import { notification } from './notification.contract.js'
import type { Notifications } from './notifications.js'
import { credentialOffer } from './offers.contract.js'
import { token } from './token.contract.js'
import { type WalletAccess, walletProcedure } from './wallet-access.js'
import type { WalletOffers } from './wallet-offers.js'
import type { WalletTokens } from './wallet-tokens.js'

/** Codes, tokens, nonces and credentials stay out of caches (RFC 6749 §5.1, OpenID4VCI 1.0 §7.2). */
const uncached = (body: Record<string, unknown>, status = 200): ProtocolReply => ({
  status,
  headers: { 'cache-control': 'no-store' },
  body,
})

/** §8.3, §9.2: a wallet that has to wait gets a transaction and the status 202. */
const credentialReply = (body: JsonObject): ProtocolReply =>
  uncached(body, body.transaction_id === undefined ? 200 : 202)

/** The features behind the endpoints for wallets. */
interface WalletEndpoints {
  readonly walletOffers: WalletOffers
  readonly clientAuthentication: ClientAuthentication
  readonly walletTokens: WalletTokens
  readonly walletAccess: WalletAccess
  readonly dpop: Dpop
  readonly nonces: Nonces
  readonly requestEncryption: RequestEncryption
  readonly credentialRequests: CredentialRequests
  readonly notifications: Notifications
}

export const openid4vciRouter = ({
  walletOffers,
  clientAuthentication,
  walletTokens,
  walletAccess,
  dpop,
  nonces,
  requestEncryption,
  credentialRequests,
  notifications,
}: WalletEndpoints) => {
  const withDpop = dpopProcedure(dpop)
  const encryptable = encryptableProcedure(walletAccess, requestEncryption)
  return router({
    offer: procedure(credentialOffer).query(async ({ ctx, input }) =>
      uncached(await walletOffers.handOut(input.id, !onlyLooks(ctx.request))),
    ),

    token: withDpop(token).mutation(async ({ ctx: { request, work }, input }) => {
      const parameters = withValue(input)
      const wallet = await clientAuthentication.authenticate(request.headers, parameters, work)
      return uncached({ ...(await walletTokens.issue(parameters, { dpop: dpop.proofOf(request), wallet })) })
    }),

    nonce: withDpop(nonce).mutation(() => uncached({ c_nonce: nonces.fresh() })),

    challenge: procedure(challenge).mutation(() =>
      uncached({ attestation_challenge: clientAuthentication.challenge() }),
    ),

    credential: encryptable(credential).mutation(async ({ ctx, input }) =>
      credentialReply(await credentialRequests.answer(ctx.token, input, ctx.work)),
    ),

    deferredCredential: encryptable(deferredCredential).mutation(async ({ ctx, input }) =>
      credentialReply(await credentialRequests.collect(ctx.token, input, ctx.work)),
    ),

    notification: walletProcedure(walletAccess)(notification).mutation(async ({ ctx, input }) => {
      await notifications.take(ctx.token, input)
      return { status: 204, headers: { 'cache-control': 'no-store' } }
    }),
  })
}
