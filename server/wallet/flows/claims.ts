import type { z } from 'zod'
import type { ServiceError } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { OfferingIssuance } from '../../issuer/issuance/store.js'
import type { Outbound, OutboundFetch } from '../../outbound/guard.js'
import { shownCredential } from '../credentials/credentials.js'
import { boundedFetch } from '../exchange/bounded-fetch.js'
import type { OfferInvitation } from '../invitations/invitation.js'
import type { Offers } from '../openid4vci/offers.js'
import type { Receiving } from '../openid4vci/receiving.js'
import type { confirmFlow, StartedFlow } from './flows.contract.js'
import { type FlowHolder, hostedOnly } from './holder.js'
import type { OwnOfferings } from './own-offerings.js'
import type { FlowContent, FlowRecords } from './records.js'

type Confirmed = z.input<typeof confirmFlow.output>

/** The content of a flow that takes an offer. */
export type OfferContent = Exclude<FlowContent, { kind: 'request' }>

const claimed = (data: Record<string, unknown>): Confirmed => ({
  status: 'confirmed',
  message: 'Credential claimed.',
  data,
})

/** Dependencies of {@link createFlowClaims}. */
export interface FlowClaimsPorts {
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly offers: Pick<Offers, 'describe' | 'read'>
  readonly take: Receiving['take']
  readonly ownOfferings: OwnOfferings
  /** The address that serves the offer of an offering of this installation. */
  readonly offerUri: (offeringId: string) => string
  /**
   * The reason why the owner of these DIDs cannot claim an offering now; undefined if the owner can claim the offering.
   */
  readonly claimRefusal: (offering: OfferingIssuance, dids: readonly string[]) => ServiceError | undefined
  /** Issues a credential of an offering to a caller, for one of the caller's DIDs. */
  readonly claim: (
    caller: Caller,
    offeringId: string,
    did: string,
  ) => Promise<{ readonly id: string; readonly vc: object }>
  readonly add: FlowRecords['add']
}

export type FlowClaims = ReturnType<typeof createFlowClaims>

/** Flows in which a person takes an offer. */
export function createFlowClaims({
  outbound,
  offers,
  take,
  ownOfferings,
  offerUri,
  claimRefusal,
  claim,
  add,
}: FlowClaimsPorts) {
  async function startOffering(sub: string, holder: FlowHolder, offering: OfferingIssuance): Promise<StartedFlow> {
    const { offeringId, name, credentialSubject } = offering
    const refusal = claimRefusal(offering, [holder.did])
    // The subject of a recipient-bound offering is shown only to its recipient.
    const isRecipient = offering.recipient === null || offering.recipient === holder.did
    const processId = await add('claim', sub, holder, { kind: 'offering', offeringId })
    return {
      flowType: 'claim',
      data: {
        processId,
        status: 'initialized',
        offering: { credential_type: name, credential_subject: isRecipient ? credentialSubject : {} },
        ...(refusal === undefined ? {} : { errorMessage: refusal.message }),
      },
    }
  }

  async function takeWithWallet(
    actor: string,
    holder: FlowHolder,
    content: OfferContent,
    txCode: string | undefined,
  ): Promise<Confirmed> {
    const { holderId, did } = hostedOnly(holder, 'take the offer of another issuer')
    // For an offering of this installation, a new offer with a fresh code is read.
    const offer =
      content.kind === 'offer'
        ? content.offer
        : await offers.read(boundedFetch(outbound.fetch), { kind: 'offer', uri: offerUri(content.offeringId) })
    const { held, deferred } = await take({ holderId, actor, offer, dids: [did], txCode, personConfirms: true })
    const credentials = held.map((credential) => shownCredential(credential, 'valid'))
    if (deferred === 0) return claimed({ credentials })
    return {
      ...claimed({ credentials, deferred }),
      ...(held.length === 0 ? { message: 'Credential will follow.' } : {}),
    }
  }

  return {
    /** Starts a flow for an offer. Nothing is received yet. @param sub the `sub` of the user who starts the flow */
    async start(
      fetch: OutboundFetch,
      sub: string,
      holder: FlowHolder,
      invitation: OfferInvitation,
    ): Promise<StartedFlow> {
      const known = await ownOfferings.invitedTo(invitation, sub)
      if (known !== undefined) return startOffering(sub, holder, known)
      const offer = await offers.read(fetch, invitation)
      const own = await ownOfferings.offeredBy(offer, sub)
      if (own !== undefined) return startOffering(sub, holder, own)
      hostedOnly(holder, 'take the offer of another issuer')
      const { credentialType, registration } = await offers.describe(fetch, offer)
      const processId = await add('claim', sub, holder, { kind: 'offer', offer })
      const offering = { credential_type: credentialType, credential_subject: {} }
      const issuer = { id: offer.credential_issuer }
      return { flowType: 'claim', data: { processId, status: 'initialized', offering, issuer, registration } }
    },

    /** Takes the offer of a confirmed flow. */
    async confirm(
      caller: Caller,
      holder: FlowHolder,
      content: OfferContent,
      txCode: string | undefined,
    ): Promise<Confirmed> {
      if (holder.hosted !== undefined || content.kind === 'offer')
        return takeWithWallet(caller.sub, holder, content, txCode)
      // This service has no key of that DID. The credential is issued to the caller, as in a claim of the offering.
      const { id, vc } = await claim(caller, content.offeringId, holder.did)
      return claimed({ id, vc: { ...vc } })
    },
  }
}
