import { z } from 'zod'

export const PRE_AUTHORIZED_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

const zResponseEncryption = z.unknown().optional().meta({
  description: 'In an encrypted request: `jwk`, `enc` and, where it shall be compressed, `zip` of the answer.',
})

/**
 * Credential Request (OpenID4VCI 1.0 §8.2). Unknown parameters are ignored. The content of proofs and encryption
 * parameters is checked later, because these faults have special error codes (§8.3.1.2).
 */
export const zCredentialRequest = z
  .object({
    credential_identifier: z.string().min(1).optional(),
    credential_configuration_id: z.string().min(1).optional(),
    proofs: z
      .unknown()
      .optional()
      .meta({
        description:
          'An object with one member: jwt, an array of key proofs, one for each copy, or attestation, an array of one ' +
          'key attestation, whose keys get a copy each.',
      }),
    credential_response_encryption: zResponseEncryption,
  })
  .refine(
    (request) => (request.credential_identifier === undefined) !== (request.credential_configuration_id === undefined),
    { error: 'needs exactly one of credential_identifier and credential_configuration_id' },
  )

export type CredentialRequest = z.infer<typeof zCredentialRequest>

/** Deferred Credential Request (OpenID4VCI 1.0 §9.1). Unknown parameters are ignored. */
export const zDeferredCredentialRequest = z.object({
  transaction_id: z.string().min(1),
  credential_response_encryption: zResponseEncryption,
})

/** Notification Request (OpenID4VCI 1.0 §11.1). */
export const zNotificationRequest = z.object({
  notification_id: z.string().min(1),
  event: z.enum(['credential_accepted', 'credential_failure', 'credential_deleted']),
  event_description: z.string().optional(),
})

const MAX_DETAILS = 20

/** `authorization_details` of a token request (OpenID4VCI 1.0 §5.1.1, §6.1.1). */
export const zAuthorizationDetails = z
  .array(
    z.object({
      type: z.literal('openid_credential'),
      credential_configuration_id: z.string(),
      locations: z.array(z.string()).max(MAX_DETAILS).optional(),
    }),
  )
  .min(1)
  .max(MAX_DETAILS)
