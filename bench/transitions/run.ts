import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { z } from 'zod'
import { startTemporaryPostgres } from '../../scripts/postgres/temporary.js'
import type { Config } from '../../server/config/config.js'
import { connectDatabase, type Database, UNHURRIED_MS } from '../../server/database/connect.js'
import { migrate } from '../../server/database/migrate.js'
import { withStartLock } from '../../server/database/start-lock.js'
import { createEventStore } from '../../server/events/store.js'
import { createEvents } from '../../server/events/stream.js'
import { eventTransport } from '../../server/events/transports/configured.js'
import { createLog } from '../../server/log/log.js'
import { argumentsOf } from '../arguments.js'
import { DURABLE } from '../database.js'
import { cpuMs } from '../measure/process-usage.js'
import { median, percentile } from '../measure/sample.js'
import { machine } from '../report/machine.js'
import { markdown } from '../report/markdown.js'
import { Report } from '../report/saved.js'
import { startTarget } from '../targets/target.js'
import { commitRate, drive, makeSessions, notifyingTransition, transition } from './driver.js'

/**
 * Returns the events that the watcher has received since the last call: the session's number, the event's number, and
 * the time.
 */
const zCollected = z.object({ seen: z.array(z.number()) })

const say = (line: string) => process.stdout.write(`${line}\n`)

function readOptions(args: readonly string[]) {
  const values = argumentsOf(args, {
    rates: { type: 'string', default: '500,1000,2000,3000,5000' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    subscribers: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '32' },
    events: { type: 'string', default: 'postgres' },
    save: { type: 'boolean', default: false },
  })
  const number = (name: string, text: string): number => {
    if (!(Number(text) > 0)) throw new Error(`--${name} must be a number above 0.`)
    return Number(text)
  }
  const { events } = values
  if (events !== 'postgres' && events !== 'redis' && events !== 'nats')
    throw new Error('--events is postgres, redis or nats.')
  const url = events === 'redis' ? process.env.REDIS_URL : process.env.NATS_URL
  if (events !== 'postgres' && !url) throw new Error(`--events ${events} needs ${events.toUpperCase()}_URL.`)
  return {
    rates: values.rates.split(',').map((rate) => number('rates', rate)),
    seconds: number('seconds', values.seconds),
    rounds: number('rounds', values.rounds),
    subscribers: number('subscribers', values.subscribers),
    connections: number('connections', values.connections),
    events,
    url: url ?? '',
    save: values.save,
  } as const
}

/** Processor time of all backends of a database, in milliseconds, by process. */
async function backends(databaseUrl: string): Promise<Map<number, number>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
  await client.end()
  return new Map(rows.map(({ pid }) => [pid, cpuMs(pid)]))
}

/** CPU time of this process alone, without the processes that it has started (PostgreSQL and the readers). */
function ownCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** CPU time that the processes in `after` used since `before`. */
const spent = (before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>) =>
  [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? ms), 0)

async function commitRates(database: Database, sessions: readonly string[], options: ReturnType<typeof readOptions>) {
  const { connections, seconds, rounds } = options
  const rates = { notifying: [] as number[], after: [] as number[] }
  const run = { connections, seconds: seconds / 2 }
  for (let round = 0; round < rounds; round += 1) {
    rates.notifying.push(await commitRate((id) => notifyingTransition(database, id), sessions, run))
    rates.after.push(await commitRate((id) => transition(database, id), sessions, run))
  }
  return rates
}

/**
 * Runs `npm run bench:transitions`: runs the statements of transitions, and measures when the events reach readers in a
 * second process.
 */
