import type { Formats } from '../../formats/registry.js'
import type { Jwk } from '../../protocol/jose/jws.js'
import type { WalletCredentials } from '../credentials/credentials.js'
import { oauthErrorOfBody } from '../exchange/failure.js'
import { WalletError } from '../exchange/wallet-error.js'
import type { Match } from './match-query.js'
import type { PresentationRequest } from './presentation-request.js'
import { profileNamed } from './profiles/profiles.js'
import { encryptionKeyOf, redirectUriOf, responseFor } from './send-response.js'

/** Dependencies of {@link createPresent}. */
export interface PresentPorts {
  readonly formats: Formats
  readonly signerOf: WalletCredentials['signerOf']
  readonly random: (length: number) => Uint8Array
  readonly newId: () => string
  readonly clock: () => Date
}

/**
 * Answers a request with presentations (OpenID4VP 1.0 §8) by direct_post. The answer is encrypted if the request asks
 * for encryption.
 *
 * @returns the address where the verifier sends the holder next.
 * @throws WalletError if the verifier refuses.
 */
export type Present = ReturnType<typeof createPresent>

/** Creates {@link Present} from its dependencies. */
export function createPresent({ formats, signerOf, random, newId, clock }: PresentPorts) {
  async function presentationOf(
    request: PresentationRequest,
    match: Match,
    encryptionKey: Jwk | undefined,
  ): Promise<string> {
    const { held, disclose, holderBinding, transactionDataHashes } = match
    const { clientId, responseUri } = request
    return formats.named(held.format).holding.present({
      compact: held.compact,
      disclose,
      signer: await signerOf(held),
      proofWanted: holderBinding,
      nonce: request.payload.nonce,
      audience: clientId,
      handover: { clientId, responseUri, encryptionKey },
      now: clock(),
      transactionDataHashes,
      id: newId(),
    })
  }

  return async (
    fetch: typeof globalThis.fetch,
    request: PresentationRequest,
    matches: readonly Match[],
  ): Promise<string | undefined> => {
    const encryptionKey = encryptionKeyOf(request.payload)
    const answers = await Promise.all(
      matches.map(async (match) => ({
        queryId: match.queryId,
        format: match.held.format,
        presentation: await presentationOf(request, match, encryptionKey),
      })),
    )
    const parameters = profileNamed(request.profile).responseOf(answers, request, { formats, newId })
    const send = await responseFor(random, fetch, request.payload, parameters)
    const response = await send()
    const body = await response.text()
    if (response.ok) return redirectUriOf(body)
    const said = oauthErrorOfBody(body) ?? `status ${response.status}`
    throw new WalletError(`The verifier refused the presentation: ${said}`)
  }
}
