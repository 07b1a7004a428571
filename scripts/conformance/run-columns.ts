import type { Installations } from './installation/installations.js'
import type { Material } from './installation/material.js'
import { productAt } from './installation/product.js'
import { type Outcome, runModule } from './module.js'
import type { Column } from './plans/column.js'
import type { ColumnResult } from './report/results.js'
import type { Suite } from './suite/client.js'
import type { Ask } from './trusting-fetch.js'

export interface Run {
  readonly suite: Suite
  readonly ask: Ask
  readonly material: Material
  readonly installations: Installations
  /** The number of columns that run at the same time. */
  readonly parallel: number
  /** Names of the modules to run. If empty, all modules run. */
  readonly modules: readonly string[]
  /** Receives each line for the terminal. */
  readonly say: (line: string) => void
}

const POLL_MS = 300

/** Runs the columns. Returns their results in the order of the columns, without columns that could not run. */
export async function runColumns(run: Run, columns: readonly Column[]): Promise<ColumnResult[]> {
  const results = new Map<string, ColumnResult>()
  const inTurn = async (waiting: Column[]) => {
    for (let column = waiting.shift(); column !== undefined; column = waiting.shift()) {
      const result = await runColumn(run, column)
      if (result !== undefined) results.set(column.id, result)
    }
  }
  const together = columns.filter(({ alone }) => alone !== true)
  await Promise.all(Array.from({ length: run.parallel }, () => inTurn(together)))
  await inTurn(columns.filter(({ alone }) => alone === true))
  return columns.flatMap(({ id }) => results.get(id) ?? [])
}

async function runColumn(run: Run, column: Column): Promise<ColumnResult | undefined> {
  const { suite, ask, material, installations, modules: wanted, say } = run
  const { id, heading, profile, variant } = column
  const url = await installations.addressFor(profile)
  if (url === undefined) {
    say(`${id}: left out, it needs a service with ISSUER_PROFILE=${profile}.`)
    return undefined
  }
  const alias = `credence-${id.replace(/[^a-z0-9]+/gi, '-')}`
  const { configuration, newPlayer } = await column.prepare({
    suite,
    product: productAt(url, ask),
    ask,
    material,
    alias,
  })
  const plan = await suite.createPlan(column.plan, variant, configuration)
  const isMeant = (name: string) =>
    (wanted.length === 0 || wanted.includes(name)) && column.without?.includes(name) !== true
  const outcomes: Outcome[] = []
  for (const module of plan.modules.filter(({ testModule }) => isMeant(testModule))) {
    const outcome = await runModule(suite, plan, module, newPlayer, { idleMs: column.idleMs, pollMs: POLL_MS })
    say(`${id}: ${outcome.module} ${outcome.outcome} (${outcome.seconds} s, ${outcome.id})`)
    outcomes.push(outcome)
  }
  return { id, heading, plan: column.plan, variant, modules: outcomes }
}