export async function run(args: readonly string[]): Promise<void> {
  const options = readOptions(args)
  const server = await startTemporaryPostgres(DURABLE)
  const closing = [server.remove]
  try {
    await withStartLock(server.url, (lock) => migrate(lock))
    const database = connectDatabase(server.url, { max: options.connections, waitMs: UNHURRIED_MS })
    closing.push(database.close)
    const sessions = await makeSessions(database, options.subscribers)
    const log = createLog('silent')
    const key = randomBytes(32)
    const configured = {
      events: { transport: options.events, url: options.url },
      directDatabaseUrl: server.url,
    } as Config
    const events = createEvents({
      store: createEventStore(database),
      transport: await eventTransport(configured, log),
      key,
      log,
      clock: () => new Date(),
      limits: { perCaller: 0, process: 1 },
    })
    closing.push(events.close)
    const watch = {
      databaseUrl: server.url,
      transport: options.events,
      transportUrl: options.url,
      key: key.toString('base64url'),
      sessions,
    }
    const env = { WATCH: JSON.stringify(watch) }
    const watcher = await startTarget({ program: 'watcher.mjs', node: process.execPath, port: 0, env })
    closing.push(watcher.stop)
    const collect = async () => zCollected.parse(await watcher.ask('collect'))
    for (let seen = 0; seen < 3 * sessions.length; seen += (await collect()).seen.length) await sleep(200)

    const lines = [['asked/s', 'reached/s', 'p50 ms', 'p99 ms', 'CPU driver', 'CPU readers', 'CPU PostgreSQL']]
    await drive(database, sessions, events.announce, { perSecond: 1_000, seconds: 2 })
    await sleep(1_500)
    await collect()
    for (const perSecond of options.rates) {
      const rounds: Record<'reached' | 'p50' | 'p99' | 'driver' | 'readers' | 'backends', number>[] = []
      for (let round = 0; round < options.rounds; round += 1) {
        const before = { driver: ownCpuMs(), readers: cpuMs(watcher.pid), backends: await backends(server.url) }
        const driven = await drive(database, sessions, events.announce, { perSecond, seconds: options.seconds })
        // Readers poll once a second, so an event whose announcement was lost arrives within this time.
        await sleep(1_500)
        const { seen } = await collect()
        const times: number[] = []
        for (let at = 0; at < seen.length; at += 3) {
          const committed = driven.committed.get(`${seen[at]} ${seen[at + 1]}`)
          if (committed === undefined) throw new Error('An event came that nobody caused.')
          times.push((seen[at + 2] ?? Number.NaN) - committed)
        }
        if (times.length !== driven.committed.size)
          throw new Error(`Of ${driven.committed.size} events ${times.length} came.`)
        const share = (ms: number) => ms / (options.seconds * 1_000)
        rounds.push({
          reached: driven.perSecond,
          p50: percentile(times, 0.5),
          p99: percentile(times, 0.99),
          driver: share(ownCpuMs() - before.driver),
          readers: share(cpuMs(watcher.pid) - before.readers),
          backends: share(spent(before.backends, await backends(server.url))),
        })
      }
      const of = (name: 'reached' | 'p50' | 'p99' | 'driver' | 'readers' | 'backends', digits: number) => {
        const all = rounds.map((round) => round[name])
        return `${median(all).toFixed(digits)} (${Math.min(...all).toFixed(digits)}–${Math.max(...all).toFixed(digits)})`
      }
      lines.push([
        String(perSecond),
        of('reached', 0),
        of('p50', 1),
        of('p99', 1),
        of('driver', 2),
        of('readers', 2),
        of('backends', 2),
      ])
      say(`${perSecond} a second: done`)
    }
    const { notifying, after } = await commitRates(database, sessions, options)
    const report = new Report()
    report.say(`\n${machine()}; embedded PostgreSQL with fsync; events by ${options.events}.`)
    report.say(
      `${options.subscribers} sessions, each with a reader at a second process. Medians of ${options.rounds} rounds of ${options.seconds} s, with the least and the most.\n`,
    )
    report.say(markdown(lines, []))
    const ratios = after.map((rate, round) => rate / (notifying[round] ?? Number.NaN))
    report.say(
      `\n${options.connections} connections, as many as they can: ${median(after).toFixed(0)} transitions/s; with pg_notify in the transition ${median(notifying).toFixed(0)}` +
        ` (ratio ${median(ratios).toFixed(2)}, ${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}).`,
    )
    if (options.save) report.save(`transitions-${options.events}`)
  } finally {
    for (const close of closing.reverse()) await close()
  }
}
