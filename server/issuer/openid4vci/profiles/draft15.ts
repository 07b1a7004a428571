import type { OAuthErrorCode } from '../../../protocol/oauth/error.js'
import { final } from './final.js'
import type { Profile } from './profile.js'

/** §8.3.1.2: codes of 1.0 that have another name in draft 15. */
const FORMER_CODES: Partial<Record<OAuthErrorCode, OAuthErrorCode>> = {
  unknown_credential_configuration: 'unsupported_credential_type',
  unknown_credential_identifier: 'unsupported_credential_type',
}

/**
 * OpenID4VCI draft 15 (December 2024). It has the nonce endpoint and lists of credentials. `proof` is accepted in every
 * profile.
 */
export const draft15: Profile = {
  ...final,
  refusal: (refusal) => {
    const code = FORMER_CODES[refusal.error]
    return code === undefined ? refusal : refusal.as(code)
  },
}
