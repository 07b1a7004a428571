import type { Request, Response } from 'express'
import type { Download } from '../api/contract.js'
import type { Failures } from './failure.js'

/** A client that reads nothing for this long is disconnected, so that it does not occupy a place. */
const STALLED_MS = 60_000

/** The ports of {@link sendDownload}. */
export interface DownloadPorts {
  readonly failures: Pick<Failures, 'logged'>
  /** Milliseconds; 60,000 unless given. */
  readonly stalledMs?: number
}

/**
 * Sends a file while it is made. The next part is made after the client has read the last one, so that no buffer grows for a slow
 * reader. If a part cannot be made, the connection is destroyed. The last chunk is then missing, so that the client sees an
 * incomplete file (RFC 9112 §8). A client that disconnects stops the making. HEAD gets only the head.
 */
export async function sendDownload(
  request: Request,
  response: Response,
  { failures, stalledMs = STALLED_MS }: DownloadPorts,
  { mediaType, fileName, parts, close }: Download,
): Promise<void> {
  try {
    response.writeHead(200, {
      'content-type': mediaType,
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // Without this header nginx writes a long answer into a temporary file.
      'x-accel-buffering': 'no',
    })
    if (request.method !== 'HEAD') await sendParts(response, parts, stalledMs)
  } catch (thrown) {
    failures.logged(thrown, 500, request, response)
    response.destroy()
  }
  try {
    // Closed before the end, so that a client that has received the whole file finds its end recorded.
    await close()
    response.end()
  } catch (thrown) {
    failures.logged(thrown, 500, request, response)
    response.destroy()
  }
}

async function sendParts(response: Response, parts: Download['parts'], stalledMs: number): Promise<void> {
  while (!response.destroyed) {
    const { value, done } = await parts.next()
    if (done === true) return
    if (!response.destroyed && !response.write(value)) await drained(response, stalledMs)
  }
}

/** Waits until the client has read what was sent, or is gone. */
function drained(response: Response, stalledMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), stalledMs)
    const done = () => {
      clearTimeout(timer)
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
    // If the client disconnected before, its close event has already passed.
    if (response.destroyed) done()
  })
}
