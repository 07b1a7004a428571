import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { freePort } from '../../scripts/postgres/free-port.js'
import { argumentsOf } from '../arguments.js'
import { inTurn } from '../measure/actors.js'
import { type Caller, createCaller } from '../measure/caller.js'
import { cpuMs } from '../measure/process-usage.js'
import { median, percentile } from '../measure/sample.js'
import { readOptions as readBenchOptions } from '../options.js'
import { machine } from '../report/machine.js'
import { markdown } from '../report/markdown.js'
import { Report } from '../report/saved.js'
import { type PresentingSide, presented } from '../rows/compared/presenting.js'
import { distOf, ownPresenting } from '../rows/compared/rows.js'
import { startTarget, type Target } from '../targets/target.js'
import type { HeldCredential } from '../wallet/answer.js'
import { foreignIssuers } from '../wallet/foreign-issuers.js'
import { createWorld, type Installation, type World } from '../world.js'

const HELD = 16
/** created, retrieved, completed */
const EVENTS_OF_A_SESSION = 3
const SETTINGS = { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' }

const zCollected = z.object({ delays: z.array(z.number()) })

const say = (line: string) => process.stdout.write(`${line}\n`)

function readOptions(args: readonly string[]) {
  const values = argumentsOf(args, {
    rate: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '5' },
    against: { type: 'string' },
    save: { type: 'boolean', default: false },
  })
  const number = (name: string, text: string): number => {
    if (!(Number(text) > 0)) throw new Error(`--${name} must be a number above 0.`)
    return Number(text)
  }
  return {
    rate: number('rate', values.rate),
    seconds: number('seconds', values.seconds),
    rounds: number('rounds', values.rounds),
    against: values.against,
    save: values.save,
  }
}

/** An installation whose presentations are measured. */
interface Measured {
  readonly name: string
  readonly service: Target
  readonly side: PresentingSide
  /** The receiver of its webhook. */
  readonly receiver?: Target
}

async function startReceiver(closing: (() => Promise<void>)[], status: number): Promise<Target> {
  const env = { STATUS: String(status) }
  const receiver = await startTarget({ program: 'receiver.mjs', node: process.execPath, port: await freePort(), env })
  closing.push(receiver.stop)
  return receiver
}

async function measuredWith(name: string, installation: Installation, receiver?: Target): Promise<Measured> {
  if (receiver !== undefined) await installation.credence.webhooks.create.mutate({ url: receiver.url, events: ['*'] })
  const side = { name, ...ownPresenting(installation) }
  return { name, service: installation.service, side, ...(receiver && { receiver }) }
}

/**
 * Begins presentations at a rate, for a number of seconds, whether or not earlier presentations have ended.
 *
 * @returns the CPU time of the service for one presentation, in milliseconds
 */
async function presentedAt(
  { service, side }: Measured,
  caller: Caller,
  held: readonly HeldCredential[],
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
): Promise<number> {
  const count = Math.round(rate * seconds)
  const before = cpuMs(service.pid)
  const begun = performance.now()
  const running: Promise<void>[] = []
  for (let number = 0; number < count; number += 1) {
    const due = begun + (number * 1_000) / rate
    if (due > performance.now()) await sleep(due - performance.now())
    running.push(presented(caller, side, inTurn(held, number)))
  }
  await Promise.all(running)
  return (cpuMs(service.pid) - before) / count
}

/** Waits until the receiver has as many events as there were transitions. @returns their delays in milliseconds */
async function delaysOf(receiver: Target, events: number): Promise<readonly number[]> {
  const all: number[] = []
  for (let turn = 0; turn < 100 && all.length < events; turn += 1) {
    await sleep(200)
    all.push(...zCollected.parse(await receiver.ask('collect')).delays)
  }
  if (all.length !== events) throw new Error(`Of ${events} events ${all.length} came.`)
  return all
}

/** The installations: without a webhook, with a receiver, with a dead receiver, and without a webhook of another build. */
async function installations(
  world: World,
  env: Readonly<Record<string, string>>,
  against: string | undefined,
  closing: (() => Promise<void>)[],
): Promise<readonly [Measured, ...Measured[]]> {
  const start = () => world.startInstallation({ ...env, ...SETTINGS })
  const none = await measuredWith('no webhook', await start())
  const all: Measured[] = [
    await measuredWith('a receiver', await start(), await startReceiver(closing, 204)),
    await measuredWith('a dead receiver', await start(), await startReceiver(closing, 500)),
  ]
  if (against !== undefined) {
    const other = await world.startInstallation({ ...env, ...SETTINGS, BENCH_DIST: distOf(against) })
    all.push(await measuredWith(`the build of ${against}`, other))
  }
  return [none, ...all]
}

/**
 * Runs `npm run bench:webhooks`: begins presentations at a rate. It compares the CPU time of services with and without a
 * webhook, and measures the time from each transition to the first try of its event.
 */
export async function run(args: readonly string[]): Promise<void> {
  const options = readOptions(args)
  const world = await createWorld(readBenchOptions([]))
  const issuers = foreignIssuers()
  const closing: (() => Promise<void>)[] = []
  try {
    const all = await installations(world, issuers.env, options.against, closing)
    const held = Array.from({ length: HELD }, issuers.named)
    const callers = new Map(all.map((each) => [each, createCaller(each.service.url, 32)]))
    closing.push(async () => {
      for (const caller of callers.values()) await caller.close()
    })
    const measure = (each: Measured) => presentedAt(each, callers.get(each) ?? createCaller('', 1), held, options)
    const cpu = new Map(all.map((each) => [each, [] as number[]]))
    const delays: (readonly number[])[] = []
    const events = Math.round(options.rate * options.seconds) * EVENTS_OF_A_SESSION
    for (let round = -1; round < options.rounds; round += 1) {
      say(round < 0 ? 'warming up' : `round ${round + 1} of ${options.rounds}`)
      for (const each of round % 2 === 0 ? all : all.toReversed()) {
        const spent = await measure(each)
        const arrived = each.name === 'a receiver' && each.receiver ? await delaysOf(each.receiver, events) : undefined
        if (round < 0) continue
        cpu.get(each)?.push(spent)
        if (arrived !== undefined) delays.push(arrived)
      }
    }
    const [none] = all
    const ratios = (each: Measured) =>
      (cpu.get(each) ?? []).map((spent, round) => spent / (cpu.get(none)?.[round] ?? Number.NaN))
    const report = new Report()
    report.say(`\n${machine()}. Node ${world.nodeVersion}, ${world.postgres.description}.`)
    report.say(
      `${options.rate} presentations are begun each second. Medians of ${options.rounds} rounds of ${options.seconds} s, interleaved.\n`,
    )
    const lines = all.map((each) => [
      each.name,
      median(cpu.get(each) ?? []).toFixed(2),
      median(ratios(each)).toFixed(3),
      `${Math.min(...ratios(each)).toFixed(3)}–${Math.max(...ratios(each)).toFixed(3)}`,
    ])
    report.say(markdown([['service', 'CPU ms', 'ratio', 'range'], ...lines], [0]))
    const of = (share: number) => delays.map((round) => percentile(round, share))
    const range = (values: readonly number[]) =>
      `${median(values).toFixed(0)} ms (${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)})`
    report.say(`\nFrom the transition to the first try: p50 ${range(of(0.5))}, p99 ${range(of(0.99))}.`)
    if (options.save) report.save('webhooks')
  } finally {
    for (const close of closing.reverse()) await close()
    issuers.remove()
    await world.close()
  }
}
