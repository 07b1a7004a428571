import { acceptsType, prefersGzip, weightOf } from '../api/accept.js'
import type { RequestFacts } from '../api/context.js'
import { errors } from '../api/errors.js'
import { procedure, router } from '../api/trpc.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { STATUS_LIST_CWT_MEDIA_TYPE, TOKEN_STATUS_LIST_MEDIA_TYPE } from '../protocol/status-list/token-status-list.js'
import type { PublishedList } from './publication.js'
import {
  bitstringStatusList,
  statusListAggregation,
  suspensionStatusList,
  tokenStatusList,
} from './status-lists.contract.js'
import type { StatusLists } from './status-lists.js'

/** The reply with a list and caching headers; 304 if the caller already has the list (RFC 9110 §13.1.2). */
function replyWith(list: PublishedList | undefined, headers: RequestFacts['headers']): ProtocolReply {
  if (list === undefined) throw errors.statusListNotFound()
  const gzip = prefersGzip(headers['accept-encoding'])
  // RFC 9110 §8.8.3.3: the compressed list is a separate representation, so it has a separate ETag.
  const etag = gzip ? list.etag.replace(/"$/, '-gzip"') : list.etag
  const caching = {
    etag,
    'cache-control': list.cacheControl,
    vary: 'Accept, Accept-Encoding',
    // The header is sent even if the request has no `Origin`, because a shared cache stores one answer for browsers and
    // all other clients.
    'access-control-allow-origin': '*',
  }
  const known = (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (known.includes(etag) || known.includes('*')) return { status: 304, headers: caching }
  const typed = { ...caching, 'content-type': list.mediaType }
  if (!gzip) return { status: 200, headers: typed, body: list.body }
  return { status: 200, headers: { ...typed, 'content-encoding': 'gzip' }, body: list.gzipped }
}

/**
 * Token Status List §8.1: a CWT if `Accept` names CWT and prefers it, as verifiers of mobile documents do; otherwise a
 * JWT.
 */
function tokenFormOf(accept: string | undefined): 'token' | 'cwt' | undefined {
  const cwt = weightOf(accept ?? '', STATUS_LIST_CWT_MEDIA_TYPE)
  const jwt = weightOf(accept ?? '', TOKEN_STATUS_LIST_MEDIA_TYPE, 'application/*', '*/*')
  if (cwt > jwt) return 'cwt'
  return acceptsType(accept, TOKEN_STATUS_LIST_MEDIA_TYPE) ? 'token' : undefined
}

export const statusListsRouter = ({ publish, aggregation }: StatusLists) =>
  router({
    bitstring: procedure(bitstringStatusList).query(async ({ ctx: { request }, input }) =>
      replyWith(await publish('bitstring', input.id), request.headers),
    ),

    suspension: procedure(suspensionStatusList).query(async ({ ctx: { request }, input }) =>
      replyWith(await publish('suspension', input.id), request.headers),
    ),

    aggregation: procedure(statusListAggregation).query(async ({ ctx: { request } }) =>
      replyWith(await aggregation(), request.headers),
    ),

    token: procedure(tokenStatusList).query(async ({ ctx: { request }, input }) => {
      const form = tokenFormOf(request.headers.accept)
      if (form === undefined) throw errors.notAcceptable(TOKEN_STATUS_LIST_MEDIA_TYPE, STATUS_LIST_CWT_MEDIA_TYPE)
      // Token Status List §8.4
      if (input.time !== undefined) throw errors.historyNotKept()
      return replyWith(await publish(form, input.id), request.headers)
    }),
  })
