import { OAuthError } from '../../protocol/oauth/error.js'

/** The error for an unknown credential offer. */
export const offerNotFound = () =>
  new OAuthError('invalid_request', 'The credential offer does not exist.', { status: 404 })

/** The message of the credential endpoints for a token of another configuration (RFC 6750 §3.1, `insufficient_scope`). */
export const OTHER_CONFIGURATION = 'The access token does not cover that configuration.'
