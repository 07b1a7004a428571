import { onlyLooks } from '../../context.js'
import { publicProcedure, router } from '../../trpc.js'
import { receiveDigitalCredential } from './digital-credentials.js'
import { getRequestObject, postDigitalCredential, postRequestObject, postResponse } from './openid4vp.contract.js'
import { serveRequestObject } from './request.js'
import { receiveResponse } from './response.js'

export const openid4vpRouter = router({
  requestObject: publicProcedure
    .meta(getRequestObject.meta)
    .input(getRequestObject.input)
    .output(getRequestObject.output)
    .query(({ ctx: { deps, request }, input }) => serveRequestObject(deps, input.id, { counts: !onlyLooks(request) })),

  postedRequestObject: publicProcedure
    .meta(postRequestObject.meta)
    .input(postRequestObject.input)
    .output(postRequestObject.output)
    .mutation(({ ctx: { deps }, input }) =>
      serveRequestObject(deps, input.id, {
        counts: true,
        walletNonce: input.wallet_nonce,
        walletMetadata: input.wallet_metadata,
      }),
    ),

  response: publicProcedure
    .meta(postResponse.meta)
    .input(postResponse.input)
    .output(postResponse.output)
    .mutation(({ ctx: { deps, work }, input: { id, ...form } }) => receiveResponse(deps, id, form, work)),

  digitalCredential: publicProcedure
    .meta(postDigitalCredential.meta)
    .input(postDigitalCredential.input)
    .output(postDigitalCredential.output)
    .mutation(({ ctx: { deps, request, work }, input: { id, ...credential } }) =>
      receiveDigitalCredential(deps, id, request.headers.origin, credential, work),
    ),
})
