import { errors } from '../../api/errors.js'
import { PAGE_SIZE } from '../../api/paging.js'
import type { Deps } from '../../deps.js'
import type { Work } from '../../protocol/work.js'
import { type HeldCredential, openCredential } from '../credentials/held.js'
import { hasExpired } from '../credentials/statuses.js'
import { failureReason } from '../exchange/failure.js'
import { WalletError } from '../exchange/wallet-error.js'
import { type Match, type Matching, matchQuery, parseQuery } from '../openid4vp/match-query.js'
import { present } from '../openid4vp/present.js'
import type { PresentationRequest } from '../openid4vp/presentation-request.js'
import { fieldsCheck } from '../openid4vp/profiles/presentation-exchange/satisfies-fields.js'
import { profileNamed } from '../openid4vp/profiles/profiles.js'
import { RefusedRequest } from '../openid4vp/refused-request.js'
import { takenAlgorithms } from '../openid4vp/taken-algorithms.js'
import { tellVerifier } from '../openid4vp/tell-verifier.js'
import { recordPresentation } from './presentations.js'

/** The newest first, and behind them those that have expired. */
function preferred(held: readonly HeldCredential[], now: Date): HeldCredential[] {
  const isExpired = (credential: HeldCredential) => hasExpired(credential, now)
  return [...held.filter((credential) => !isExpired(credential)), ...held.filter(isExpired)]
}

/**
 * What of a holder's credentials answers a request.
 *
 * @param work pays for the checks that a request can make expensive
 * @throws RefusedRequest where the verifier takes the algorithms of none of them; it is told (OpenID4VP 1.0 §8.5). WalletError where it wants
 * proof of a key, and those that match are bound to none.
 */
export async function matchRequest(
  deps: Deps,
  fetch: typeof globalThis.fetch,
  holderId: string,
  request: PresentationRequest,
  work: Work,
): Promise<Matching> {
  const query = parseQuery(deps.formats, profileNamed(request.profile), request.query)
  const rows = await deps.stores.walletCredentials.list(holderId, { take: PAGE_SIZE, after: undefined })
  const held = await Promise.all(rows.map((row) => openCredential(deps, row)))
  const fits = request.exchange === undefined ? undefined : fieldsCheck(deps, request.exchange, work)
  const isTaken = takenAlgorithms(deps, request)
  const matching = await matchQuery(query, preferred(held, deps.clock()), work, { fits, isTaken })
  if (matching.obstacle === undefined) return matching
  if (matching.obstacle === 'unbound') throw unbound()
  await tellVerifier(deps, fetch, request.payload, 'vp_formats_not_supported')
  throw untaken()
}

export interface AnswerRequest {
  readonly holderId: string
  /** The `sub` on whose behalf. */
  readonly actor: string
  readonly request: PresentationRequest
  readonly matches: readonly Match[]
}

const unbound = () =>
  new WalletError('The matching credential is bound to no key, and the verifier wants proof of one.')

const untaken = () =>
  new RefusedRequest(
    'vp_formats_not_supported',
    'The verifier takes none of the algorithms that the matching credentials are signed with.',
  )

/** What is remembered of an answer, however it ended. */
const recordOf = (request: PresentationRequest, matches: readonly Match[]) => ({
  verifier: request.clientId,
  credentials: matches.map(({ queryId, held }) => ({ queryId, credentialId: held.id })),
})

/**
 * Presents the chosen credentials and remembers it; a refusal is remembered too.
 *
 * @returns where the verifier sends the holder next.
 */
export async function answerRequest(
  deps: Deps,
  fetch: typeof globalThis.fetch,
  { holderId, actor, request, matches }: AnswerRequest,
): Promise<string | undefined> {
  // OpenID4VP 1.0 §6.4.2: a wallet that cannot deliver what is required returns no credential at all.
  if (matches.length === 0) throw errors.noMatchingCredential()
  const record = recordOf(request, matches)
  // Marked before it is sent: a copy that the verifier may have seen must not count as unused.
  await deps.stores.walletCredentials.markPresented(
    matches.map(({ held }) => held.copyId),
    deps.clock(),
  )
  try {
    const redirectUri = await present(deps, fetch, request, matches)
    await recordPresentation(deps, holderId, actor, {
      ...record,
      state: 'accepted',
      ...(redirectUri === undefined ? {} : { redirectUri }),
    })
    return redirectUri
  } catch (thrown) {
    const errorMessage = failureReason(thrown) ?? 'The presentation failed.'
    await recordPresentation(deps, holderId, actor, { ...record, state: 'failed', errorMessage })
    throw thrown
  }
}
