import pg from 'pg'
import { startTemporaryPostgres } from '../../scripts/postgres/temporary.js'
import { connectDatabase, UNHURRIED_MS } from '../../server/database/connect.js'
import { migrate } from '../../server/database/migrate.js'
import { withStartLock } from '../../server/database/start-lock.js'
import { argumentsOf } from '../arguments.js'
import { DURABLE } from '../database.js'
import { median } from '../measure/sample.js'
import { machine } from '../report/machine.js'
import { markdown } from '../report/markdown.js'
import { Report } from '../report/saved.js'
import { listFilling } from './fill.js'
import { insertCosts } from './inserts.js'
import { planReader } from './plans.js'
import { questions } from './questions.js'

const say = (line: string) => process.stdout.write(`${line}\n`)

/** How often each request is repeated. */
const TIMES = 15

const GOAL_MS = 100

/**
 * Runs `npm run bench:lists`: measures the time for the first page of each list, finds the indices that the page uses,
 * and measures the cost of these indices for inserts.
 */
export async function run(args: readonly string[]): Promise<void> {
  const values = argumentsOf(args, {
    rows: { type: 'string', default: '1000000' },
    save: { type: 'boolean', default: false },
  })
  const report = new Report()
  const rows = Number(values.rows)
  if (!(Number.isInteger(rows) && rows >= 10_000)) throw new Error('--rows must be a number of at least 10000.')
  const postgres = await startTemporaryPostgres({ ...DURABLE, shared_buffers: '512MB', max_wal_size: '4GB' })
  const client = new pg.Client({ connectionString: postgres.url })
  try {
    await withStartLock(postgres.url, (lock) => migrate(lock))
    await client.connect()
    for (const statement of listFilling(rows)) {
      const began = performance.now()
      await client.query(statement)
      say(`${statement.slice(0, 60).split('\n')[0]} … ${((performance.now() - began) / 1_000).toFixed(1)} s`)
    }
    await client.query('VACUUM')
    await client.query("SET session_replication_role = 'origin'")
    const { rows: ids } = await client.query<{ id: string }>("SELECT md5('credential' || 9)::uuid::text AS id")
    const database = connectDatabase(postgres.url, { waitMs: UNHURRIED_MS })
    const planOf = planReader(client)
    const table: string[][] = [['list', 'asked', 'found', 'first ms', 'median ms', 'worst ms', 'pages', 'read by']]
    let worst = 0
    for (const { list, asked, read, found } of questions(database, rows, ids[0]?.id.slice(0, 8) ?? '')) {
      const times: number[] = []
      while (times.length < TIMES) {
        const began = performance.now()
        await read()
        times.push(performance.now() - began)
      }
      const plan = await planOf(read)
      if (plan.found !== found) throw new Error(`${list} ${asked} found ${plan.found} and not ${found}.`)
      const by = [...new Set(plan.scans.map(({ name }) => name))].join(', ')
      worst = Math.max(worst, ...times)
      table.push([
        list,
        asked,
        String(found),
        ...[times[0] ?? 0, median(times), Math.max(...times)].map((ms) => ms.toFixed(1)),
        String(plan.pages),
        by,
      ])
    }
    await database.close()
    report.say(`\n${machine()}\n\n${rows.toLocaleString('en')} rows of everything\n\n${markdown(table, [0, 1, 7])}`)
    report.say(`\nThe slowest of all took ${worst.toFixed(1)} ms; goal: ${GOAL_MS} ms.\n`)
    await client.query("SET session_replication_role = 'replica'")
    await insertCosts(client, report.say)
    if (values.save) report.save('lists')
  } finally {
    await client.end()
    await postgres.remove()
  }
}
