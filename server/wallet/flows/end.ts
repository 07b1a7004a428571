import { errors } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'
import type { FlowEnd, FoundFlow } from './store.js'

/**
 * A flow of the caller's that waits for their decision.
 *
 * @throws 404 for one that is unknown, expired or someone else's; 409 where it has ended.
 */
export async function openFlow(deps: Pick<Deps, 'clock' | 'stores'>, caller: Caller, id: string): Promise<FoundFlow> {
  const flow = await deps.stores.flows.find(id, caller.sub, deps.clock())
  if (flow === undefined) throw errors.flowNotFound()
  if (flow.state !== 'initialized') throw errors.flowEnded(flow.state)
  return flow
}

/** Ends a flow once: of several decisions at once one counts. @throws as above. */
export async function endFlow(
  deps: Pick<Deps, 'clock' | 'stores'>,
  caller: Caller,
  id: string,
  end: FlowEnd,
): Promise<void> {
  if (await deps.stores.flows.end(id, end, caller.sub)) return
  await openFlow(deps, caller, id)
  // It has been reopened since: whoever was faster has failed.
  throw errors.flowEnded('confirmed')
}
