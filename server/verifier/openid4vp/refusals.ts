import { OAuthError } from '../../protocol/oauth/error.js'

/** For an unknown id, and for a request that uses another channel. */
export const requestNotFound = () =>
  new OAuthError('invalid_request', 'Authorization request not found.', { status: 404 })

/** For a request that has expired or has an answer. */
export const requestGone = (description: string) => new OAuthError('invalid_request', description, { status: 410 })

/** For an origin that a request over the Digital Credentials API does not expect. */
export const originNotExpected = () =>
  new OAuthError('access_denied', 'Origin is none of those that the request expects.', { status: 403 })
