import { argumentsOf } from '../arguments.js'
import { type Caller, createCaller } from '../measure/caller.js'
import { cpuMs } from '../measure/process-usage.js'
import { median } from '../measure/sample.js'
import { readOptions as readBenchOptions } from '../options.js'
import { startPeers } from '../peers/start.js'
import { machine } from '../report/machine.js'
import { markdown } from '../report/markdown.js'
import { Report } from '../report/saved.js'
import { issuingPeers, OWN, ownIssuing, ownPresenting, presentingPeers } from '../rows/compared/rows.js'
import { SCHEMA } from '../rows/fixture.js'
import type { Target } from '../targets/target.js'
import { foreignIssuers } from '../wallet/foreign-issuers.js'
import { newBenchWallet } from '../wallet/wallet.js'
import { createWorld } from '../world.js'
import { issuingSteps, presentingSteps, type Step } from './steps.js'

const ACTORS = 64

const say = (line: string) => process.stdout.write(`${line}\n`)

function readOptions(args: readonly string[]) {
  const values = argumentsOf(args, {
    flows: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '7' },
    'at-once': { type: 'string', default: '8' },
    'warm-up': { type: 'string', default: '1500' },
    node: { type: 'string' },
    save: { type: 'boolean', default: false },
  })
  const number = (name: 'flows' | 'rounds' | 'at-once' | 'warm-up'): number => {
    const value = Number(values[name])
    if (!(value >= 1)) throw new Error(`--${name} must be a number of at least 1.`)
    return Math.ceil(value)
  }
  return {
    flows: number('flows'),
    rounds: number('rounds'),
    atOnce: number('at-once'),
    warmUp: number('warm-up'),
    save: values.save,
    world: readBenchOptions(values.node === undefined ? [] : ['--node', values.node]),
  }
}

/** A side and a flow whose requests are measured. */
interface Measured {
  readonly flow: 'issuing' | 'presenting'
  readonly side: string
  readonly target: Target
  /** Makes the steps of one flow. `number` chooses the actor. */
  readonly stepsOf: (caller: Caller, actor: number) => readonly Step<object>[]
}

/**
 * Measures many flows step by step: all flows take the first step, then all flows take the second step, with `atOnce`
 * flows at the same time.
 *
 * @returns the CPU time of the process for one flow, for each step by its name, in milliseconds
 */
async function cpuOfSteps(
  { target, stepsOf }: Measured,
  flows: number,
  atOnce: number,
): Promise<ReadonlyMap<string, number>> {
  const caller = createCaller(target.url, atOnce)
  const all = Array.from({ length: flows }, (_, at) => ({ state: {}, steps: stepsOf(caller, at % ACTORS) }))
  const cpu = new Map<string, number>()
  try {
    for (const [at, { name }] of (all[0]?.steps ?? []).entries()) {
      const before = cpuMs(target.pid)
      const waiting = all.values()
      const actor = async () => {
        for (const { state, steps } of waiting) await steps[at]?.take(state)
      }
      await Promise.all(Array.from({ length: atOnce }, actor))
      cpu.set(name, (cpuMs(target.pid) - before) / flows)
    }
  } finally {
    await caller.close()
  }
  return cpu
}

/** A table with a line for each step and a line for the sum, and a column for each side. */
function table(measured: readonly Measured[], samples: ReadonlyMap<Measured, readonly ReadonlyMap<string, number>[]>) {
  const [first] = measured
  if (first === undefined) return ''
  const names = [...(samples.get(first)?.[0]?.keys() ?? [])]
  const of = (each: Measured, name: string) =>
    median((samples.get(each) ?? []).map((round) => round.get(name) ?? Number.NaN))
  const sumOf = (each: Measured) => names.reduce((sum, name) => sum + of(each, name), 0)
  return markdown(
    [
      [`${first.flow} (CPU ms)`, ...measured.map(({ side }) => side)],
      ...names.map((name) => [name, ...measured.map((each) => of(each, name).toFixed(2))]),
      ['all', ...measured.map((each) => sumOf(each).toFixed(2))],
    ],
    [0],
  )
}

/** Runs `npm run bench:steps`: measures each request of a flow, for the service and for the peers. */
export async function run(args: readonly string[]): Promise<void> {
  const { flows, rounds, atOnce, warmUp, save, world: options } = readOptions(args)
  const world = await createWorld(options)
  const issuers = foreignIssuers()
  try {
    const wallets = Array.from({ length: ACTORS }, newBenchWallet)
    const held = Array.from({ length: ACTORS }, issuers.named)
    const own = await world.startInstallation(issuers.env)
    await own.credence.schemas.create.mutate(SCHEMA)
    const peers = await startPeers(world)
    const issuing = [{ name: OWN, ...ownIssuing(own) }, ...issuingPeers(peers)].map((side): Measured => {
      return {
        flow: 'issuing',
        side: side.name,
        target: side.target,
        stepsOf: (caller, actor) => issuingSteps(caller, side, wallets[actor] ?? newBenchWallet()),
      }
    })
    const presenting = [{ name: OWN, ...ownPresenting(own) }, ...presentingPeers(peers)].map((side): Measured => {
      return {
        flow: 'presenting',
        side: side.name,
        target: side.target,
        stepsOf: (caller, actor) => presentingSteps(caller, side, held[actor] ?? issuers.named()),
      }
    })
    const all = [...issuing, ...presenting]
    const samples = new Map(all.map((each) => [each, [] as ReadonlyMap<string, number>[]]))
    for (const each of all) {
      say(`warming up: ${each.flow}, ${each.side}`)
      await cpuOfSteps(each, warmUp, atOnce)
    }
    for (let round = 0; round < rounds; round += 1) {
      say(`round ${round + 1} of ${rounds}`)
      for (const each of round % 2 === 0 ? all : all.toReversed())
        samples.get(each)?.push(await cpuOfSteps(each, flows, atOnce))
    }
    const report = new Report()
    report.say(`\n${machine()}. Node ${world.nodeVersion}, ${world.postgres.description}.`)
    report.say(`CPU time of the process alone; medians of ${rounds} rounds of ${flows} flows, ${atOnce} at once.\n`)
    for (const flow of [issuing, presenting]) report.say(`${table(flow, samples)}\n`)
    if (save) report.save('steps')
  } finally {
    issuers.remove()
    await world.close()
  }
}
