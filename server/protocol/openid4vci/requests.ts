import { z } from 'zod'

export const PRE_AUTHORIZED_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

/** Key proofs that one credential request may carry: `batch_credential_issuance.batch_size` (§12.2.4). */
export const BATCH_SIZE = 20

/** Credential Request (OpenID4VCI 1.0 §8.2). Unknown parameters are ignored. */
export const zCredentialRequest = z
  .object({
    credential_identifier: z.string().min(1).optional(),
    credential_configuration_id: z.string().min(1).optional(),
    proofs: z
      .record(z.string(), z.array(z.unknown()).min(1))
      .refine((proofs) => Object.keys(proofs).length === 1, {
        error: 'must have exactly one member, named after the proof type',
      })
      .optional(),
  })
  .refine(
    (request) => (request.credential_identifier === undefined) !== (request.credential_configuration_id === undefined),
    {
      error: 'needs exactly one of credential_identifier and credential_configuration_id',
    },
  )

export type CredentialRequest = z.infer<typeof zCredentialRequest>

/** Notification Request (OpenID4VCI 1.0 §11.1). */
export const zNotificationRequest = z.object({
  notification_id: z.string().min(1),
  event: z.enum(['credential_accepted', 'credential_failure', 'credential_deleted']),
  event_description: z.string().optional(),
})

/** One entry of `authorization_details` (OpenID4VCI 1.0 §5.1.1). */
export const zAuthorizationDetails = z
  .array(z.object({ type: z.literal('openid_credential'), credential_configuration_id: z.string() }))
  .min(1)
