import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'
import type { Work } from '../../protocol/work.js'
import { shownCredential } from '../credentials/credential-json.js'
import { boundedFetch } from '../exchange/bounded-fetch.js'
import { exchanging } from '../exchange/failure.js'
import { takeIntoWallet } from '../openid4vci/receiving.js'
import { resolveOffer } from '../openid4vci/take-offer.js'
import { UnconfirmedTransaction } from '../openid4vp/refused-request.js'
import { resolveRequest } from '../openid4vp/resolve-request.js'
import { chooseUsable } from '../presentations/choose-usable.js'
import { answerRequest, matchRequest } from '../presentations/presenting.js'
import { type OfferInvitation, type RequestInvitation, resolveInvitation } from './invitation.js'
import type { processUri } from './invitations.contract.js'

type ProcessInput = z.output<ReturnType<typeof processUri>['input']>

interface ProcessRequest extends Omit<ProcessInput, 'uri'> {
  /** The `sub` on whose behalf. */
  readonly actor: string
  readonly work: Work
}

async function processOffer(
  deps: Deps,
  fetch: typeof globalThis.fetch,
  invitation: OfferInvitation,
  request: ProcessRequest,
) {
  const dids = await deps.stores.dids.ofHolder(request.holderId)
  if (dids.length === 0) throw errors.holderWithoutDid()
  const offer = await resolveOffer(deps, fetch, invitation)
  // The DID that the holder was created with comes first.
  const { held, deferred } = await takeIntoWallet(deps, {
    holderId: request.holderId,
    actor: request.actor,
    txCode: request.txCode,
    copies: request.copies,
    offer,
    dids: [...dids].reverse(),
  })
  // Each of them was verified, its status too, a moment ago.
  const credentials = held.map((credential) => shownCredential(credential, 'valid'))
  return { type: 'credential_offer' as const, credentials, ...(deferred === 0 ? {} : { deferred }) }
}

/** The one refusal that the caller can do something about. */
function asCallersFault(thrown: unknown): never {
  throw thrown instanceof UnconfirmedTransaction ? errors.transactionUnconfirmed() : thrown
}

async function processRequest(
  deps: Deps,
  fetch: typeof globalThis.fetch,
  invitation: RequestInvitation,
  { holderId, actor, work }: ProcessRequest,
) {
  const request = await resolveRequest(deps, fetch, invitation, { personConfirms: false, work }).catch(asCallersFault)
  const matches = await chooseUsable(deps, await matchRequest(deps, fetch, holderId, request, work), undefined, work)
  const redirectUri = await answerRequest(deps, fetch, { holderId, actor, request, matches: matches ?? [] })
  return { type: 'authorization_request' as const, ...(redirectUri === undefined ? {} : { redirectUri }) }
}

/**
 * Has a holder take the offer, or answer the request, that an address invites it to.
 *
 * @param uri an address of either kind, as `resolveInvitation` knows them
 * @throws 400 for an address that breaks a rule, a holder without a DID, and a transaction that a person must confirm; 500 with the
 *   reason where the other side refuses.
 */
export const processInvitation = (deps: Deps, caller: Caller, { uri, ...input }: ProcessInput, work: Work) =>
  exchanging(async () => {
    const fetch = boundedFetch(deps.outbound.fetch)
    const invitation = await resolveInvitation(deps, fetch, uri)
    const request = { ...input, actor: caller.sub, work }
    return invitation.kind === 'offer'
      ? processOffer(deps, fetch, invitation, request)
      : processRequest(deps, fetch, invitation, request)
  })
