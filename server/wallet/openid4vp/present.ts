import type { Deps } from '../../deps.js'
import type { Jwk } from '../../protocol/jose/jws.js'
import { oauthErrorOfBody } from '../exchange/failure.js'
import { WalletError } from '../exchange/wallet-error.js'
import { copySigner } from '../openid4vci/wallet-keys.js'
import type { Match } from './match-query.js'
import type { PresentationRequest } from './presentation-request.js'
import { profileNamed } from './profiles/profiles.js'
import { encryptionKeyOf, redirectUriOf, responseFor } from './send-response.js'

async function presentationOf(
  deps: Deps,
  request: PresentationRequest,
  match: Match,
  encryptionKey: Jwk | undefined,
): Promise<string> {
  const { held, disclose, holderBinding, transactionDataHashes } = match
  const { clientId, responseUri } = request
  return deps.formats.named(held.format).holding.present({
    compact: held.compact,
    disclose,
    signer: await copySigner(deps, held),
    proofWanted: holderBinding,
    nonce: request.payload.nonce,
    audience: clientId,
    handover: { clientId, responseUri, encryptionKey },
    now: deps.clock(),
    transactionDataHashes,
    id: deps.newId(),
  })
}

/**
 * Answers a request with presentations (OpenID4VP 1.0 §8): by direct_post, encrypted where the request asks for that.
 *
 * @returns where the verifier sends the holder next.
 * @throws WalletError where the verifier refuses.
 */
export async function present(
  deps: Deps,
  fetch: typeof globalThis.fetch,
  request: PresentationRequest,
  matches: readonly Match[],
): Promise<string | undefined> {
  const encryptionKey = encryptionKeyOf(request.payload)
  const answers = await Promise.all(
    matches.map(async (match) => ({
      queryId: match.queryId,
      format: match.held.format,
      presentation: await presentationOf(deps, request, match, encryptionKey),
    })),
  )
  const parameters = profileNamed(request.profile).responseOf(answers, request, deps)
  const send = await responseFor(deps, fetch, request.payload, parameters)
  const response = await send()
  const body = await response.text()
  if (response.ok) return redirectUriOf(body)
  const said = oauthErrorOfBody(body) ?? `status ${response.status}`
  throw new WalletError(`The verifier refused the presentation: ${said}`)
}
