import { OAuthError } from '../../protocol/oauth/error.js'

/** For an id of no credential offer. */
export const offerNotFound = () =>
  new OAuthError('invalid_request', 'The credential offer does not exist.', { status: 404 })

/** What the credential endpoints say to a token of another configuration (RFC 6750 §3.1, `insufficient_scope`). */
export const OTHER_CONFIGURATION = 'The access token is not good for that configuration.'
