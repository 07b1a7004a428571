import type { Deps } from '../../deps.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { TokenClient, TokenParameters, TokenResponse } from './grants/grant.js'
import { grantsOf } from './grants/index.js'
import { assertHaipToken, isHaip } from './haip.js'

/**
 * Exchanges a code for an access token (OpenID4VCI 1.0 §6).
 *
 * @throws OAuthError with the code of RFC 6749 §5.2 that fits.
 */
export async function issueToken(deps: Deps, parameters: TokenParameters, client: TokenClient): Promise<TokenResponse> {
  const { grant_type: grantType } = parameters
  if (grantType === undefined) throw new OAuthError('invalid_request', 'grant_type is missing.')
  const grants = grantsOf(deps)
  const grant = grants.find(({ identifier }) => identifier === grantType)
  if (grant === undefined) {
    const supported = grants.map(({ identifier }) => identifier).join(', ')
    throw new OAuthError('unsupported_grant_type', `The grant_type is not supported; use ${supported}.`)
  }
  if (isHaip(deps)) assertHaipToken(deps, client)
  return grant.handle(deps, parameters, client)
}
