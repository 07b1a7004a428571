import type { Target } from '../targets/target.js'
import { type Caller, createCaller } from './caller.js'
import { measureFlows } from './flows.js'
import type { Sample } from './sample.js'

/** Returns the element for a turn. The elements are used one after the other, again and again. */
export function inTurn<T>(things: readonly T[], turn: number): T {
  const thing = things[turn % things.length]
  if (thing === undefined) throw new Error('Nobody takes part.')
  return thing
}

/**
 * Measures a flow of several wallets. Each flow uses the next of some prepared elements: keys of wallets, or their
 * credentials.
 *
 * @param spanOf may return the milliseconds to record for a flow; by default the whole duration of the flow is recorded
 */
export async function measureActors<T, Result>(
  target: Target,
  things: readonly T[],
  flow: (caller: Caller, thing: T) => Promise<Result>,
  atOnce: number,
  seconds: number,
  spanOf: (result: Result) => number | undefined = () => undefined,
): Promise<Sample> {
  const caller = createCaller(target.url, atOnce)
  let flows = 0
  const next = async () => {
    const thing = inTurn(things, flows)
    flows += 1
    return spanOf(await flow(caller, thing))
  }
  try {
    return await measureFlows(target, next, atOnce, seconds)
  } finally {
    await caller.close()
  }
}
