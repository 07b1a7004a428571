import { OAuthError } from '../../protocol/oauth/error.js'

/** The error for an unknown id, and for a request that uses another channel. */
export const requestNotFound = () =>
  new OAuthError('invalid_request', 'Authorization request not found.', { status: 404 })

/** The error for a request that has expired or has an answer. */
export const requestGone = (description: string) => new OAuthError('invalid_request', description, { status: 410 })

/** The error for an origin that a request over the Digital Credentials API does not expect. */
export const originNotExpected = () =>
  new OAuthError('access_denied', 'Origin is not an expected origin of the request.', { status: 403 })
