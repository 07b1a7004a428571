import type { z } from 'zod'
import { errors, ServiceError } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'
import { claim } from '../../issuer/offerings/claim.js'
import { credentialOfferUri } from '../../issuer/offerings/offering-json.js'
import type { Work } from '../../protocol/work.js'
import { shownCredential } from '../credentials/credential-json.js'
import { boundedFetch } from '../exchange/bounded-fetch.js'
import { walletFailure } from '../exchange/failure.js'
import { takeIntoWallet } from '../openid4vci/receiving.js'
import { resolveOffer } from '../openid4vci/take-offer.js'
import type { PresentationRequest } from '../openid4vp/presentation-request.js'
import { authorizing } from '../openid4vp/transaction-data.js'
import { chooseUsable } from '../presentations/choose-usable.js'
import { answerRequest, matchRequest } from '../presentations/presenting.js'
import { type FlowContent, revealContent } from './content.js'
import { endFlow, openFlow } from './end.js'
import type { confirmFlow } from './flows.contract.js'
import { type FlowHolder, flowHolder, hostedOnly } from './holder.js'

type Confirmed = z.input<typeof confirmFlow.output>

export interface Confirmation {
  readonly processId: string
  readonly type: 'claim' | 'presentation'
  readonly selectedCredential: { readonly id?: unknown }
  readonly txCode?: string | undefined
}

/** What a confirmation starts. */
type Action = () => Promise<Confirmed>

interface Confirm {
  readonly deps: Deps
  readonly caller: Caller
  readonly holder: FlowHolder
  readonly confirmation: Confirmation
  readonly work: Work
}

const claimed = (data: Record<string, unknown>): Confirmed => ({
  status: 'confirmed',
  message: 'Credential claimed.',
  data,
})

async function takeWithWallet(
  context: Confirm,
  content: Exclude<FlowContent, { kind: 'request' }>,
): Promise<Confirmed> {
  const { deps, caller, holder, confirmation } = context
  const { holderId, did } = hostedOnly(holder, 'take the offer of another issuer')
  const fetch = boundedFetch(deps.outbound.fetch)
  // An offer of ours is read anew, with a fresh code.
  const offer =
    content.kind === 'offer'
      ? content.offer
      : await resolveOffer(deps, fetch, {
          kind: 'offer',
          uri: credentialOfferUri(deps.config.issuerBaseUrl, content.offeringId),
        })
  const { held, deferred } = await takeIntoWallet(deps, {
    holderId,
    actor: caller.sub,
    offer,
    dids: [did],
    txCode: confirmation.txCode,
  })
  const credentials = held.map((credential) => shownCredential(credential, 'valid'))
  if (deferred === 0) return claimed({ credentials })
  return { ...claimed({ credentials, deferred }), ...(held.length === 0 ? { message: 'Credential will follow.' } : {}) }
}

async function claimAction(context: Confirm, content: Exclude<FlowContent, { kind: 'request' }>): Promise<Confirmed> {
  const { deps, caller, holder } = context
  if (holder.hosted !== undefined || content.kind === 'offer') return takeWithWallet(context, content)
  // This service has no key of that DID: the credential is issued to the caller, as when they claim the offering.
  const { id, vc } = await claim(deps, caller, content.offeringId, holder.did)
  return claimed({ id, vc: { ...vc } })
}

/** The chosen credential is matched by its id alone; its other members in the request are ignored. */
async function presentationAction(context: Confirm, request: PresentationRequest): Promise<Action> {
  const { deps, caller, holder, confirmation, work } = context
  const { holderId } = hostedOnly(holder, 'present credentials')
  const { id } = confirmation.selectedCredential
  const fetch = boundedFetch(deps.outbound.fetch)
  const matching = await matchRequest(deps, fetch, holderId, request, work)
  if (typeof id !== 'string' || !matching.matches.some(({ held }) => held.id === id)) {
    throw errors.badRequest('selectedCredential.id must be the id of a matching credential')
  }
  // Flows that an earlier version started have no such member.
  const usable = (await chooseUsable(deps, matching, id, work)) ?? []
  const chosen = authorizing(request.transactionData ?? [], usable, id)
  return async () => {
    const redirectUri = await answerRequest(deps, fetch, { holderId, actor: caller.sub, request, matches: chosen })
    return {
      status: 'confirmed',
      message: 'Credential presented.',
      ...(redirectUri === undefined ? {} : { data: { redirectUri } }),
    }
  }
}

const reasonOf = (failure: unknown) => (failure instanceof ServiceError ? failure.message : 'The flow failed.')

/**
 * Confirms a flow once: of two confirmations at once one wins, and one that fails leaves the flow as it was.
 *
 * @throws 404 for a flow that is unknown, expired or someone else's; 400 for another type; 409 where it is confirmed
 * or declined already.
 */
export async function confirm(deps: Deps, caller: Caller, work: Work, confirmation: Confirmation): Promise<Confirmed> {
  const flow = await openFlow(deps, caller, confirmation.processId)
  if (flow.type !== confirmation.type) throw errors.badRequest(`type must be ${flow.type}`)
  // Checked again: the DID may have been deleted since the flow started.
  const holder = await flowHolder(deps, caller, flow.did)
  const content = await revealContent(deps, flow)
  const context: Confirm = { deps, caller, holder, confirmation, work }
  const action: Action =
    content.kind === 'request'
      ? await presentationAction(context, content.request)
      : () => claimAction(context, content)
  await endFlow(deps, caller, flow.id, 'confirmed')
  try {
    return await action()
  } catch (thrown) {
    const failure = walletFailure(thrown)
    await deps.stores.flows.reopen(flow.id, reasonOf(failure))
    throw failure
  }
}
