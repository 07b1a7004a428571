import { z } from 'zod'
import { route } from '../api/contract.js'
import { errors } from '../api/errors.js'
import { zMoment } from '../api/moment.js'
import { listShape, zListed } from '../api/paging.js'
import { EVENT_TYPES, SUBSCRIBABLE } from './events.js'

/** Limit of a webhook's address, in characters. */
const MAX_URL = 2_000
const MAX_DESCRIPTION = 200

/** The highest number of webhooks of one caller. */
export const MAX_WEBHOOKS = 20

/** The highest number of events that one request replays. */
export const MAX_REPLAYED = 10_000

const TAG = 'Webhooks'

const zEvents = z
  .array(z.string().max(60))
  .min(1)
  .max(SUBSCRIBABLE.length)
  .refine((events) => events.length === 1 || !events.includes('*'), { error: 'must be only "*", or names of events' })
  .refine((events) => events.every((event) => event === '*' || SUBSCRIBABLE.some((known) => known === event)), {
    error: `must name events that exist: ${SUBSCRIBABLE.join(', ')}`,
  })
  .meta({
    description: `The events to send, or only \`*\` for all events that the caller may receive: ${SUBSCRIBABLE.map((type) => `\`${type}\``).join(', ')}.`,
    example: ['verification.completed', 'verification.failed'],
  })

const zUrl = z.string().max(MAX_URL).meta({
  description: 'The https address of the receiver. It must be public, and it must not contain a user name.',
  example: 'https://backend.example.com/webhooks/credence',
})

const settings = {
  description: z.string().min(1).max(MAX_DESCRIPTION).optional().meta({ description: 'A note for people.' }),
  payload: z
    .enum(['thin', 'full'])
    .optional()
    .meta({ description: '`thin` (default): ids and states. `full`: also labels, and claims that are still stored.' }),
  active: z
    .boolean()
    .optional()
    .meta({ description: 'Default: true. Events of an inactive webhook are recorded and can be replayed later.' }),
}

const signature = z.enum(['v1', 'v1a']).meta({
  description:
    '`v1` (default): HMAC-SHA256 with a shared secret. `v1a`: Ed25519, so that the receiver holds no secret.',
})

const zWebhook = z.object({
  id: z.uuid(),
  url: z.string(),
  events: z.array(z.string()),
  description: z.string().optional(),
  payload: z.enum(['thin', 'full']),
  signature: z.enum(['v1', 'v1a']),
  active: z.boolean().meta({ description: 'False if its creator or the service switched it off.' }),
  publicKey: z.string().optional().meta({ description: 'The key that verifies `v1a` signatures: `whpk_…`.' }),
  createdBy: z.string().optional().meta({ description: 'The `sub` of the creator. Absent for the client secret.' }),
  createdAt: z.iso.datetime(),
  disabledAt: z.iso.datetime().optional().meta({
    description:
      'When the service switched it off: after an answer 410, or after five days without success. `active: true` switches it on again.',
  }),
  failingSince: z.iso.datetime().optional().meta({ description: 'The first failed try since the last success.' }),
  lastSuccessAt: z.iso.datetime().optional(),
  lastError: z.string().optional().meta({ description: 'Why the last failed try failed.' }),
  lastErrorAt: z.iso.datetime().optional(),
})

const zSecret = z.string().meta({
  description: 'Shown only in this answer. `v1`: the secret, `whsec_…`. `v1a`: the public key, `whpk_…`.',
})

const zId = z.strictObject({ id: z.string() })

export const createWebhook = {
  meta: route('POST', '/api/v1/webhooks', {
    tag: TAG,
    summary: 'Create a webhook',
    description:
      'The webhook gets the events of records that its creator made. A webhook of an admin or of the client secret also gets events of ' +
      'records that were made with the client secret. A caller has at most 20 webhooks. Deliveries follow Standard Webhooks 1.0.0.',
    access: 'clientOrEither',
    idempotent: true,
    status: 201,
    requestExample: {
      url: 'https://backend.example.com/webhooks/credence',
      events: ['verification.completed', 'verification.failed'],
    },
    errors: [400, errors.tooManyWebhooks()],
  }),
  input: z.strictObject({ url: zUrl, events: zEvents, ...settings, signature: signature.optional() }),
  output: zWebhook.extend({ secret: zSecret }),
}

export const listWebhooks = {
  meta: route('GET', '/api/v1/webhooks', {
    tag: TAG,
    summary: 'List webhooks',
    description: 'Newest first. Admins and the client secret see the webhooks of all callers, other users their own.',
    access: 'clientOrEither',
    errors: [400],
  }),
  input: z.strictObject(listShape).prefault({}),
  output: zListed(zWebhook),
}

export const readWebhook = {
  meta: route('GET', '/api/v1/webhooks/{id}', {
    tag: TAG,
    summary: 'Read a webhook',
    description: 'The secret is never shown again.',
    access: 'clientOrEither',
    errors: [400, errors.webhookNotFound()],
  }),
  input: zId,
  output: zWebhook,
}

export const changeWebhook = {
  meta: route('POST', '/api/v1/webhooks/{id}', {
    tag: TAG,
    summary: 'Change a webhook',
    description:
      'Absent members stay as they are. `active: true` also switches on a webhook that the service switched off. Its waiting events are ' +
      'then tried at once.',
    access: 'clientOrEither',
    requestExample: { events: ['*'] },
    errors: [400, errors.webhookNotFound()],
  }),
  input: zId.extend({
    url: zUrl.optional(),
    events: zEvents.optional(),
    ...settings,
    description: settings.description.nullable().meta({ description: 'A note for people. Null removes it.' }),
  }),
  output: zWebhook,
}

export const deleteWebhook = {
  meta: route('DELETE', '/api/v1/webhooks/{id}', {
    tag: TAG,
    summary: 'Delete a webhook',
    description: 'Its waiting events are not sent any more.',
    access: 'clientOrEither',
    status: 204,
    errors: [400, errors.webhookNotFound()],
  }),
  input: zId,
  output: z.void(),
}

export const rotateSecret = {
  meta: route('POST', '/api/v1/webhooks/{id}/rotate-secret', {
    tag: TAG,
    summary: 'Replace the secret of a webhook',
    description:
      'For 24 hours, the old and the new secret both sign each delivery. A second replacement in this time ends the secret before the last one.',
    access: 'clientOrEither',
    idempotent: true,
    errors: [400, errors.webhookNotFound()],
  }),
  input: zId,
  output: z.object({
    secret: zSecret,
    formerSignsUntil: z.iso.datetime().meta({ description: 'Until when the former secret also signs.' }),
  }),
}

export const testWebhook = {
  meta: route('POST', '/api/v1/webhooks/{id}/test', {
    tag: TAG,
    summary: 'Send a test to a webhook',
    description:
      'Sends the event `webhook.test` once, and waits up to 15 seconds for the answer. It shows what was sent and what came back. The ' +
      'service cannot see whether the receiver verifies signatures.',
    access: 'clientOrEither',
    errors: [400, errors.webhookNotFound(), errors.webhookTestRunning()],
  }),
  input: zId,
  output: z.object({
    delivered: z.boolean().meta({ description: 'True for an answer with a status from 200 to 299.' }),
    sent: z.object({
      url: z.string(),
      headers: z.array(z.object({ name: z.string(), value: z.string() })),
      body: z.string(),
    }),
    status: z.int().optional().meta({ description: 'Absent if no answer came.' }),
    milliseconds: z.int(),
    answer: z.string().optional().meta({ description: 'The first 1,000 characters of the answer.' }),
    error: z.string().optional().meta({ description: 'Why the test failed.' }),
  }),
}

export const OUTCOMES = ['pending', 'delivered', 'failed', 'held'] as const

const zDelivery = z.object({
  id: z.string().meta({ description: 'The header `webhook-id` of each try.' }),
  type: z.enum(EVENT_TYPES),
  createdAt: z.iso.datetime().meta({ description: 'When the event occurred.' }),
  outcome: z.enum(OUTCOMES).meta({
    description:
      '`pending`: it will be tried. `delivered`: an answer 2xx came. `failed`: given up after ten tries. `held`: the webhook was not active.',
  }),
  tries: z.int(),
  triedAt: z.iso.datetime().optional(),
  status: z.int().optional().meta({ description: 'The status of the last answer.' }),
  milliseconds: z.int().optional().meta({ description: 'The duration of the last try.' }),
  answer: z.string().optional().meta({ description: 'The first 1,000 characters of the last answer.' }),
  error: z.string().optional().meta({ description: 'Why the last try failed.' }),
  data: z.looseObject({}).meta({ description: 'The stored `data` of the event: ids and states.' }),
})

export const listDeliveries = {
  meta: route('GET', '/api/v1/webhooks/{id}/deliveries', {
    tag: TAG,
    summary: 'List the deliveries of a webhook',
    description: 'Newest first. Deliveries are kept for 30 days.',
    access: 'clientOrEither',
    errors: [400, errors.webhookNotFound()],
  }),
  input: zId.extend({
    outcome: z.enum(OUTCOMES).optional().meta({ description: 'Only deliveries with this outcome.' }),
    ...listShape,
  }),
  output: zListed(zDelivery),
}

export const resendDelivery = {
  meta: route('POST', '/api/v1/webhooks/{id}/deliveries/{deliveryId}/resend', {
    tag: TAG,
    summary: 'Send a delivery again',
    description: 'The delivery has the same `webhook-id` as before, so that a receiver can recognise it.',
    access: 'clientOrEither',
    status: 202,
    errors: [
      400,
      errors.webhookNotFound(),
      errors.webhookDeliveryNotFound(),
      errors.webhookInactive(),
      errors.webhookDeliveryPending(),
    ],
  }),
  input: zId.extend({ deliveryId: z.string() }),
  output: z.object({ id: z.string(), outcome: z.literal('pending') }),
}

export const replayWebhook = {
  meta: route('POST', '/api/v1/webhooks/{id}/replay', {
    tag: TAG,
    summary: 'Send the events of a period again',
    description:
      'Sends all recorded events of the period, in the order of each session, with their former `webhook-id`. Events that still wait are ' +
      'left out. One request replays at most 10,000 events.',
    access: 'clientOrEither',
    idempotent: true,
    status: 202,
    requestExample: { from: '2026-03-01T00:00:00Z' },
    errors: [400, errors.webhookNotFound(), errors.webhookInactive()],
  }),
  input: zId.extend({
    from: zMoment.meta({ description: 'Only events of this time or later.' }),
    to: zMoment.optional().meta({ description: 'Only events before this time. Default: now.' }),
  }),
  output: z.object({ replayed: z.int().meta({ description: 'Number of events that are sent again.' }) }),
}
