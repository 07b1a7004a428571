import { onlyLooks } from '../../api/context.js'
import { procedure, router } from '../../api/trpc.js'
import { receiveDigitalCredential } from './digital-credentials.js'
import { getRequestObject, postDigitalCredential, postRequestObject, postResponse } from './openid4vp.contract.js'
import { serveRequestObject } from './request.js'
import { receiveResponse } from './response.js'

export const openid4vpRouter = router({
  requestObject: procedure(getRequestObject).query(({ ctx: { deps, request }, input }) =>
    serveRequestObject(deps, input.id, { counts: !onlyLooks(request) }),
  ),

  postedRequestObject: procedure(postRequestObject).mutation(({ ctx: { deps }, input }) =>
    serveRequestObject(deps, input.id, {
      counts: true,
      walletNonce: input.wallet_nonce,
      walletMetadata: input.wallet_metadata,
    }),
  ),

  response: procedure(postResponse).mutation(({ ctx: { deps, work }, input: { id, ...form } }) =>
    receiveResponse(deps, id, form, work),
  ),

  digitalCredential: procedure(postDigitalCredential).mutation(
    ({ ctx: { deps, request, work }, input: { id, ...credential } }) =>
      receiveDigitalCredential(deps, id, request.headers.origin, credential, work),
  ),
})
