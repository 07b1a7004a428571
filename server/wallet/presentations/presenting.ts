import { errors } from '../../api/errors.js'
import type { Work } from '../../protocol/work.js'
import type { OnBehalf, WalletCredentials } from '../credentials/credentials.js'
import type { HeldCredential } from '../credentials/held.js'
import { type HeldStatuses, hasExpired } from '../credentials/statuses.js'
import { failureReason } from '../exchange/failure.js'
import type { Match, Matching } from '../openid4vp/match-query.js'
import type { MatchRequest } from '../openid4vp/match-request.js'
import type { Present } from '../openid4vp/present.js'
import type { PresentationRequest } from '../openid4vp/presentation-request.js'
import { createChooseUsable } from './choose-usable.js'
import type { WalletPresentations } from './presentations.js'

/** Newest first, with expired credentials at the end. */
function preferred(held: readonly HeldCredential[], now: Date): HeldCredential[] {
  const isExpired = (credential: HeldCredential) => hasExpired(credential, now)
  return [...held.filter((credential) => !isExpired(credential)), ...held.filter(isExpired)]
}

/** The longest name of a verifier that is stored, in characters. */
const MAX_NAME = 200

/** The name that a verifier gives itself (RFC 7591 §2). OpenID4VP 1.0 has no such parameter; its drafts have it. */
function nameIn({ payload }: PresentationRequest): { readonly verifierName?: string } {
  const name: unknown = payload.client_metadata?.client_name
  return typeof name === 'string' && name.trim() !== '' ? { verifierName: name.trim().slice(0, MAX_NAME) } : {}
}

/** The stored record of an answer. It does not depend on the outcome. */
const recordOf = (request: PresentationRequest, matches: readonly Match[]) => ({
  verifier: request.clientId,
  ...nameIn(request),
  credentials: matches.map(({ queryId, held, disclose }) => ({
    queryId,
    credentialId: held.id,
    claims: disclose.map((path) => [...path]),
  })),
})

/** Dependencies of {@link createPresenting}. */
export interface PresentingPorts {
  readonly credentials: Pick<WalletCredentials, 'markPresented' | 'newestOf'>
  readonly statusReader: HeldStatuses['reader']
  readonly matchRequest: MatchRequest
  readonly present: Present
  readonly record: WalletPresentations['record']
  readonly clock: () => Date
}

export type Presenting = ReturnType<typeof createPresenting>

/** How hosted wallets answer requests whose sender was checked. */
export function createPresenting({ credentials, statusReader, matchRequest, present, record, clock }: PresentingPorts) {
  /**
   * Finds the credentials of a holder that answer a request.
   *
   * @param work the budget for the checks that a request can make expensive
   * @throws RefusedRequest if the verifier accepts the algorithms of no match; the verifier is notified (OpenID4VP 1.0 §8.5).
   * WalletError if the verifier wants proof of a key and no match is bound to a key.
   */
  const match = (
    fetch: typeof globalThis.fetch,
    holderId: string,
    request: PresentationRequest,
    work: Work,
  ): Promise<Matching> =>
    matchRequest(fetch, request, async () => preferred(await credentials.newestOf(holderId), clock()), work)

  const choose = createChooseUsable({ statusReader, clock })

  /**
   * Presents the chosen credentials. Stores a record of the presentation, even if the verifier refuses it.
   *
   * @returns the address where the verifier sends the holder next.
   */
  async function answer(
    fetch: typeof globalThis.fetch,
    { holderId, actor }: OnBehalf,
    request: PresentationRequest,
    matches: readonly Match[],
  ): Promise<string | undefined> {
    // OpenID4VP 1.0 §6.4.2: a wallet that cannot present all required credentials returns none.
    if (matches.length === 0) throw errors.noMatchingCredential()
    const common = recordOf(request, matches)
    // The copies are marked before the answer is sent. The verifier may have seen a copy, so the copy must not count as
    // unused.
    await credentials.markPresented(matches.map(({ held }) => held))
    try {
      const redirectUri = await present(fetch, request, matches)
      await record(holderId, actor, {
        ...common,
        state: 'accepted',
        ...(redirectUri === undefined ? {} : { redirectUri }),
      })
      return redirectUri
    } catch (thrown) {
      const errorMessage = failureReason(thrown) ?? 'The presentation failed.'
      await record(holderId, actor, { ...common, state: 'failed', errorMessage })
      throw thrown
    }
  }

  return {
    match,
    choose,
    answer,

    /**
     * Answers a request with credentials that the wallet chooses on its own.
     *
     * @returns the address where the verifier sends the holder next.
     */
    async answerUnasked(
      fetch: typeof globalThis.fetch,
      holder: OnBehalf,
      request: PresentationRequest,
      work: Work,
    ): Promise<string | undefined> {
      const matching = await match(fetch, holder.holderId, request, work)
      return answer(fetch, holder, request, (await choose(matching, undefined, work)) ?? [])
    },
  }
}
