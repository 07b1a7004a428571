import { z } from 'zod'
import { route } from '../../api/contract.js'
import { zProtocolReply } from '../../protocol/oauth/reply.js'

const BASE = 'https://credence.example.org'
const text = z.string()
const object = z.record(text, z.unknown())

const zIssuerMetadata = z
  .looseObject({
    credential_issuer: text,
    credential_endpoint: text,
    credential_configurations_supported: z.record(text, object),
  })
  .meta({
    example: {
      credential_issuer: BASE,
      credential_endpoint: `${BASE}/openid4vci/credential`,
      credential_configurations_supported: {
        'ProofOfPurchase-sd-jwt': { format: 'dc+sd-jwt', vct: `${BASE}/vct/ProofOfPurchase` },
      },
    },
  })

const zAuthorizationServerMetadata = z
  .looseObject({ issuer: text, token_endpoint: text, grant_types_supported: z.array(text) })
  .meta({
    example: {
      issuer: BASE,
      token_endpoint: `${BASE}/openid4vci/token`,
      grant_types_supported: ['urn:ietf:params:oauth:grant-type:pre-authorized_code'],
    },
  })

const zKeySet = z
  .object({ keys: z.array(object) })
  .meta({ example: { keys: [{ kty: 'EC', crv: 'P-256', x: 'f83OJ3D2xF1…', y: 'x_FEzRu9m36…', kid: 'key-1' }] } })

/** Issuer metadata of the interface and OpenID4VCI 1.0 §12.2: JSON, or a signed JWT by `Accept`. */
export const issuerMetadata = {
  meta: route('GET', '/.well-known/openid-credential-issuer', {
    tag: 'Metadata',
    summary: 'Issuer metadata',
    description: 'The answer is a signed JWT if the request accepts application/jwt.',
    alsoProduces: ['application/jwt'],
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    envelope: true,
    reply: zIssuerMetadata,
  }),
  input: z.object({}),
  output: zProtocolReply,
}

/** RFC 8414. */
export const authorizationServerMetadata = {
  meta: route('GET', '/.well-known/oauth-authorization-server', {
    tag: 'Metadata',
    summary: 'Authorization server metadata',
    description:
      "The metadata of this service's own authorization server, which issues access tokens only to wallets (RFC " +
      '8414).',
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    envelope: true,
    reply: zAuthorizationServerMetadata,
  }),
  input: z.object({}),
  output: zProtocolReply,
}

/** RFC 7517 §5. */
export const jsonWebKeySet = {
  meta: route('GET', '/.well-known/jwks.json', {
    tag: 'Metadata',
    summary: "The issuer's public keys",
    description: 'The signing keys of all issuers of this service, including former keys (RFC 7517).',
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    envelope: true,
    reply: zKeySet,
  }),
  input: z.object({}),
  output: zProtocolReply,
}
