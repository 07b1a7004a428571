import type { Request, Response } from 'express'
import { StreamEnd } from '../api/errors.js'
import type { Pings } from '../events/pings.js'
import type { Failures } from './failure.js'

type StreamedEvent = readonly [id: string, data: unknown, ...rest: unknown[]]

/** The events of a subscription. */
export type StreamedEvents = AsyncIterable<StreamedEvent>

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  connection: 'keep-alive',
  // Without this header, nginx sends no events until its buffer is full.
  'x-accel-buffering': 'no',
}

/** The ports of {@link sendEventStream}. */
export interface StreamPorts {
  readonly pings: Pick<Pings, 'add'>
  readonly failures: Pick<Failures, 'logged'>
}

/**
 * Sends a stream as Server-Sent Events (HTML §9.2). Each event has its id, the stream's event name and its data as
 * JSON. Every 15 seconds the stream has a `ping` event with the data `keepalive`. The next event is requested after the
 * client has read the previous event, so that no buffer grows for a slow client. A client that reads nothing between
 * two pings is disconnected. The response ends when the stream ends. A HEAD request gets only status and headers.
 */
export async function sendEventStream(
  request: Request,
  response: Response,
  { pings, failures }: StreamPorts,
  stream: StreamedEvents,
  name: string,
): Promise<void> {
  const events = stream[Symbol.asyncIterator]()
  try {
    if (request.method === 'HEAD') {
      response.writeHead(200, HEADERS).end()
      // The generator is started first, since a generator that was never started does not run its cleanup.
      await events.next()
      await events.return?.()
      return
    }
    begin(response, pings)
    while (await sendNext(events, response, name));
    response.end()
  } catch (thrown) {
    // The connection stays open, so that the client can send its next request on it. A stopping process closes it.
    if (thrown instanceof StreamEnd) response.end()
    else {
      failures.logged(thrown, 500, request, response)
      response.destroy()
    }
  }
}

/** Sends status and headers, and starts the pings that keep the connection alive. */
function begin(response: Response, pings: Pick<Pings, 'add'>): void {
  // The headers are flushed before the first event, so that they are stored as one string. Written together with the
  // first event, they would occupy about seventy pieces of memory until the stream ends. The socket is corked, so that
  // headers and first event are still sent in one packet. The response itself cannot be corked: if a corked response
  // ends immediately, Node 22 and 24 send its last chunk before its events.
  const { socket } = response
  socket?.cork()
  response.writeHead(200, HEADERS).flushHeaders()
  setImmediate(() => socket?.uncork())
  // If the client disconnected before, the close event that would end the pings has already happened.
  if (!response.destroyed) pings.add(response)
}

/**
 * Sends the next event. It is a separate function, so that the previous event is not kept in memory while the stream
 * waits for the next event, often for minutes.
 *
 * @returns false if the stream has ended, or the client has disconnected.
 */
async function sendNext(events: AsyncIterator<StreamedEvent>, response: Response, name: string): Promise<boolean> {
  const { value, done } = await events.next()
  if (done === true) return false
  if (response.destroyed) {
    await events.return?.()
    return false
  }
  const [id, data] = value
  if (!response.write(`id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`)) await drained(response)
  return true
}

function drained(response: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}
