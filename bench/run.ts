import type { Sample } from './measure/sample.js'
import { type BenchOptions, readOptions } from './options.js'
import { machine } from './report/machine.js'
import { goalTableOf, streamTableOf, tableOf } from './report/tables.js'
import { certifiedPresentationRows } from './rows/certified-presentations.js'
import { cryptographyRows } from './rows/cryptography.js'
import { SCHEMA } from './rows/fixture.js'
import { baseOf } from './rows/goal.js'
import { haipFlowRow } from './rows/haip-flow.js'
import { issuanceFlowRows } from './rows/issuance-flows.js'
import { presentationFlowRows } from './rows/presentation-flows.js'
import type { Row } from './rows/row.js'
import { singleRequestRows } from './rows/single-requests.js'
import { measureStreams } from './rows/streams.js'
import { createWorld, type World } from './world.js'

const say = (line: string) => process.stdout.write(`${line}\n`)

async function rowsOf(world: World, { only }: BenchOptions): Promise<Row[]> {
  await world.credence.schemas.create.mutate(SCHEMA)
  const rows = [
    ...(await singleRequestRows(world)),
    ...cryptographyRows(world),
    ...(await issuanceFlowRows(world)),
    await haipFlowRow(world),
    ...(await presentationFlowRows(world)),
    ...(await certifiedPresentationRows(world)),
  ]
  const wanted = rows.filter(({ name }) => name.toLowerCase().includes(only))
  if (wanted.length === 0) throw new Error(`No row has ${only} in its name.`)
  // A comparison needs both its sides.
  const bases = new Set(wanted.flatMap(({ goals = [] }) => goals.map(baseOf)))
  return rows.filter((row) => wanted.includes(row) || bases.has(row.name))
}

/** Rounds, each of which measures every row once: what disturbs the machine for a while disturbs all rows alike. */
async function measure(rows: readonly Row[], options: BenchOptions): Promise<Map<Row, Sample[]>> {
  for (const row of rows) await row.measure(options.warmUpSeconds)
  const measured = new Map<Row, Sample[]>(rows.map((row) => [row, []]))
  for (let round = 1; round <= options.rounds; round += 1) {
    say(`round ${round} of ${options.rounds}`)
    // Every other round runs backwards, so that no row always follows the same one.
    for (const row of round % 2 === 1 ? rows : rows.toReversed()) {
      measured.get(row)?.push(await row.measure(options.seconds))
    }
  }
  return measured
}

/** `npm run bench`: measures the built service beside its yardsticks and prints one table. */
export async function run(args: readonly string[]): Promise<void> {
  const options = readOptions(args)
  const world = await createWorld(options)
  const stop = () => void world.close().finally(() => process.exit(1))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    const rows = await rowsOf(world, options)
    const measured = await measure(rows, options)
    const streams = options.only === '' ? await measureStreams(world, options.streams, options.quick) : []
    say('')
    say(
      `${machine()}, Node ${process.version}; ${world.database}; one process of the service, the load on the same machine.`,
    )
    say(`Medians of ${options.rounds} rounds of ${options.seconds} s a row.`)
    say('')
    say(tableOf(measured))
    say(`\n${goalTableOf(measured)}`)
    if (streams.length > 0) say(`\n${streamTableOf(streams)}`)
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    await world.close()
  }
}
