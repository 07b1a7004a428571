import { z } from 'zod'

/** Standard Webhooks 1.0.0 ("Signature scheme"): a key of 24 to 64 bytes in base64. */
const zWebhookSecret = z
  .string()
  .max(100)
  .refine(
    (text) => {
      const [, key] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
      const bytes = Buffer.from(key ?? '', 'base64')
      return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === key
    },
    { error: 'must be whsec_ and 24 to 64 bytes in base64' },
  )

/** RFC 6750 §2.1 */
const zBearerToken = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[A-Za-z0-9\-._~+/]+=*$/, { error: 'must be a bearer token (RFC 6750)' })

export const zSourceAuth = z
  .strictObject({
    bearer: zBearerToken.optional().meta({ description: 'The token of the Authorization header.' }),
    hmac: zWebhookSecret.optional().meta({
      description: 'The secret of the signature after Standard Webhooks 1.0.0: `whsec_` and 24 to 64 bytes in base64.',
    }),
    mTLS: z
      .strictObject({ certificate: z.string().min(1).max(32_768), key: z.string().min(1).max(16_384) })
      .optional()
      .meta({ description: 'A client certificate with its chain, leaf first, and its private key, both in PEM.' }),
  })
  .refine((auth) => Object.values(auth).some((member) => member !== undefined), {
    error: 'must have bearer, hmac or mTLS',
  })
  .meta({
    description:
      'How requests are authenticated. Several members may be given together. The secrets are stored like private keys and are not shown again.',
  })

export const zClaimsSource = z
  .strictObject({
    url: z.string().min(1).max(2000),
    method: z.literal('POST').optional(),
    auth: zSourceAuth.optional().meta({
      description:
        'May be left out in a further version with the same `url`. The secrets of the active version are then kept.',
    }),
    timeoutMs: z
      .int()
      .min(100)
      .max(10_000)
      .optional()
      .meta({ description: 'Limit in milliseconds for one request. Default 5,000.' }),
  })
  .meta({
    description:
      'The issuer’s own system that is asked for the claims when a wallet takes the credential: for users who sign in, and for ' +
      'offers with `claims: "atIssuance"`.',
    example: {
      url: 'https://registry.example/claims',
      auth: { hmac: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
      timeoutMs: 5000,
    },
  })

const zKind = z.literal(true).optional()

export const zShownClaimsSource = z.object({
  url: z.string(),
  method: z.literal('POST'),
  timeoutMs: z.int(),
  auth: z
    .object({ bearer: zKind, hmac: zKind, mTLS: zKind })
    .meta({ description: 'The kinds of authentication. Secrets are not shown.' }),
})
