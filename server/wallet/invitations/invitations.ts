import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { StoredDid } from '../../dids/store.js'
import type { Outbound, OutboundFetch } from '../../outbound/guard.js'
import type { Work } from '../../protocol/work.js'
import { shownCredential } from '../credentials/credentials.js'
import { boundedFetch } from '../exchange/bounded-fetch.js'
import { exchanging } from '../exchange/failure.js'
import type { Offers } from '../openid4vci/offers.js'
import type { Receiving } from '../openid4vci/receiving.js'
import { UnconfirmedRegistration, UnconfirmedTransaction } from '../openid4vp/refused-request.js'
import type { ResolveRequest } from '../openid4vp/resolve-request.js'
import type { Presenting } from '../presentations/presenting.js'
import { type OfferInvitation, type RequestInvitation, resolveInvitation } from './invitation.js'
import type { processUri } from './invitations.contract.js'

type ProcessInput = z.output<ReturnType<typeof processUri>['input']>
type Processed = z.input<ReturnType<typeof processUri>['output']>

interface ProcessRequest extends Omit<ProcessInput, 'uri'> {
  /** The `sub` of the user who made the call. */
  readonly actor: string
  readonly work: Work
}

/** Turns the refusals that a person can resolve in a flow into a 400. Other errors are rethrown unchanged. */
function asCallersFault(thrown: unknown): never {
  if (thrown instanceof UnconfirmedRegistration) throw errors.registrationUnconfirmed(thrown.message)
  throw thrown instanceof UnconfirmedTransaction ? errors.transactionUnconfirmed() : thrown
}

/** Dependencies of {@link createInvitations}. */
export interface InvitationsPorts {
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly config: Pick<Config, 'allowInsecureHttp'>
  /** The DIDs of a holder, newest first. */
  readonly didsOf: (holderId: string) => Promise<readonly StoredDid[]>
  readonly readOffer: Offers['read']
  readonly take: Receiving['take']
  readonly resolveRequest: ResolveRequest
  readonly answer: Presenting['answerUnasked']
}

export type Invitations = ReturnType<typeof createInvitations>

/** Invitations that hosted wallets follow without a person's confirmation. */
export function createInvitations({
  outbound,
  config,
  didsOf,
  readOffer,
  take,
  resolveRequest,
  answer,
}: InvitationsPorts) {
  async function processOffer(
    fetch: OutboundFetch,
    invitation: OfferInvitation,
    { holderId, actor, txCode, copies }: ProcessRequest,
  ): Promise<Processed> {
    const dids = await didsOf(holderId)
    if (dids.length === 0) throw errors.holderWithoutDid()
    const offer = await readOffer(fetch, invitation)
    // The DID that the holder was created with comes first.
    const { held, deferred } = await take({
      holderId,
      actor,
      txCode,
      copies,
      offer,
      dids: [...dids].reverse(),
      personConfirms: false,
    })
    // Each credential and its status were verified a moment ago.
    const credentials = held.map((credential) => shownCredential(credential, 'valid'))
    return { type: 'credential_offer', credentials, ...(deferred === 0 ? {} : { deferred }) }
  }

  async function processRequest(
    fetch: OutboundFetch,
    invitation: RequestInvitation,
    { holderId, actor, work }: ProcessRequest,
  ): Promise<Processed> {
    const request = await resolveRequest(fetch, invitation, { personConfirms: false, work }).catch(asCallersFault)
    const redirectUri = await answer(fetch, { holderId, actor }, request, work)
    return { type: 'authorization_request', ...(redirectUri === undefined ? {} : { redirectUri }) }
  }

  return {
    /**
     * Takes the offer or answers the request at an address, for a holder.
     *
     * @param input `uri`: an address that `resolveInvitation` can read
     * @param actor the `sub` of the user who made the call
     * @throws 400 for an address that breaks a rule, a holder without a DID, and a transaction that a person must confirm; 500 with
     *   the reason if the other side refuses.
     */
    process: ({ uri, ...input }: ProcessInput, actor: string, work: Work): Promise<Processed> =>
      exchanging(async () => {
        const fetch = boundedFetch(outbound.fetch)
        const invitation = await resolveInvitation(fetch, uri, config.allowInsecureHttp)
        const request = { ...input, actor, work }
        return invitation.kind === 'offer'
          ? processOffer(fetch, invitation, request)
          : processRequest(fetch, invitation, request)
      }),
  }
}
