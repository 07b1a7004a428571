import { errors, KeysUnavailable } from '../api/errors.js'
import type { Caller } from './caller.js'

/**
 * Returns the user of an access token that this service has stored. The token is checked in the same way as a token in
 * a request.
 *
 * @throws 401 if the token is refused; 503 if the token cannot be checked, which is not the user's fault
 */
export async function keptTokenUser(
  tokens: { user(authorization: string): Promise<Caller> },
  accessToken: string,
): Promise<Caller> {
  try {
    return await tokens.user(`Bearer ${accessToken}`)
  } catch (thrown) {
    throw thrown instanceof KeysUnavailable ? errors.identityProviderUnavailable(thrown) : thrown
  }
}
