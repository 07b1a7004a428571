/**
 * Error codes that the service sends. They are defined in RFC 6749 §5.2, RFC 6750 §3.1, RFC 9396 §5, RFC 9449 §5 and
 * §8, OpenID4VCI 1.0 §8.3.1.2, §9.3 and §11.3, its drafts 15 (§8.3.1.2) and 11 (§7.3.1), and OpenID4VP 1.0 §8.5.
 */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_scope'
  | 'invalid_target'
  | 'request_not_supported'
  | 'unsupported_response_type'
  | 'invalid_dpop_proof'
  | 'use_attestation_challenge'
  | 'use_dpop_nonce'
  | 'invalid_grant'
  | 'invalid_token'
  | 'unsupported_grant_type'
  | 'invalid_authorization_details'
  | 'insufficient_scope'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'invalid_credential_request'
  | 'unknown_credential_configuration'
  | 'unknown_credential_identifier'
  | 'unsupported_credential_format'
  | 'unsupported_credential_type'
  | 'invalid_proof'
  | 'invalid_or_missing_proof'
  | 'invalid_nonce'
  | 'invalid_encryption_parameters'
  | 'credential_request_denied'
  | 'invalid_transaction_id'
  | 'invalid_notification_id'
  | 'invalid_notification_request'

/**
 * A refusal on a protocol endpoint. The response contains `error`, `message` (as error_description) and `headers`, for
 * example WWW-Authenticate. `detail` and `cause` are only logged. The default of `status` is 400.
 */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly detail: string | undefined
  /** Members of the body in addition to `error` and `error_description`. */
  readonly members: Readonly<Record<string, unknown>>

  constructor(
    readonly error: OAuthErrorCode,
    description: string,
    options: {
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      readonly detail?: string | undefined
      readonly members?: Readonly<Record<string, unknown>>
      readonly cause?: unknown
    } = {},
  ) {
    super(description, { cause: options.cause })
    this.status = options.status ?? 400
    this.headers = options.headers ?? {}
    this.detail = options.detail
    this.members = options.members ?? {}
  }

  /** Returns a copy of this error with a different code and further members. */
  as(error: OAuthErrorCode, members: Readonly<Record<string, unknown>> = {}): OAuthError {
    const { message, status, headers, detail, cause } = this
    return new OAuthError(error, message, { status, headers, detail, members: { ...this.members, ...members }, cause })
  }

  /** The body of RFC 6749 §5.2; its character set has no `"` and no `\`. */
  toBody(): { error: string; error_description: string } {
    return { error: this.error, error_description: this.message.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'") }
  }
}
