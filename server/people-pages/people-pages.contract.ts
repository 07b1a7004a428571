import { z } from 'zod'
import { route } from '../api/contract.js'
import { errors } from '../api/errors.js'
import { zProtocolReply } from '../protocol/oauth/reply.js'

const TAG = 'Pages'
const MAX_TITLE = 120
const MAX_TEXT = 1_000
const TARGETS = ['verificationSessionId', 'credentialOfferSessionId', 'offeringId'] as const

export const createPage = {
  meta: route('POST', '/pages', {
    tag: TAG,
    summary: 'Make a page to which a person is sent, to present or to receive',
    description:
      'For whoever made its target, and admins; of an offering, for whoever knows its id. The address says nothing of the target. A ' +
      'request has one page, an offer or offering one for each who makes one: asked for again, it is the same one, with the new texts.',
    access: 'user',
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
      title: z.string().trim().min(1).max(MAX_TITLE).optional().meta({ description: 'In the place of the heading.' }),
      text: z.string().trim().min(1).max(MAX_TEXT).optional().meta({ description: 'Beneath the heading.' }),
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
    summary: 'The page of an authorization request',
    description:
      'Who asks and for what, a QR code, a link for wallets on this device, the time left and how it goes. The first browser that opens ' +
      'it is the one that began; a HEAD and a browser that fetches ahead are none. Another one is not told how it ended. 410 once the ' +
      'time has run out.',
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
      'Where wallets send the browser that they were opened from. With the code that the wallet was given, the browser that began is sent ' +
      'on to the request’s `redirectUri`, the code with it; any other is told that the result is withheld.',
    status: 303,
    errors: [403, 404],
  }),
  input: z.object({ id: z.string(), response_code: z.string().optional() }),
  output: zProtocolReply,
}

export const receivePage = {
  meta: route('GET', '/receive/{id}', {
    ...forPeople,
    summary: 'The page of a credential offer or an offering',
    description:
      'What is offered and by whom, a QR code, a link for wallets on this device, the time left and, of an offer for one wallet, how it ' +
      'goes. The first browser that opens the page of such an offer, before a wallet takes it, is the one that began. Any other learns ' +
      'nothing of who took it and what came of it. 410 once it can no longer be taken.',
    errors: [404, 410],
  }),
  input: zPageId,
  output: zProtocolReply,
}

const zTold = z.object({ state: z.string(), message: z.string().meta({ description: 'A sentence for people.' }) })

const eventsOf = (path: `/${string}`, of: string) => ({
  meta: route('GET', path, {
    tag: TAG,
    summary: `Server-Sent Events of the page of ${of}`,
    description:
      'Events named `session` hold the state and a sentence for people, and nothing else: at once, and with every change until the ' +
      'last. A browser that did not begin is told `Ended` in the place of how it ended. At most 20 streams of one page; they count for MAX_STREAMS.',
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
