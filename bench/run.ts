import type { FullSample } from './measure/sample.js'
import { warmUp } from './measure/warm-up.js'
import { type BenchOptions, readOptions } from './options.js'
import { keep, reportOf } from './report/report.js'
import { ceilingRows } from './rows/ceilings.js'
import { certifiedPresentationRows } from './rows/certified-presentations.js'
import { comparedRows } from './rows/compared/rows.js'
import { deferredFlowRow } from './rows/deferred-flow.js'
import { SCHEMA } from './rows/fixture.js'
import { baseOf } from './rows/goal.js'
import { haipFlowRow } from './rows/haip-flow.js'
import { issuanceFlowRows } from './rows/issuance-flows.js'
import { keyProviderRows } from './rows/key-providers.js'
import { listRows } from './rows/lists.js'
import { formatFlowRows } from './rows/mdoc/flows.js'
import { formatOperationRows } from './rows/mdoc/operations.js'
import { presentationFlowRows } from './rows/presentation-flows.js'
import type { Row } from './rows/row.js'
import { singleRequestRows } from './rows/single-requests.js'
import { measureStreams } from './rows/streams.js'
import { trustedListRows } from './rows/trusted-lists.js'
import { createWorld, type World } from './world.js'

type Say = (line: string) => void

async function rowsOf(world: World, options: BenchOptions, say: Say): Promise<Row[]> {
  await world.credence.schemas.create.mutate(SCHEMA)
  const rows = [
    ...ceilingRows(world),
    ...(await singleRequestRows(world)),
    ...(await listRows(world)),
    ...(await issuanceFlowRows(world)),
    deferredFlowRow(world),
    await haipFlowRow(world),
    ...(await presentationFlowRows(world)),
    ...(await certifiedPresentationRows(world)),
    ...(await formatOperationRows(world)),
    ...(await formatFlowRows(world)),
    ...(await comparedRows(world, options, say)),
    ...keyProviderRows(world, say),
    ...trustedListRows(world),
  ]
  const wanted = rows.filter(({ name }) => options.only.every((text) => name.toLowerCase().includes(text)))
  if (wanted.length === 0) throw new Error(`No row has ${options.only.join(' and ')} in its name.`)
  // A selected row may compare itself with a row that is not selected. This row is then measured too.
  const bases = new Set(wanted.flatMap(({ goals = [] }) => goals.map(baseOf)))
  return rows.filter((row) => wanted.includes(row) || bases.has(row.name))
}

/** Measures a row once, and the work of PostgreSQL during the measurement. */
async function measureOnce(row: Row, { postgres }: World, seconds: number): Promise<FullSample> {
  const before = await postgres.usage()
  const sample = await row.measure(seconds)
  const after = await postgres.usage()
  return {
    ...sample,
    postgresMs: (after.cpuMs - before.cpuMs) / sample.operations,
    commits: (after.commits - before.commits) / sample.operations,
  }
}

/** Measures every row once in each round, so that a disturbance of the machine affects all rows alike. */
async function measure(rows: readonly Row[], world: World, options: BenchOptions): Promise<Map<Row, FullSample[]>> {
  for (const row of rows) {
    process.stdout.write(`warming up: ${row.name}\n`)
    await warmUp(async () => (await row.measure(options.warmUpSeconds)).cpuMs, options.quick ? 1 : undefined)
  }
  const measured = new Map<Row, FullSample[]>(rows.map((row) => [row, []]))
  for (let round = 1; round <= options.rounds; round += 1) {
    process.stdout.write(`round ${round} of ${options.rounds}\n`)
    // Every second round runs in reverse order, so that a row does not always come after the same row.
    for (const row of round % 2 === 1 ? rows : rows.toReversed()) {
      measured.get(row)?.push(await measureOnce(row, world, options.seconds))
    }
  }
  return measured
}

/** Runs `npm run bench`: measures the built service and the programs for comparison, and prints the report. */
export async function run(args: readonly string[]): Promise<void> {
  const options = readOptions(args)
  const world = await createWorld(options)
  const stop = () => void world.close().finally(() => process.exit(1))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const notes: string[] = []
  const say = (line: string) => {
    process.stdout.write(`${line}\n`)
    notes.push(line)
  }
  try {
    const rows = await rowsOf(world, options, say)
    const measured = await measure(rows, world, options)
    const wantsStreams = options.only.length === 0 && options.streams > 0
    const streams = wantsStreams ? await measureStreams(world, options.streams, options.rounds, options.quick) : []
    const findings = { world, options, measured, streams, notes }
    process.stdout.write(`\n${reportOf(findings)}\n`)
    for (const path of keep(findings, new Date())) process.stdout.write(`\nkept in ${path}\n`)
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    await world.close()
  }
}
