import { z } from 'zod'
import { route, SMALL_BODY_BYTES } from '../../../api/contract.js'
import { zProtocolReply } from '../../../protocol/oauth/reply.js'

const parameter = z.string().optional()

/** Parameters of an authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID4VCI 1.0 §5.1). */
const parameters = {
  client_id: parameter,
  response_type: parameter.meta({ description: 'code' }),
  redirect_uri: parameter,
  state: parameter,
  scope: parameter.meta({ description: 'Ids of credential configurations. Unknown ids are ignored.' }),
  authorization_details: parameter.meta({ description: 'JSON text (RFC 9396 §2).' }),
  issuer_state: parameter.meta({ description: 'The issuer_state of the credential offer.' }),
  code_challenge: parameter,
  code_challenge_method: parameter.meta({ description: 'S256' }),
  response_mode: parameter.meta({ description: 'query' }),
  resource: parameter.meta({ description: 'The credential issuer identifier.' }),
  dpop_jkt: parameter.meta({ description: 'Thumbprint of the key that the code is bound to (RFC 9449 §10).' }),
}

/** No request reaches this limit: Node accepts fewer parameters in the head of a request. */
const MAX_TIMES = 16_384

/** A parameter in a URL. The endpoint itself refuses a repeated parameter, because it may have to report the error to a wallet. */
const repeatable = z.union([z.string(), z.array(z.string()).max(MAX_TIMES)]).optional()
const inAddress = {
  ...Object.fromEntries(
    Object.entries(parameters).map(([name, { description }]) => [name, repeatable.meta({ description })]),
  ),
  client_id: repeatable,
  request_uri: repeatable.meta({
    description: 'The request_uri of a pushed request. All other parameters except client_id are then ignored.',
  }),
  request: repeatable.meta({ description: 'Refused: request objects are not supported.' }),
}

export const par = {
  meta: route('POST', '/openid4vci/par', {
    tag: 'OpenID4VCI',
    summary: 'Push an authorization request',
    description:
      'RFC 9126. The request_uri expires after 90 seconds if no browser opens it. A DPoP proof binds the code to its key.',
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    status: 201,
    form: true,
    maxBodyBytes: SMALL_BODY_BYTES,
    reply: z.object({ request_uri: z.string(), expires_in: z.int() }).meta({
      example: { request_uri: 'urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c', expires_in: 90 },
    }),
    errors: [400, 401],
  }),
  input: z.object({
    ...parameters,
    request_uri: parameter,
    request: parameter,
    client_secret: parameter,
    client_assertion: parameter,
  }),
  output: zProtocolReply,
}

export const authorize = {
  meta: route('GET', '/openid4vci/authorize', {
    tag: 'OpenID4VCI',
    summary: 'Authorization endpoint',
    description:
      'A wallet opens this URL in a browser. The request is in the parameters, or it was pushed and the request_uri names it. The browser is redirected to the page where a person decides.',
    access: 'public',
    open: true,
    kind: 'page',
    status: 303,
    errors: [400],
  }),
  input: z.object(inAddress),
  output: zProtocolReply,
}

export const callback = {
  meta: route('GET', '/openid4vci/authorize/callback', {
    tag: 'OpenID4VCI',
    summary: 'Return from the identity provider',
    description:
      'The redirect URI that is registered for this service at the identity provider (OpenID Connect Core 1.0 §3.1.2.5). The browser that began the sign-in is redirected to the page where its user decides. If nobody signed in, the browser is redirected to the wallet.',
    access: 'public',
    open: true,
    kind: 'page',
    status: 303,
    errors: [400, 404],
  }),
  input: z.object({
    state: parameter,
    code: parameter,
    iss: parameter.meta({ description: 'RFC 9207' }),
    error: parameter,
    error_description: parameter,
  }),
  output: zProtocolReply,
}

export const consent = {
  meta: route('GET', '/openid4vci/authorize/{id}', {
    tag: 'OpenID4VCI',
    summary: 'The page on which a person decides',
    description:
      'Only the browser that began the authorization can open the page. If users sign in at an identity provider, the browser is redirected to the provider first.',
    access: 'public',
    open: true,
    kind: 'page',
    errors: [404, 409],
  }),
  input: z.object({ id: z.string() }),
  output: zProtocolReply,
}

export const decision = {
  meta: route('POST', '/openid4vci/authorize/{id}', {
    tag: 'OpenID4VCI',
    summary: 'Decide',
    description:
      'Redirects the browser to the wallet, with a code or with access_denied. Only the first decision counts. With AUTH_DISABLED the form may have fields for the claims. If a field is wrong, the form is shown again.',
    access: 'public',
    open: true,
    kind: 'page',
    status: 303,
    form: true,
    maxBodyBytes: SMALL_BODY_BYTES,
    errors: [400, 403, 404, 409],
  }),
  input: z
    .object({ id: z.string(), decision: parameter.meta({ description: 'accept or decline' }), token: parameter })
    // The fields of the page's form, named by the JSON Pointers of their claims.
    .catchall(z.string()),
  output: zProtocolReply,
}
