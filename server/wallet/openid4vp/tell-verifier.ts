import type { Log } from '../../log/log.js'
import { failureReason } from '../exchange/failure.js'
import type { PresentationRequest } from './presentation-request.js'
import type { RefusalCode } from './refused-request.js'
import { redirectUriOf, responseFor } from './send-response.js'

/** The error codes that a verifier may receive. `access_denied` is sent only if a person declines. */
type ErrorCode = RefusalCode | 'access_denied'

/** Dependencies of {@link createTellVerifier}. */
export interface TellVerifierPorts {
  readonly random: (length: number) => Uint8Array
  readonly log: Pick<Log, 'info'>
}

/**
 * Notifies a verifier why its request is not answered (OpenID4VP 1.0 §8.5), at the address that its client identifier allows. A
 * failure of the notification does not affect the wallet's owner.
 *
 * @returns the address where the verifier sends the holder next (§8.2).
 */
export type TellVerifier = ReturnType<typeof createTellVerifier>

/** Creates {@link TellVerifier} from its dependencies. */
export function createTellVerifier({ random, log }: TellVerifierPorts) {
  /** Makes an error response. It is unencrypted if encryption fails (§8.3.1). */
  async function errorResponse(
    fetch: typeof globalThis.fetch,
    payload: PresentationRequest['payload'],
    error: ErrorCode,
  ) {
    try {
      return await responseFor(random, fetch, payload, { error })
    } catch {
      return responseFor(random, fetch, payload, { error }, false)
    }
  }

  return async (
    fetch: typeof globalThis.fetch,
    payload: PresentationRequest['payload'],
    error: ErrorCode,
  ): Promise<string | undefined> => {
    try {
      const send = await errorResponse(fetch, payload, error)
      const response = await send()
      return redirectUriOf(await response.text())
    } catch (thrown) {
      log.info({ reason: failureReason(thrown) }, 'the refusal of a request could not be sent to its verifier')
      return undefined
    }
  }
}
