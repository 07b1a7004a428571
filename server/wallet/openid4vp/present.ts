import type { Deps } from '../../deps.js'
import { oauthErrorOfBody } from '../protocol/exchange-failure.js'
import { presentationClient } from '../protocol/library-clients.js'
import { WalletError } from '../protocol/wallet-error.js'
import { copySigner } from '../protocol/wallet-keys.js'
import { RESPONSE_ENCRYPTION } from './fetch-request-object.js'
import type { Match } from './match-query.js'
import type { PresentationRequest } from './presentation-request.js'

/** Schemes of addresses that run as code in the page or app that opens them. */
const ACTIVE_SCHEMES = /^(?:javascript|data|file|blob|vbscript|about):/i

async function presentationOf(deps: Deps, request: PresentationRequest, match: Match): Promise<string> {
  const { held, disclose, holderBinding, transactionDataHashes } = match
  return deps.formats.named(held.format).holding.present({
    compact: held.compact,
    disclose,
    signer: holderBinding ? await copySigner(deps, held) : undefined,
    nonce: request.payload.nonce,
    audience: request.clientId,
    now: deps.clock(),
    transactionDataHashes,
    id: deps.newId(),
  })
}

async function vpTokenOf(deps: Deps, request: PresentationRequest, matches: readonly Match[]) {
  const entries = await Promise.all(
    matches.map(async (match) => {
      const presentation = await presentationOf(deps, request, match)
      const value: string | [string] = request.singlePresentations ? presentation : [presentation]
      return [match.queryId, value] as const
    }),
  )
  return Object.fromEntries(entries)
}

/** OpenID4VP 1.0 §8.2: the address where the holder continues; never one that a browser would execute. */
function redirectUriOf(body: string): string | undefined {
  let redirectUri: unknown
  try {
    redirectUri = (JSON.parse(body) as { redirect_uri?: unknown } | null)?.redirect_uri
  } catch {
    return undefined
  }
  if (typeof redirectUri !== 'string' || !URL.canParse(redirectUri)) return undefined
  return ACTIVE_SCHEMES.test(redirectUri) ? undefined : redirectUri
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
  const client = presentationClient(deps, { fetch, signers: [] })
  const { payload } = request
  const encrypted = payload.response_mode === 'direct_post.jwt'
  const answer = await client.createOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: payload,
    authorizationResponsePayload: { vp_token: await vpTokenOf(deps, request, matches) },
    ...(encrypted
      ? {
          jarm: {
            encryption: { nonce: Buffer.from(deps.random(16)).toString('base64url') },
            serverMetadata: { authorization_signing_alg_values_supported: [], ...RESPONSE_ENCRYPTION },
          },
        }
      : {}),
  })
  const { response } = await client.submitOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: payload,
    authorizationResponsePayload: answer.authorizationResponsePayload,
    ...(answer.jarm === undefined ? {} : { jarm: { responseJwt: answer.jarm.responseJwt } }),
  })
  const body = await response.text()
  if (response.ok) return redirectUriOf(body)
  const said = oauthErrorOfBody(body) ?? `status ${response.status}`
  throw new WalletError(`The verifier refused the presentation: ${said}`)
}
