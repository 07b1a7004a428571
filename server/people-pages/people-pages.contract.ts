import { z } from 'zod'
import { route, SMALL_BODY_BYTES } from '../api/contract.js'
import { errors } from '../api/errors.js'
import { zProtocolReply } from '../protocol/oauth/reply.js'

const TAG = 'Pages'
const MAX_TITLE = 120
const MAX_TEXT = 1_000
const TARGETS = ['verificationSessionId', 'credentialOfferSessionId', 'offeringId'] as const

export const createPage = {
  meta: route('POST', '/pages', {
    tag: TAG,
    summary: 'Create a share page for a request, an offer or an offering',
    description:
      'Allowed for the caller who made the request or offer, and for admins. For an offering, every caller who knows its id may create a page. ' +
      'The address of the page reveals nothing about the request or offer. A request has one page. An offer or offering has one page ' +
      'for each caller who creates a page. A repeated call returns the same page, with the new texts.',
    access: 'user',
    idempotent: true,
    status: 201,
    requestExample: {
      verificationSessionId: '4f6c1f0e-2d0f-4a5e-9a53-0a6d7c1f6b52',
      title: 'Prove your membership',
      text: 'Members pay less.',
    },
    errors: [
      400,
      errors.insufficientRole(),
      errors.pageTargetNotFound('verificationSessionId'),
      errors.pageTargetEnded('verificationSessionId'),
    ],
  }),
  input: z
    .strictObject({
      verificationSessionId: z.string().min(1).optional().meta({ description: 'The page is at `/present/{id}`.' }),
      credentialOfferSessionId: z.string().min(1).optional().meta({ description: 'The page is at `/receive/{id}`.' }),
      offeringId: z.string().min(1).optional().meta({ description: 'The page is at `/receive/{id}`.' }),
      title: z.string().trim().min(1).max(MAX_TITLE).optional().meta({ description: 'Replaces the heading.' }),
      text: z.string().trim().min(1).max(MAX_TEXT).optional().meta({ description: 'Text below the heading.' }),
    })
    .refine((input) => TARGETS.filter((target) => input[target] !== undefined).length === 1, {
      error: `must hold exactly one of ${TARGETS.join(', ')}`,
    }),
  output: z.object({ url: z.url() }),
}

const zPageId = z.object({ id: z.string() })

const forPeople = { tag: TAG, access: 'public', open: true, kind: 'page', produces: 'text/html' } as const

export const presentPage = {
  meta: route('GET', '/present/{id}', {
    ...forPeople,
    summary: 'The share page of an authorization request',
    description:
      'Shows the verifier, the requested credentials, a QR code, a link for wallets on this device, the time left and the progress. The ' +
      'page belongs to the first browser that opens it; a HEAD and a prefetch do not count. Other browsers do not see the outcome. The answer is a 410 ' +
      'after the request has expired.',
    errors: [404, 410],
  }),
  input: zPageId,
  output: zProtocolReply,
}

export const presentReturn = {
  meta: route('GET', '/present/{id}/return', {
    ...forPeople,
    summary: 'Come back from a wallet',
    description:
      'Wallets redirect the browser that opened them to this address. With the `response_code` that the wallet received, the first ' +
      'browser of the page is redirected to the `redirectUri` of the request, with this code. Any other browser gets a message that the result ' +
      'is withheld.',
    status: 303,
    errors: [403, 404],
  }),
  input: z.object({ id: z.string(), response_code: z.string().optional() }),
  output: zProtocolReply,
}

export const presentDecline = {
  meta: route('POST', '/present/{id}/decline', {
    ...forPeople,
    summary: 'Decline a request on its share page',
    description:
      'The form of the share page. Only the first browser of the page may decline: by its cookie, and by the token of its form. The session ' +
      'ends in Error, `Declined by the holder.` The browser continues at the `redirectUri` of the request with a `response_code`, or on the page. ' +
      'Any other browser gets a 403, and nothing changes. A 409 or 410 says that the request has ended before.',
    status: 303,
    form: true,
    maxBodyBytes: SMALL_BODY_BYTES,
    errors: [403, 404, 409, 410],
  }),
  input: z.object({ id: z.string(), token: z.string().optional() }),
  output: zProtocolReply,
}

export const receivePage = {
  meta: route('GET', '/receive/{id}', {
    ...forPeople,
    summary: 'The share page of a credential offer or an offering',
    description:
      'Shows the issuer, the offered credential, a QR code, a link for wallets on this device and the time left. For an offer to one ' +
      'wallet it also shows the progress. The page of such an offer belongs to the first browser that opens it before a wallet takes ' +
      'the offer. Other browsers do not see who took the offer and with what outcome. The answer is a 410 after the offer has ended.',
    errors: [404, 410],
  }),
  input: zPageId,
  output: zProtocolReply,
}

const zTold = z.object({
  state: z.string(),
  message: z.string().meta({ description: 'A sentence that can be shown to people.' }),
})

const eventsOf = (path: `/${string}`, of: string) => ({
  meta: route('GET', path, {
    tag: TAG,
    summary: `Server-Sent Events of the page of ${of}`,
    description:
      'Events named `session` contain only the state and a sentence for people: the current state at once, then every change until a final ' +
      'state. Browsers other than the first browser of the page receive `Ended` instead of the outcome. At most 20 streams for one page; ' +
      'they are counted for MAX_STREAMS too.',
    access: 'public',
    open: true,
    kind: 'events',
    produces: 'text/event-stream',
    event: zTold,
    errors: [400, errors.pageNotFound()],
  }),
  input: z.strictObject({ id: z.string(), lastEventId: z.string().optional() }),
})

export const presentEvents = eventsOf('/present/{id}/events', 'an authorization request')
export const receiveEvents = eventsOf('/receive/{id}/events', 'a credential offer')
