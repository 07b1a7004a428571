import type { Config } from '../../../config/config.js'
import { PRE_AUTHORIZED_CODE_GRANT } from '../../../protocol/openid4vci/requests.js'
import type { TokenClient } from '../client-authentication.js'
import { isHaip } from '../haip.js'

/** The values of `grant_type` at the token endpoint. */
const GRANT_TYPES = ['authorization_code', PRE_AUTHORIZED_CODE_GRANT, 'refresh_token'] as const

export type GrantType = (typeof GRANT_TYPES)[number]

/** The grants of the token endpoint (`grant_types_supported`). HAIP 1.0 §4 has no pre-authorized codes. */
export const grantTypesOf = ({ config }: { readonly config: Pick<Config, 'issuerProfile'> }): readonly GrantType[] =>
  isHaip({ config }) ? GRANT_TYPES.filter((type) => type !== PRE_AUTHORIZED_CODE_GRANT) : GRANT_TYPES

/** The parameters of a token request. Each parameter is sent once and has a value (RFC 6749 §3.2). */
export type TokenParameters = Readonly<Record<string, string | undefined>>

/** Token Response (OpenID4VCI 1.0 §6.2). */
export type TokenResponse = Readonly<Record<string, unknown>>

/**
 * Handles one `grant_type` of a token request.
 *
 * @throws OAuthError with the code of RFC 6749 §5.2 that fits.
 */
export type Grant = (parameters: TokenParameters, client: TokenClient) => Promise<TokenResponse>
