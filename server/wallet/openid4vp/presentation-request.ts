import type { Openid4vpAuthorizationRequest } from '@openid4vc/openid4vp'

/** An authorization request whose sender and form were checked; it can be stored as JSON. */
export interface PresentationRequest {
  readonly payload: Openid4vpAuthorizationRequest
  /** The full client identifier: the audience of what is presented (OpenID4VP 1.0 §14.8). */
  readonly clientId: string
  readonly query: Readonly<Record<string, unknown>>
  readonly responseUri: string
  /** Before draft 26 a `vp_token` held single presentations, not arrays of them. */
  readonly singlePresentations: boolean
}
