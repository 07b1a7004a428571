import type { Formats } from '../../formats/registry.js'
import { isObject } from '../../protocol/json/json-object.js'
import type { WalletCredentials } from '../credentials/credentials.js'
import type { IsTaken } from './match-query.js'
import type { PresentationRequest } from './presentation-request.js'

/**
 * Whether a verifier accepts the algorithms of a match. The verifier's metadata list algorithms (OpenID4VP 1.0 §11.1).
 * The `format` of a presentation definition lists algorithms too.
 *
 * @returns undefined for a verifier that lists no algorithms.
 */
export function takenAlgorithms(
  formats: Pick<Formats, 'named'>,
  signerOf: WalletCredentials['signerOf'],
  { payload, exchange }: Pick<PresentationRequest, 'payload' | 'exchange'>,
): IsTaken | undefined {
  const { vp_formats_supported: supported } = payload.client_metadata ?? {}
  const listsFor = (queryId: string) => [supported, exchange?.descriptors[queryId]?.format].filter(isObject)
  const descriptors = Object.keys(exchange?.descriptors ?? {})
  if (!isObject(supported) && descriptors.every((queryId) => listsFor(queryId).length === 0)) return undefined
  return async ({ queryId, held, holderBinding }) => {
    const { holding } = formats.named(held.format)
    const { alg: holderAlg } = await signerOf(held)
    const signed = { compact: held.compact, holderAlg, proofWanted: holderBinding }
    const taken = await Promise.all(listsFor(queryId).map((list) => holding.isTakenBy(list, signed)))
    return taken.every(Boolean)
  }
}
