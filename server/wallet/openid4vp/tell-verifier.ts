import type { Deps } from '../../deps.js'
import { failureReason } from '../exchange/failure.js'
import type { PresentationRequest } from './presentation-request.js'
import type { RefusalCode } from './refused-request.js'
import { redirectUriOf, responseFor } from './send-response.js'

/** The second only where a person declines. */
type ErrorCode = RefusalCode | 'access_denied'

type Teller = Pick<Deps, 'config' | 'log' | 'random'>

/**
 * Tells a verifier why its request is not answered (OpenID4VP 1.0 §8.5), at the address that its client identifier allows. Whatever
 * goes wrong with it changes nothing for the wallet's owner.
 *
 * @returns where the verifier sends the holder next (§8.2).
 */
export async function tellVerifier(
  deps: Teller,
  fetch: typeof globalThis.fetch,
  payload: PresentationRequest['payload'],
  error: ErrorCode,
): Promise<string | undefined> {
  try {
    const send = await errorResponse(deps, fetch, payload, error)
    const response = await send()
    return redirectUriOf(await response.text())
  } catch (thrown) {
    deps.log.info({ reason: failureReason(thrown) }, 'a verifier could not be told that its request is not answered')
    return undefined
  }
}

/** §8.3.1: in the clear where it cannot be encrypted. */
async function errorResponse(
  deps: Teller,
  fetch: typeof globalThis.fetch,
  payload: PresentationRequest['payload'],
  error: ErrorCode,
) {
  try {
    return await responseFor(deps, fetch, payload, { error })
  } catch {
    return responseFor(deps, fetch, payload, { error }, false)
  }
}
