import type { z } from 'zod'
import { errors, ServiceError } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { Config } from '../../config/config.js'
import { dueRows, type MaintenanceTask } from '../../maintenance/task.js'
import type { Outbound } from '../../outbound/guard.js'
import type { Work } from '../../protocol/work.js'
import { boundedFetch } from '../exchange/bounded-fetch.js'
import { exchanging, walletFailure } from '../exchange/failure.js'
import { resolveInvitation } from '../invitations/invitation.js'
import type { FlowClaims } from './claims.js'
import type { confirmFlow, declineFlow, StartedFlow, startFlow } from './flows.contract.js'
import type { FlowHolderOf } from './holder.js'
import type { FlowPresentations } from './presentations.js'
import type { QrContent } from './qr-content.js'
import type { FlowRecords } from './records.js'
import type { FlowStore } from './store.js'

type Confirmed = z.input<typeof confirmFlow.output>
type Declined = z.input<typeof declineFlow.output>
type Confirmation = z.output<typeof confirmFlow.input>

const reasonOf = (failure: unknown) => (failure instanceof ServiceError ? failure.message : 'The flow failed.')

/** Dependencies of {@link createFlows}. */
export interface FlowsPorts {
  readonly store: Pick<FlowStore, 'removeExpired'>
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly config: Pick<Config, 'allowInsecureHttp'>
  readonly holderOf: FlowHolderOf
  readonly qrContent: QrContent
  readonly records: Pick<FlowRecords, 'contentOf' | 'end' | 'open' | 'reopen'>
  readonly claims: FlowClaims
  readonly presentations: FlowPresentations
}

export type Flows = ReturnType<typeof createFlows>

/** Flows: a hosted wallet takes an offer or answers a request only after a person confirms. */
export function createFlows({
  store,
  outbound,
  config,
  holderOf,
  qrContent,
  records,
  claims,
  presentations,
}: FlowsPorts) {
  const tasks: readonly MaintenanceTask[] = [
    dueRows({ name: 'remove expired flows', everyMs: 60_000, batch: store.removeExpired }),
  ]

  return {
    /** Deletes expired flows with their content, including confirmed flows. */
    tasks,

    /** Reads the content of a QR code and starts the flow for it. */
    start: (
      caller: Caller,
      { qrContent: said, did }: z.output<ReturnType<typeof startFlow>['input']>,
      work: Work,
    ): Promise<StartedFlow> =>
      exchanging(async () => {
        const holder = await holderOf(caller, did)
        const fetch = boundedFetch(outbound.fetch)
        const content = (await qrContent(said)) ?? said
        const invitation = await resolveInvitation(fetch, content, config.allowInsecureHttp)
        return invitation.kind === 'offer'
          ? claims.start(fetch, caller.sub, holder, invitation)
          : presentations.start(fetch, caller.sub, holder, invitation, work)
      }),

    /**
     * Confirms a flow once. Of two simultaneous confirmations one succeeds. A failed confirmation leaves the flow open.
     * The chosen credential of a presentation is matched only by its id. The other members of the choice are ignored.
     *
     * @throws 404 for an unknown or expired flow and for the flow of another user; 400 for another type; 409 for a flow
     *   that is already confirmed or declined.
     */
    confirm: (caller: Caller, confirmation: Confirmation, work: Work): Promise<Confirmed> =>
      exchanging(async () => {
        const { processId, type, selectedCredential, txCode } = confirmation
        const flow = await records.open(processId, caller.sub)
        if (flow.type !== type) throw errors.badRequest(`type must be ${flow.type}`)
        // Checked again: the DID may have been deleted since the flow started.
        const holder = await holderOf(caller, flow.did)
        const content = await records.contentOf(flow)
        const act =
          content.kind === 'request'
            ? await presentations.prepare(caller.sub, holder, content.request, selectedCredential.id, work)
            : () => claims.confirm(caller, holder, content, txCode)
        await records.end(flow.id, caller.sub, 'confirmed')
        try {
          return await act()
        } catch (thrown) {
          const failure = walletFailure(thrown)
          await records.reopen(flow.id, reasonOf(failure))
          throw failure
        }
      }),

    /**
     * Declines a flow for its user. This needs no key, so the DID may have been deleted. The flow is declined before
     * the verifier is notified. So nobody can confirm the flow later, even if the notification fails.
     *
     * @throws 404 for an unknown or expired flow and for the flow of another user; 409 for a flow that has ended.
     */
    async decline({ processId }: z.output<typeof declineFlow.input>, sub: string): Promise<Declined> {
      const flow = await records.open(processId, sub)
      const content = await records.contentOf(flow)
      await records.end(flow.id, sub, 'declined')
      if (content.kind === 'request') return presentations.decline(content.request)
      return { status: 'declined', message: 'Offer declined.' }
    },
  }
}
