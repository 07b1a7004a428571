import type { Config } from '../../config/config.js'
import type { Formats } from '../../formats/registry.js'
import type { Work } from '../../protocol/work.js'
import type { WalletCredentials } from '../credentials/credentials.js'
import type { HeldCredential } from '../credentials/held.js'
import { WalletError } from '../exchange/wallet-error.js'
import { type Matching, matchQuery, parseQuery } from './match-query.js'
import type { PresentationRequest } from './presentation-request.js'
import { fieldsCheck } from './profiles/presentation-exchange/satisfies-fields.js'
import { profileNamed } from './profiles/profiles.js'
import { RefusedRequest } from './refused-request.js'
import { takenAlgorithms } from './taken-algorithms.js'
import type { TellVerifier } from './tell-verifier.js'
import { createComesFrom } from './trusted-authorities.js'

const unbound = () =>
  new WalletError('The verifier wants proof of a key, but the matching credential is bound to no key.')

const untaken = () =>
  new RefusedRequest(
    'vp_formats_not_supported',
    'The verifier accepts none of the algorithms of the matching credentials.',
  )

/** Dependencies of {@link createMatchRequest}. */
export interface MatchRequestPorts {
  readonly formats: Formats
  readonly config: Pick<Config, 'issuerBaseUrl' | 'listed'>
  readonly clock: () => Date
  readonly signerOf: WalletCredentials['signerOf']
  readonly tell: TellVerifier
}

/**
 * Finds the held credentials that answer a request.
 *
 * @param heldFor reads the credentials, preferred credentials first; called only for a well-formed query
 * @param work the budget for the checks that a request can make expensive
 * @throws RefusedRequest if the verifier accepts the algorithms of no match; the verifier is notified (OpenID4VP 1.0 §8.5).
 * WalletError if the verifier wants proof of a key and no match is bound to a key.
 */
export type MatchRequest = ReturnType<typeof createMatchRequest>

/** Creates {@link MatchRequest} from its dependencies. */
export function createMatchRequest({ formats, config, signerOf, tell, clock }: MatchRequestPorts) {
  return async (
    fetch: typeof globalThis.fetch,
    request: PresentationRequest,
    heldFor: () => Promise<readonly HeldCredential[]>,
    work: Work,
  ): Promise<Matching> => {
    const query = parseQuery(formats, profileNamed(request.profile), request.query)
    const held = await heldFor()
    const fits = request.exchange === undefined ? undefined : fieldsCheck(formats, config, request.exchange, work)
    const isTaken = takenAlgorithms(formats, signerOf, request)
    const matching = await matchQuery(query, held, work, { comesFrom: createComesFrom(config, clock()), fits, isTaken })
    if (matching.obstacle === undefined) return matching
    if (matching.obstacle === 'unbound') throw unbound()
    await tell(fetch, request.payload, 'vp_formats_not_supported')
    throw untaken()
  }
}
