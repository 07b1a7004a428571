import type { z } from 'zod'
import type { Caller } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'
import { boundedFetch } from '../exchange/bounded-fetch.js'
import { tellVerifier } from '../openid4vp/tell-verifier.js'
import { revealContent } from './content.js'
import { endFlow, openFlow } from './end.js'
import type { declineFlow } from './flows.contract.js'

type Declined = z.input<typeof declineFlow.output>

/**
 * Ends a flow as its person declines it. No key is needed for that, so it does not matter what became of the DID. The flow is declined before
 * the verifier is told: it cannot be confirmed any more whatever the verifier answers.
 *
 * @throws 404 for a flow that is unknown, expired or someone else's; 409 where it has ended already.
 */
export async function decline(deps: Deps, caller: Caller, processId: string): Promise<Declined> {
  const flow = await openFlow(deps, caller, processId)
  const content = await revealContent(deps, flow)
  await endFlow(deps, caller, flow.id, 'declined')
  if (content.kind !== 'request') return { status: 'declined', message: 'Offer declined.' }
  const fetch = boundedFetch(deps.outbound.fetch)
  const redirectUri = await tellVerifier(deps, fetch, content.request.payload, 'access_denied')
  return {
    status: 'declined',
    message: 'Presentation declined.',
    ...(redirectUri === undefined ? {} : { data: { redirectUri } }),
  }
}
