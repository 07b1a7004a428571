import { z } from 'zod'
import { route, SMALL_BODY_BYTES } from '../../api/contract.js'
import { zProtocolReply } from '../../protocol/oauth/reply.js'
import { zAuthorizationResponse } from '../../protocol/openid4vp/authorization-response.js'
import { REQUEST_OBJECT_MEDIA_TYPE } from '../../protocol/openid4vp/request-object.js'
import { EXPIRED_MESSAGE } from '../sessions/session.js'
import { originNotExpected, requestGone, requestNotFound } from './refusals.js'

const TAG = 'OpenID4VP'
const MAX_WALLET_NONCE = 1_024

export const getRequestObject = {
  meta: route('GET', '/openid4vp/requests/{id}', {
    tag: TAG,
    summary: 'The signed request object of an authorization request (OpenID4VP 1.0 §5)',
    description:
      'The `request_uri` of an `openid4vp://` address. The first fetch moves the session to RequestUriRetrieved; a HEAD does not.',
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    produces: REQUEST_OBJECT_MEDIA_TYPE,
    errors: [requestNotFound(), requestGone(EXPIRED_MESSAGE)],
  }),
  input: z.object({ id: z.string() }),
  output: zProtocolReply,
}

export const postRequestObject = {
  meta: route('POST', '/openid4vp/requests/{id}', {
    tag: TAG,
    summary: "The signed request object, with the wallet's nonce in it (OpenID4VP 1.0 §5.10)",
    description:
      "With `request_uri_method=post` (OpenID4VP 1.0 §5.10), the request object holds the wallet's nonce. `wallet_metadata` is " +
      'respected. 400 if the wallet cannot answer the request; the session does not change. The request object is encrypted to ' +
      "the wallet's key if the metadata holds one. It omits formats that the wallet does not support, if the query allows an " +
      'alternative.',
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    form: true,
    maxBodyBytes: SMALL_BODY_BYTES,
    produces: REQUEST_OBJECT_MEDIA_TYPE,
    errors: [400, requestNotFound(), requestGone(EXPIRED_MESSAGE)],
  }),
  input: z.object({
    id: z.string(),
    wallet_nonce: z.string().min(1).max(MAX_WALLET_NONCE).optional(),
    wallet_metadata: z.string().optional().meta({ description: 'A JSON object of at most 16 KiB.' }),
  }),
  output: zProtocolReply,
}

export const postResponse = {
  meta: route('POST', '/openid4vp/responses/{id}', {
    tag: TAG,
    summary: "A wallet's answer (OpenID4VP 1.0 §8.2, direct_post and direct_post.jwt)",
    description:
      'A presentation, encrypted or not, or an error, such as that the user declined. `redirect_uri` in the reply is where the user ' +
      'continues, also after an error or a refusal.',
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    reply: z
      .object({ redirect_uri: z.string().optional() })
      .meta({ example: { redirect_uri: 'https://shop.example.org/return?response_code=9Wc…' } }),
    form: true,
    errors: [400, requestNotFound()],
  }),
  input: zAuthorizationResponse.extend({ id: z.string() }),
  output: zProtocolReply,
}

export const postDigitalCredential = {
  meta: route('POST', '/openid4vp/dc-api/{id}', {
    tag: TAG,
    summary: 'The answer that a page got over the Digital Credentials API (OpenID4VP 1.0 Appendix A.4)',
    description:
      'The `response_uri` of a request with `responseMode` `dc_api` or `dc_api.jwt`. Accepts `protocol` and `data` of the ' +
      '`DigitalCredential` that `navigator.credentials.get()` returned, which may be an error of the wallet. 403 for an `Origin` ' +
      'that is not in `expectedOrigins`; 400 for an answer to another request. In both cases the session does not change.',
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    reply: z.object({}).meta({ example: {} }),
    requestExample: {
      protocol: 'openid4vp-v1-signed',
      data: { response: 'eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTI1NkdDTSJ9…' },
    },
    errors: [400, originNotExpected(), requestNotFound()],
  }),
  input: z.object({
    id: z.string(),
    protocol: z.string().meta({ description: 'The `protocol` of the request.' }),
    data: z
      .union([z.string(), z.record(z.string(), z.unknown())])
      .meta({ description: '`response` (JWE), `vp_token` or `error`, as an object or as its JSON text.' }),
  }),
  output: zProtocolReply,
}
