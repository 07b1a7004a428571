import autocannon from 'autocannon'
import type { Target } from '../targets/target.js'
import { cpuMs, residentMiB } from './process-usage.js'
import { percentile, type Sample } from './sample.js'

export interface RequestShape {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
}

/** The same request over and over on a number of connections, each sending the next one when it has its answer. */
export async function measureRequests(
  target: Target,
  { method, path, headers = {}, json }: RequestShape,
  connections: number,
  seconds: number,
): Promise<Sample> {
  const url = `${target.url}${path}`
  const sent = json === undefined ? {} : { body: JSON.stringify(json) }
  const allHeaders = { ...headers, ...(json === undefined ? {} : { 'content-type': 'application/json' }) }
  // Behind what the row before left unanswered, which would be counted here, and may leave no time for an answer.
  await (await fetch(url, { method, headers: allHeaders, ...sent })).arrayBuffer()
  const times: number[] = []
  const cpuBefore = cpuMs(target.pid)
  const started = performance.now()
  const run = autocannon({
    url,
    method,
    connections,
    duration: seconds,
    sampleInt: 20,
    headers: allHeaders,
    ...sent,
  })
  run.on('response', (_client, _status, _bytes, ms) => times.push(ms))
  const { errors, timeouts, non2xx } = await run
  const elapsed = performance.now() - started
  const cpu = cpuMs(target.pid) - cpuBefore
  if (errors + timeouts + non2xx > 0 || times.length === 0) {
    throw new Error(`${method} ${path}: ${non2xx} refusals, ${errors} errors, ${timeouts} timeouts of ${times.length}`)
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
