import { type TrackedEnvelope, tracked } from '@trpc/server'
import type { RequestFacts } from '../api/context.js'
import { errors } from '../api/errors.js'
import type { SessionEvent } from '../events/store.js'
import type { Events } from '../events/stream.js'
import { type Speech, speechFor } from '../pages/speech.js'
import { type Beginner, beginnerOf } from './browser.js'
import type { PageTarget } from './store.js'

/** The content of an event of a page. */
export interface ToldProgress<State extends string> {
  readonly state: State
  readonly message: string
}

/** The functions that describe a kind of session (request or offer) to people. */
export interface Told<View, State extends string> {
  /** The session of a page; undefined for an unknown page. */
  readonly target: (pageId: string) => Promise<PageTarget | undefined>
  /** The current state of a session of this kind. */
  readonly latest: (sessionId: string) => Promise<SessionEvent | undefined>
  /**
   * Converts a session to the progress that people may see. Only the first browser of the page sees the whole progress.
   */
  readonly progress: (view: View, beginner: Beginner, speech: Speech) => ToldProgress<State>
  /** The base URL of the pages. */
  readonly baseUrl: () => string
  readonly isFinal: (state: State) => boolean
}

/** Limit for the streams of one page. Everyone who knows the page's address may open streams. */
const MOST_STREAMS_OF_A_PAGE = 20

/**
 * A stream stays open for this time after its session has expired, so that it reports the end. A stream that is opened
 * after the end also stays open for this time. The browser of a phone needs this: it is suspended while the wallet is
 * open, and opens a new stream after the end.
 */
const LAST_WORD_MS = 60_000

/** Dependencies of {@link createWatchPage}. */
export interface WatchPagePorts {
  readonly events: Pick<Events, 'stream'>
  readonly clock: () => Date
}

/**
 * Streams the events of a page: each state of the session as a sentence, until a final state. Streams are counted for
 * each page, because the readers are anonymous. Browsers other than the first browser of the page receive less
 * information.
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
    const speech = speechFor(request, baseUrl())
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
    return told(stream, (view) => progress(view, beginner, speech), isFinal)
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
