import { z } from 'zod'
import { route } from '../api/contract.js'
import { errors } from '../api/errors.js'
import { zProtocolReply } from '../protocol/oauth/reply.js'
import { STATUS_LIST_CWT_MEDIA_TYPE, TOKEN_STATUS_LIST_MEDIA_TYPE } from '../protocol/status-list/token-status-list.js'

const input = z.object({ id: z.string() })

/** W3C Bitstring Status List v1.0, with the purpose `revocation`. */
export const bitstringStatusList = {
  meta: route('GET', '/status-lists/{id}', {
    tag: 'Status',
    summary: 'Bitstring status list credential',
    description:
      'A Bitstring Status List credential as a JWT (W3C Bitstring Status List v1.0). `credentialStatus` of a ' +
      'JWT VC names it. Caches may store it for the time in Cache-Control. A repeated request with the ETag is answered with a short 304 if nothing has changed.',
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    produces: 'application/vc+jwt',
    notModified: true,
    envelope: true,
    errors: [errors.statusListNotFound()],
  }),
  input,
  output: zProtocolReply,
}

/** The list of the same indices with the purpose `suspension`. */
export const suspensionStatusList = {
  ...bitstringStatusList,
  meta: route('GET', '/status-lists/{id}/suspension', {
    tag: 'Status',
    summary: 'Bitstring status list credential of suspensions',
    description:
      'The suspended credentials of a list, with the same indices. The second entry in `credentialStatus` of a JWT VC names it. A list of ' +
      'credentials that cannot be suspended has none.',
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    produces: 'application/vc+jwt',
    notModified: true,
    envelope: true,
    errors: [errors.statusListNotFound()],
  }),
}

/** The highest number of addresses in a Status List Aggregation. They stand for more than a billion credentials. */
export const MOST_AGGREGATED = 10_000

/** Status List Aggregation (Token Status List §9.3). */
export const statusListAggregation = {
  meta: route('GET', '/token-status-lists', {
    tag: 'Status',
    summary: 'Addresses of all token status lists',
    description:
      'The Status List Aggregation (Token Status List §9), for verifiers that fetch all lists in advance. The newest list is the ' +
      `first. At most ${MOST_AGGREGATED.toLocaleString('en')} lists are named. Caches may store the answer for the time in Cache-Control.`,
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    notModified: true,
    envelope: true,
    reply: z.object({ status_lists: z.array(z.string()) }),
  }),
  input: z.object({}),
  output: zProtocolReply,
}

/** Token Status List (draft-ietf-oauth-status-list). */
export const tokenStatusList = {
  meta: route('GET', '/token-status-lists/{id}', {
    tag: 'Status',
    summary: 'Token status list',
    description:
      'The status list for SD-JWT VCs and mobile documents (Token Status List), as a JWT, or as a CWT if `Accept` prefers ' +
      'CWT. It has the same entries as the Bitstring Status List with the same id. Caches may store it for the time in Cache-Control. A repeated request with the ETag is answered with a short 304 if nothing has changed.',
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    produces: 'application/statuslist+jwt',
    alsoProduces: ['application/statuslist+cwt'],
    notModified: true,
    envelope: true,
    errors: [
      errors.statusListNotFound(),
      errors.notAcceptable(TOKEN_STATUS_LIST_MEDIA_TYPE, STATUS_LIST_CWT_MEDIA_TYPE),
      errors.historyNotKept(),
    ],
  }),
  /** `time` (§8.4) requests the list of an earlier time. This service does not store earlier lists. */
  input: input.extend({ time: z.string().optional() }),
  output: zProtocolReply,
}
