import { errors, KeysUnavailable } from '../api/errors.js'
import type { Caller } from './caller.js'

/**
 * Whose an access token is that this service keeps: checked as any other.
 *
 * @throws 401 where it is refused; 503 where it cannot be checked, which is no fault of whoever it was kept for
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
