import { z } from 'zod'
import { route } from '../../contract.js'
import { zProtocolReply } from '../../protocol/oauth/reply.js'

/** Issuer metadata as the interface and OpenID4VCI 1.0 §12.2 have it: JSON, or a signed JWT by `Accept`. */
export const issuerMetadata = {
  meta: route('GET', '/.well-known/openid-credential-issuer', {
    tag: 'Metadata',
    summary: 'Issuer metadata',
    description: 'As a signed JWT where the request accepts application/jwt.',
    access: 'public',
    kind: 'protocol',
  }),
  input: z.object({}),
  output: zProtocolReply,
}

/** RFC 8414. */
export const authorizationServerMetadata = {
  meta: route('GET', '/.well-known/oauth-authorization-server', {
    tag: 'Metadata',
    summary: 'Authorization server metadata',
    access: 'public',
    kind: 'protocol',
  }),
  input: z.object({}),
  output: zProtocolReply,
}

/** RFC 7517 §5. */
export const jsonWebKeySet = {
  meta: route('GET', '/.well-known/jwks.json', {
    tag: 'Metadata',
    summary: "The issuer's public keys",
    access: 'public',
    kind: 'protocol',
  }),
  input: z.object({}),
  output: zProtocolReply,
}
