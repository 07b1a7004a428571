import type { Vault } from '../../../keys/vault.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import type { ProtocolReply } from '../../../protocol/oauth/reply.js'
import type { Work } from '../../../protocol/work.js'
import type { Codes } from './codes.js'
import type { ConsentPages } from './consent.js'
import type { DecisionStore } from './decision-store.js'
import type { Deny } from './deny.js'
import type { Filled } from './form-fields.js'
import type { FormTokens } from './form-tokens.js'
import { denied, type Issuables, offeringNamed } from './issuable.js'
import { openedRequest } from './parameters.js'
import type { Replies } from './replies.js'
import type { BrowserRequest, Visited, Visits } from './visits.js'

/** The sent form of the page, with the values of its fields, if any. */
export interface Decision extends Filled {
  readonly id: string
  readonly decision?: unknown
  readonly token?: unknown
}

const declines = () => denied('The user declined.')

/** Dependencies of {@link createDecideAtOnce}. */
export interface DecideAtOncePorts {
  readonly browserHashOf: Visits['browserHashOf']
  readonly formTokens: Pick<FormTokens, 'shownBy'>
  readonly decisions: Pick<DecisionStore, 'deny'>
  readonly codeForOffer: Codes['codeForOffer']
  readonly replies: Replies
  readonly vault: Pick<Vault, 'reveal'>
  readonly clock: () => Date
}

/**
 * Takes the usual decision about an offer in one statement (`bench/rows/haip-flow.ts` measures it). The form's token proves
 * that the request was checked against the offer when the page was made. The check is repeated when the code is
 * redeemed. The statement that stores the code also checks that the offer is for this user and this wallet.
 * {@link createDecideStepwise} uses the same statement.
 *
 * @returns undefined if the decision needs more steps; then nothing was changed.
 */
type DecideAtOnce = (request: BrowserRequest, sent: Decision) => Promise<ProtocolReply | undefined>

export const createDecideAtOnce =
  ({ browserHashOf, formTokens, decisions, codeForOffer, replies, vault, clock }: DecideAtOncePorts): DecideAtOnce =>
  async (request, { id, decision, token }) => {
    const browserHash = browserHashOf(request)
    const shown = browserHash === undefined ? undefined : formTokens.shownBy(id, browserHash, token)
    if (browserHash === undefined || shown === undefined) return undefined
    if (decision === 'decline') {
      const parameters = await decisions.deny(id, browserHash, clock(), ['SignedIn'])
      if (parameters === undefined) return undefined
      return replies.refuseWallet((await openedRequest(vault, id, parameters)).request, declines())
    }
    const offeringId = offeringNamed(shown)
    if (decision !== 'accept' || offeringId === undefined) return undefined
    const given = await codeForOffer({ id, browserHash, offeringId })
    if (given === undefined) return undefined
    return replies.answerWallet((await openedRequest(vault, id, given.parameters)).request, { code: given.code })
  }

/** Dependencies of {@link createDecideStepwise}. */
export interface DecideStepwisePorts {
  readonly visited: Visits['visited']
  readonly formTokens: Pick<FormTokens, 'shownBy'>
  readonly issuableNamed: Issuables['issuableNamed']
  readonly pages: Pick<ConsentPages, 'assertValid' | 'filledForm'>
  readonly codes: Codes
  readonly deny: Deny
  readonly replies: Replies
}

/** Reports why a decision is refused. Also takes decisions about credentials that have no offer yet. */
type DecideStepwise = (request: BrowserRequest, sent: Decision, work: Work) => Promise<ProtocolReply>

export function createDecideStepwise({
  visited,
  formTokens,
  issuableNamed,
  pages,
  codes,
  deny,
  replies,
}: DecideStepwisePorts): DecideStepwise {
  const accept = async (
    request: BrowserRequest,
    found: Visited,
    shown: string,
    filled: Filled,
    work: Work,
  ): Promise<ProtocolReply> => {
    const { authorization, browserHash } = found
    const { id } = authorization
    const named = await issuableNamed(authorization, shown)
    await pages.assertValid(request, named, work)
    const issuable = named.kind === 'form' ? await pages.filledForm(request, found, named, filled, work) : named
    if (!('kind' in issuable)) return issuable
    const code =
      issuable.kind === 'offer'
        ? (await codes.codeForOffer({ id, browserHash, offeringId: issuable.offering.offeringId }))?.code
        : await codes.codeForMade({ id, browserHash }, issuable)
    return code === undefined ? replies.decided(request) : replies.answerWallet(authorization.request, { code })
  }

  return async (request, { id, decision, token, ...filled }, work) => {
    const found = await visited(request, id)
    if (found === undefined || found.authorization.state === 'Started') return replies.notFound(request)
    const shown = formTokens.shownBy(id, found.browserHash, token)
    if (shown === undefined) return replies.outOfDate(request)
    if (found.authorization.state !== 'SignedIn') return replies.decided(request)
    if (decision !== 'accept' && decision !== 'decline') return replies.undecided(request)
    try {
      if (decision === 'accept') return await accept(request, found, shown, filled, work)
      throw declines()
    } catch (thrown) {
      if (!(thrown instanceof OAuthError)) throw thrown
      return deny(request, found, thrown)
    }
  }
}
