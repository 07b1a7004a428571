import type { ClientCertificate } from '../../outbound/connect.js'

/** The ways in which requests to a claims source are authenticated. A source has at least one. */
export interface SourceAuth {
  /** A token in the Authorization header (RFC 6750 §2.1). */
  readonly bearer?: true
  /** A signature after Standard Webhooks 1.0.0. */
  readonly hmac?: true
  /** A client certificate (RFC 8705 §2). */
  readonly mTLS?: true
}

/** The issuer's own system that a schema's claims come from, without its secrets. */
export interface ClaimsSource {
  readonly url: string
  /** Limit in milliseconds for one request. */
  readonly timeoutMs: number
  readonly auth: SourceAuth
}

/** The secrets of a claims source. Its members are those of {@link SourceAuth}. */
export interface SourceSecret {
  readonly bearer?: string | undefined
  /** `whsec_` and the key in base64. */
  readonly hmac?: string | undefined
  readonly mTLS?: ClientCertificate | undefined
}

export const DEFAULT_TIMEOUT_MS = 5_000

/** The members of an authentication, without the secrets. */
export const kindsOf = ({ bearer, hmac, mTLS }: SourceSecret): SourceAuth => ({
  ...(bearer === undefined ? {} : { bearer: true }),
  ...(hmac === undefined ? {} : { hmac: true }),
  ...(mTLS === undefined ? {} : { mTLS: true }),
})
