import { type TrackedEnvelope, tracked } from '@trpc/server'
import type { RequestFacts } from '../api/context.js'
import { errors } from '../api/errors.js'
import type { SessionEvent } from '../events/store.js'
import type { Events } from '../events/stream.js'
import { type Beginner, beginnerOf } from './browser.js'
import type { PageTarget } from './store.js'

/** The content of a page's events. */
export interface ToldProgress<State extends string> {
  readonly state: State
  readonly message: string
}

/** How a kind of session is described to people. */
export interface Told<View, State extends string> {
  /** The session of a page; undefined for an unknown page. */
  readonly target: (pageId: string) => Promise<PageTarget | undefined>
  /** The current state of a session of this kind. */
  readonly latest: (sessionId: string) => Promise<SessionEvent | undefined>
  /**
   * Reduces a session's JSON to its progress for people. A part of the progress is only for the first browser of the
   * page.
   */
  readonly progress: (view: View, beginner: Beginner) => ToldProgress<State>
  /** The base URL of the pages. */
  readonly baseUrl: () => string
  readonly isFinal: (state: State) => boolean
}

/** Limit for the streams of one page. Everyone who knows the page's address may open streams. */
const MOST_STREAMS_OF_A_PAGE = 20

/**
 * A stream stays open for this time after its session expires, so that it reports the end. A stream that opens later
 * also stays open for this time. A phone's browser needs this: it sleeps while the wallet is open, and comes back after
 * the end.
 */
const LAST_WORD_MS = 60_000

/** Dependencies of {@link createWatchPage}. */
export interface WatchPagePorts {
  readonly events: Pick<Events, 'stream'>
  readonly clock: () => Date
}

/**
 * The events of a page: each state of its session as a sentence, until a final state. Readers are anonymous, so streams are counted by
 * page. Browsers other than the first browser of the page receive less.
 *
 * @throws 404 for an unknown page; 429 and 503 if too many streams are open
 */
export type WatchPage<State extends string> = (
  request: Pick<RequestFacts, 'method' | 'headers' | 'signal'>,
  pageId: string,
  lastEventId: string | undefined,
) => Promise<AsyncGenerator<TrackedEnvelope<ToldProgress<State>>, void, undefined>>

export const createWatchPage =
  <View, State extends string>(
    { events, clock }: WatchPagePorts,
    { target, latest, progress, baseUrl, isFinal }: Told<View, State>,
  ): WatchPage<State> =>
  async (request, pageId, lastEventId) => {
    const found = await target(pageId)
    if (found === undefined) throw errors.pageNotFound()
    const { sessionId, expiresAt, browserHash } = found
    const beginner = beginnerOf(request, browserHash, baseUrl())
    const until = Math.max(expiresAt.getTime(), clock().getTime()) + LAST_WORD_MS
    const stream = await events.stream<View>({
      sessionId,
      lastEventId,
      signal: request.signal,
      caller: { sub: `page ${pageId}`, expiresAt: until },
      most: MOST_STREAMS_OF_A_PAGE,
      current: async () => {
        const session = await latest(sessionId)
        if (session === undefined) throw errors.pageNotFound()
        return { seq: session.seq, data: session.data as View }
      },
    })
    return told(stream, (view) => progress(view, beginner), isFinal)
  }

async function* told<View, State extends string>(
  stream: AsyncGenerator<TrackedEnvelope<View>, void, undefined>,
  progress: (view: View) => ToldProgress<State>,
  isFinal: (state: State) => boolean,
): AsyncGenerator<TrackedEnvelope<ToldProgress<State>>, void, undefined> {
  for await (const [id, view] of stream) {
    const said = progress(view)
    yield tracked(id, said)
    if (isFinal(said.state)) return
  }
}
