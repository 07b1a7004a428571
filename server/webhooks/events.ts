import { z } from 'zod'
import { CREDENTIAL_OFFER_STATES } from '../issuer/openid4vci/sessions/session.js'
import { SESSION_STATES } from '../verifier/sessions/session.js'

const names = {
  reference: z
    .string()
    .optional()
    .meta({ description: 'The `reference` that the caller gave, if it is still stored.' }),
  label: z.string().optional().meta({ description: 'The `label` that the caller gave. Only with `payload: full`.' }),
}

const claimsGone = z
  .literal(true)
  .optional()
  .meta({ description: 'The claims were no longer stored at the delivery. `claims` is then null.' })

const claims = {
  claims: z
    .record(z.string(), z.unknown())
    .nullable()
    .optional()
    .meta({ description: 'The claims of the credential. Only with `payload: full`.' }),
  claimsGone,
}

const offer = z.object({
  credentialOfferSessionId: z.string(),
  state: z.enum(CREDENTIAL_OFFER_STATES),
  deferred: z.enum(['pending', 'approved', 'rejected']).optional(),
  errorMessage: z.string().optional(),
  ...names,
})

const verification = z.object({
  verificationSessionId: z.string(),
  state: z.enum(SESSION_STATES),
  errorMessage: z.string().optional(),
  ...names,
})

const failedCheck = z.object({
  credentialQueryId: z.string().nullable().meta({ description: 'Null for a check of the whole answer.' }),
  format: z.string().optional().meta({ description: 'The credential format that the query asks for.' }),
  check: z.string().meta({ description: 'The name of the check, as in the checks of the session.' }),
  message: z.string().meta({ description: 'One sentence. It never holds the value of a claim.' }),
})

const credential = z.object({
  credentialId: z.string(),
  offeringId: z.string().optional().meta({ description: 'The offering that the credential was taken from.' }),
  credentialOfferSessionId: z
    .string()
    .optional()
    .meta({ description: 'The credential offer that the credential was taken from.' }),
  ...names,
})

const changed = credential.extend({ reason: z.string().optional().meta({ description: 'Why the status changed.' }) })

/** The data of each event type, and when the event occurs. */
export const EVENTS = {
  'credential_offer.created': ['A credential offer was made, or sent again with a new link.', offer],
  'credential_offer.uri_retrieved': ['A wallet fetched the offer.', offer],
  'credential_offer.authorized': ['A user agreed to the offer.', offer],
  'credential_offer.request_received': ['A wallet got an access token for the offer.', offer],
  'credential_offer.issued': ['The credential was issued.', offer.extend(claims)],
  'credential_offer.completed': ['The wallet confirmed that it stored the credential.', offer.extend(claims)],
  'credential_offer.deferred': ['A wallet waits for the decision of the issuer.', offer],
  'credential_offer.approved': ['The issuer, or its claims source, approved the offer.', offer],
  'credential_offer.rejected': ['The issuer rejected the offer.', offer],
  'credential_offer.expired': ['The offer expired before a credential was issued.', offer],
  'credential_offer.failed': ['The offer ended without success, or it was cancelled.', offer],
  'verification.created': ['A request was made.', verification],
  'verification.retrieved': ['A wallet fetched the request.', verification],
  'verification.completed': [
    'An answer passed all checks.',
    verification.extend({
      claims: z.array(z.record(z.string(), z.unknown())).nullable().optional().meta({
        description: 'The `credentials` of the result of the session. Only with `payload: full`.',
      }),
      claimsGone,
    }),
  ],
  'verification.failed': [
    'An answer failed a check, or the wallet reported an error.',
    verification.extend({
      failedChecks: z
        .array(failedCheck)
        .optional()
        .meta({ description: 'The checks that failed, if the session is still stored.' }),
    }),
  ],
  'verification.expired': ['No wallet answered in time.', verification],
  'verification.declined': [
    'The user declined: on the page of the request, or the wallet answered `access_denied`.',
    verification,
  ],
  'credential.issued': ['A credential was issued or signed.', credential.extend(claims)],
  'credential.revoked': ['A credential was revoked.', changed],
  'credential.suspended': ['A credential was suspended.', changed],
  'credential.reinstated': ['A suspended credential became valid again.', changed],
  'credential.expired': ['A credential expired.', credential],
  'credential.claims_erased': ['The claims of a credential were erased.', credential],
  'webhook.test': ['A test of the webhook, on request.', z.object({ webhookId: z.string() })],
} as const satisfies Record<string, readonly [string, z.ZodObject]>

/** The name of an event type. */
export type EventType = keyof typeof EVENTS

// Object.keys returns string[]; the constant has exactly these keys.
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]]

/** The halves of the service. Each half has its own role and its own events. */
export const halfOf = (type: EventType): 'issuer' | 'verifier' =>
  type.startsWith('verification.') ? 'verifier' : 'issuer'

/** The event types that a webhook can name. A test is sent to each webhook on request. */
export const SUBSCRIBABLE = EVENT_TYPES.filter((type) => type !== 'webhook.test')

/** The event types that carry claims with `payload: full`. */
export const WITH_CLAIMS: readonly EventType[] = EVENT_TYPES.filter((type) => 'claims' in EVENTS[type][1].shape)

/** The body of a delivery (Standard Webhooks 1.0.0, "Payload structure"). */
export const eventSchema = (type: EventType) =>
  z.object({
    type: z.literal(type),
    timestamp: z.iso.datetime().meta({ description: 'When the event occurred.' }),
    data: EVENTS[type][1],
  })

/** The body of a delivery, by its type. */
export type WebhookEvent = {
  [Type in EventType]: {
    readonly type: Type
    readonly timestamp: string
    readonly data: z.output<(typeof EVENTS)[Type][1]>
  }
}[EventType]
