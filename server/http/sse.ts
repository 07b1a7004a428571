import type { Request, Response } from 'express'
import { StreamEnd } from '../api/errors.js'
import type { Pings } from '../events/pings.js'
import type { Failures } from './failure.js'

type StreamedEvent = readonly [id: string, data: unknown, ...rest: unknown[]]

/** What a subscription gives. */
export type StreamedEvents = AsyncIterable<StreamedEvent>

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  connection: 'keep-alive',
  // nginx would otherwise hold events back until its buffer is full.
  'x-accel-buffering': 'no',
}

/** What {@link sendEventStream} needs beside the stream. */
export interface StreamPorts {
  readonly pings: Pick<Pings, 'add'>
  readonly failures: Pick<Failures, 'logged'>
}

/**
 * Sends a stream as Server-Sent Events (HTML §9.2), each with its id, the stream's name for events and its data as JSON; every 15 seconds a `ping` with data `keepalive`. The next event is asked for when the client
 * has taken the last one, so that a slow reader is not buffered for; one that takes nothing between two pings is dropped.
 * The response ends when the stream does. HEAD gets the head alone.
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
      // A generator that was never started does not run its cleanup.
      await events.next()
      await events.return?.()
      return
    }
    begin(response, pings)
    while (await sendNext(events, response, name));
    response.end()
  } catch (thrown) {
    // The connection stays: a client that has seen the end may send its next request on it at once. A process that stops closes it.
    if (thrown instanceof StreamEnd) response.end()
    else {
      failures.logged(thrown, 500, request, response)
      response.destroy()
    }
  }
}

/** Sends the head, and keeps the connection alive from then on. */
function begin(response: Response, pings: Pick<Pings, 'add'>): void {
  // Flushed alone, the head becomes one text; written with the first event, it stays some seventy pieces of memory as long as the
  // stream is open. The socket holds both back, so that they leave in one packet. A corked response would not do: Node 22 and 24
  // send the last chunk of such a response before its events if it ends at once.
  const { socket } = response
  socket?.cork()
  response.writeHead(200, HEADERS).flushHeaders()
  setImmediate(() => socket?.uncork())
  // The close event of a client that left before the first event has already passed.
  if (!response.destroyed) pings.add(response)
}

/**
 * Sends the next event. A call of its own, so that a stream that waits, for minutes mostly, does not keep the event
 * before in memory.
 *
 * @returns false where the stream has ended, or the client has gone.
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
