import autocannon from 'autocannon'
import type { Target } from '../targets/target.js'
import { cpuMs, residentMiB } from './process-usage.js'
import { percentile, type Sample } from './sample.js'

export interface RequestShape {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** A text that every correct answer contains. Set it if a status of 200 does not prove that the work was done. */
  readonly says?: string
}

/** The longest wait for an answer, in seconds, so that slow answers are measured too. */
const PATIENCE_SECONDS = 60

/**
 * Sends one request and resolves after its answer. The service answers this request after it has answered the remaining
 * requests of the previous row.
 */
async function ready(url: string, init: RequestInit, says: string): Promise<void> {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_SECONDS * 1000) })
  const text = await answer.text()
  if (!answer.ok || !text.includes(says)) throw new Error(`${init.method} ${url}: ${answer.status} ${text}`)
}

/**
 * Repeats a request on a number of connections. Each connection sends its next request after the answer to its previous
 * request. If no answer arrives within `seconds`, the row is measured again for twice as long.
 */
export async function measureRequests(
  target: Target,
  shape: RequestShape,
  connections: number,
  seconds: number,
): Promise<Sample> {
  const { method, path, headers = {}, json, says = '' } = shape
  const request = {
    method,
    headers: { ...headers, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  }
  const url = `${target.url}${path}`
  await ready(url, request, says)
  const times: number[] = []
  const cpuBefore = cpuMs(target.pid)
  const started = performance.now()
  const run = autocannon({
    ...request,
    url,
    connections,
    duration: seconds,
    timeout: PATIENCE_SECONDS,
    sampleInt: 20,
    verifyBody: (text) => text.includes(says),
  })
  run.on('response', (_client, _status, _bytes, ms) => times.push(ms))
  const { errors, timeouts, non2xx, mismatches } = await run
  const elapsed = performance.now() - started
  const cpu = cpuMs(target.pid) - cpuBefore
  if (errors + timeouts + non2xx + mismatches > 0) {
    const failures = `${non2xx} refusals, ${mismatches} other answers, ${errors} errors, ${timeouts} timeouts`
    throw new Error(`${method} ${path}: ${failures} of ${times.length}`)
  }
  if (times.length === 0) {
    if (seconds > PATIENCE_SECONDS) throw new Error(`${method} ${path}: no answer in ${seconds} seconds`)
    return measureRequests(target, shape, connections, Math.max(seconds * 2, 1))
  }
  return {
    operations: times.length,
    perSecond: times.length / (elapsed / 1000),
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    cpuMs: cpu / times.length,
    residentMiB: residentMiB(target.pid),
  }
}
