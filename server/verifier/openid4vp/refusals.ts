import { OAuthError } from '../../protocol/oauth/error.js'

/** For an id of no request, and of one that takes another way. */
export const requestNotFound = () =>
  new OAuthError('invalid_request', 'Authorization request not found.', { status: 404 })

/** For a request that has expired or was answered. */
export const requestGone = (description: string) => new OAuthError('invalid_request', description, { status: 410 })

/** For a page of the Digital Credentials API that the request does not expect. */
export const originNotExpected = () =>
  new OAuthError('access_denied', 'Origin is none of those that the request expects.', { status: 403 })
