import { onlyLooks } from '../../api/context.js'
import { procedure, router } from '../../api/trpc.js'
import { getRequestObject, postDigitalCredential, postRequestObject, postResponse } from './openid4vp.contract.js'
import type { Openid4vp } from './openid4vp.js'

export const openid4vpRouter = ({ serveRequestObject, receiveResponse, receiveDigitalCredential }: Openid4vp) =>
  router({
    requestObject: procedure(getRequestObject).query(({ ctx: { request }, input }) =>
      serveRequestObject(input.id, { counts: !onlyLooks(request) }),
    ),

    postedRequestObject: procedure(postRequestObject).mutation(({ input }) =>
      serveRequestObject(input.id, {
        counts: true,
        walletNonce: input.wallet_nonce,
        walletMetadata: input.wallet_metadata,
      }),
    ),

    response: procedure(postResponse).mutation(({ ctx: { work }, input: { id, ...form } }) =>
      receiveResponse(id, form, work),
    ),

    digitalCredential: procedure(postDigitalCredential).mutation(
      ({ ctx: { request, work }, input: { id, ...credential } }) =>
        receiveDigitalCredential(id, request.headers.origin, credential, work),
    ),
  })
