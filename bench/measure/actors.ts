import type { Target } from '../targets/target.js'
import { type Caller, createCaller } from './caller.js'
import { measureFlows } from './flows.js'
import type { Sample } from './sample.js'

/**
 * Measures a flow that several wallets go through, each with the next of some things that were made before: their keys, or
 * what they hold.
 */
export async function measureActors<T>(
  target: Target,
  things: readonly T[],
  flow: (caller: Caller, thing: T) => Promise<unknown>,
  atOnce: number,
  seconds: number,
): Promise<Sample> {
  const caller = createCaller(target.url, atOnce)
  let flows = 0
  const next = async () => {
    const thing = things[flows % things.length]
    flows += 1
    if (thing === undefined) throw new Error('Nobody takes part.')
    await flow(caller, thing)
    return undefined
  }
  try {
    return await measureFlows(target, next, atOnce, seconds)
  } finally {
    await caller.close()
  }
}
