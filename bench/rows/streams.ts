import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { createCaller } from '../measure/caller.js'
import { type EventStream, openEventStream } from '../measure/event-stream.js'
import { cpuMs } from '../measure/process-usage.js'
import { percentile } from '../measure/sample.js'
import type { Target } from '../targets/target.js'
import type { World } from '../world.js'
import { QUERY } from './presentation-flows.js'

/** The cost of many open streams for a process, from one measurement. */
export interface StreamSample {
  /** Additional resident memory for one stream, in KiB. */
  readonly kibPerStream: number
  /** The part of `kibPerStream` that is in JavaScript's heap and buffers. */
  readonly heapKibPerStream: number
  /** The share of one processor that the process uses while the streams send only heartbeats. */
  readonly idleCpu: number
  /**
   * Milliseconds from the request that causes one event until the event has arrived on half of the streams.
   * `fanOutLast` is the time until it has arrived on all streams.
   */
  readonly fanOutP50: number
  readonly fanOutLast: number
}

/** The cost in each round. */
export interface StreamCost {
  readonly name: string
  readonly streams: number
  readonly samples: readonly StreamSample[]
}

/** One process whose streams are measured. */
interface Side {
  readonly name: string
  readonly target: Target
  /** Opens a stream, and resolves when its first event has arrived. */
  readonly open: (index: number) => Promise<EventStream>
  /** Opens one of the streams that all have the same subject. */
  readonly openShared: () => Promise<EventStream>
  /** Causes one event of the shared subject. The event contains the text `published`. */
  readonly publish: () => Promise<unknown>
  readonly published: string
}

const AT_ONCE = 100
/** Duration of the idle measurement, in seconds: two heartbeats and a little more. */
const IDLE_SECONDS = 31

async function openAll(count: number, open: (index: number) => Promise<EventStream>): Promise<EventStream[]> {
  const streams: EventStream[] = []
  while (streams.length < count) {
    const size = Math.min(AT_ONCE, count - streams.length)
    const from = streams.length
    streams.push(...(await Promise.all(Array.from({ length: size }, (_, index) => open(from + index)))))
  }
  return streams
}

function closeAll(streams: readonly EventStream[]): void {
  for (const stream of streams) stream.close()
}

const zMemory = z.object({ rss: z.number(), heapUsed: z.number(), external: z.number() })

async function memoryOf(target: Target) {
  const { rss, heapUsed, external } = zMemory.parse(await target.ask('memory'))
  return { resident: rss / 1024, heap: (heapUsed + external) / 1024 }
}

async function fanOut({ openShared, publish, published }: Side, count: number): Promise<number[]> {
  const streams = await openAll(count, openShared)
  const arrivals = Promise.all(streams.map((stream) => stream.arrival(published)))
  const caused = performance.now()
  await publish()
  const times = await arrivals
  closeAll(streams)
  return times.map((time) => time - caused)
}

async function measureSide(side: Side, count: number, idleSeconds: number): Promise<StreamSample> {
  const { target, open } = side
  // The first streams need more memory, because code is compiled and buffers grow once.
  closeAll(await openAll(Math.ceil(count / 10), open))
  await sleep(1_000)
  const before = await memoryOf(target)
  const streams = await openAll(count, open)
  const after = await memoryOf(target)
  const cpuBefore = cpuMs(target.pid)
  await sleep(idleSeconds * 1_000)
  const idleCpu = (cpuMs(target.pid) - cpuBefore) / (idleSeconds * 1_000)
  closeAll(streams)
  await sleep(1_000)
  const times = await fanOut(side, count)
  return {
    kibPerStream: (after.resident - before.resident) / count,
    heapKibPerStream: (after.heap - before.heap) / count,
    idleCpu,
    fanOutP50: percentile(times, 0.5),
    fanOutLast: Math.max(...times),
  }
}

async function opened(
  origin: string,
  path: string,
  headers: Record<string, string>,
  first: string,
): Promise<EventStream> {
  const stream = openEventStream(origin, path, headers)
  await stream.arrival(first)
  return stream
}

/** Makes the sessions to watch: one for each stream, and one that all streams watch. */
async function newSessions({ service, authorization }: World, count: number) {
  const caller = createCaller(service.url, 16)
  const make = async () => {
    const made = await caller.json('/authorization-requests', { headers: { authorization }, json: { query: QUERY } })
    return { id: String(made.verificationSessionId), requestPath: new URL(String(made.request_uri)).pathname }
  }
  const made: Awaited<ReturnType<typeof make>>[] = []
  while (made.length < count) made.push(...(await Promise.all(Array.from({ length: 16 }, make))))
  return { made, fetchRequest: (path: string) => caller.text(path), close: () => caller.close() }
}

/**
 * Measures one round: the streams of a bare Express route, and the streams of the service. Both processes are started
 * for this round, because memory from earlier work would hide the memory of the streams.
 */
async function measureRound(
  world: World,
  count: number,
  idleSeconds: number,
  backwards: boolean,
): Promise<Map<string, StreamSample>> {
  const { authorization } = world
  const sessions = await newSessions(world, count + 1)
  const [shared, ...own] = sessions.made
  if (shared === undefined) throw new Error('There is no session.')
  const service = await world.startFresh('service')
  const express = await world.startFresh('express')
  const watch = (id = '') =>
    opened(service.url, `/verification-sessions/${id}/events`, { authorization }, '"RequestCreated"')
  const listen = () => opened(express.url, '/events', {}, 'data: {}')
  const sides: Side[] = [
    {
      name: 'bare Express 5',
      target: express,
      open: listen,
      openShared: listen,
      publish: () => express.ask('publish'),
      published: 'data: {"published":true}',
    },
    {
      name: 'GET /verification-sessions/{id}/events',
      target: service,
      open: (index) => watch(own[index]?.id),
      openShared: () => watch(shared.id),
      publish: () => sessions.fetchRequest(shared.requestPath),
      published: '"RequestUriRetrieved"',
    },
  ]
  try {
    const samples = new Map<string, StreamSample>()
    for (const side of backwards ? sides.toReversed() : sides) {
      samples.set(side.name, await measureSide(side, count, idleSeconds))
    }
    return samples
  } finally {
    await sessions.close()
    await Promise.all([service.stop(), express.stop()])
  }
}

/** The maximum number of rounds. More rounds would change little, and each round takes two minutes. */
const MAX_ROUNDS = 3

/**
 * Measures thousands of open streams of the service and, in the same run, of a bare Express route. Every other round runs in reverse order.
 *
 * @param rounds number of rounds; three at most
 * @returns the costs, with bare Express first
 */
export async function measureStreams(
  world: World,
  count: number,
  rounds: number,
  quick: boolean,
): Promise<StreamCost[]> {
  const all: Map<string, StreamSample>[] = []
  for (let round = 1; round <= Math.min(rounds, MAX_ROUNDS); round += 1) {
    process.stdout.write(`open streams, round ${round}\n`)
    all.push(await measureRound(world, count, quick ? 2 : IDLE_SECONDS, round % 2 === 0))
  }
  const names = [...(all[0]?.keys() ?? [])]
  return names.map((name) => ({
    name,
    streams: count,
    samples: all.flatMap((samples) => samples.get(name) ?? []),
  }))
}
