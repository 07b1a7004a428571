import { type TrackedEnvelope, tracked } from '@trpc/server'
import type { RequestFacts } from '../api/context.js'
import { errors } from '../api/errors.js'
import type { SessionEvent } from '../events/store.js'
import type { Events } from '../events/stream.js'
import { type Beginner, beginnerOf } from './browser.js'
import type { PageTarget } from './store.js'

/** What the events of a page say. */
export interface ToldProgress<State extends string> {
  readonly state: State
  readonly message: string
}

/** How a kind of session is told to people. */
export interface Told<View, State extends string> {
  /** The session of a page; undefined for an unknown page. */
  readonly target: (pageId: string) => Promise<PageTarget | undefined>
  /** A session of that kind as it is. */
  readonly latest: (sessionId: string) => Promise<SessionEvent | undefined>
  /** What of its JSON people are told; some of it the browser alone that began. */
  readonly progress: (view: View, beginner: Beginner) => ToldProgress<State>
  /** The base URL of its pages. */
  readonly baseUrl: () => string
  readonly isFinal: (state: State) => boolean
}

/** Streams of one page: anybody who has its address may open some. */
const MOST_STREAMS_OF_A_PAGE = 20

/**
 * A stream outlives its session by this, so that it tells how the session ended. A stream that is opened later lasts as long: a
 * phone's browser sleeps while the wallet is open, and comes again when all is over.
 */
const LAST_WORD_MS = 60_000

/** What {@link createWatchPage} is made of. */
export interface WatchPagePorts {
  readonly events: Pick<Events, 'stream'>
  readonly clock: () => Date
}

/**
 * The events of a page: each state of its session as a sentence, until there is none after it. Nobody proves who they are, so
 * they are counted by page. A browser that did not begin is told less.
 *
 * @throws 404 for an unknown page; 429 and 503 where too many streams are open
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
