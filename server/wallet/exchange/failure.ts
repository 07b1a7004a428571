import {
  InvalidFetchResponseError,
  Oauth2ClientErrorResponseError,
  Oauth2Error,
  Oauth2ServerErrorResponseError,
} from '@openid4vc/oauth2'
import { Openid4vciRetrieveCredentialsError } from '@openid4vc/openid4vci'
import { DcqlError } from 'dcql'
import { errors, ServiceError } from '../../api/errors.js'
import { OutboundError } from '../../outbound/outbound-error.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import { WalletError } from './wallet-error.js'

const MAX_LENGTH = 500

/** The base class of the libraries' errors. The libraries do not export this class. */
const LibraryError: typeof Error = Object.getPrototypeOf(InvalidFetchResponseError)

/**
 * Validation errors. Each library has its own class for these errors, because one library bundles a copy of the shared
 * code.
 */
const isLibraryError = (thrown: unknown): thrown is Error =>
  thrown instanceof Oauth2Error ||
  thrown instanceof LibraryError ||
  (thrown instanceof Error && Object.hasOwn(thrown, 'zodError'))

/**
 * Text of a remote party or a library, on one line of printable characters. The libraries quote whole offers, whose codes must
 * not appear in an error message.
 */
const printable = (text: string) =>
  text
    .replace(/'[^']{100,}'/g, "'…'")
    .replace(/[^\x20-\x7e\u00a0-\uffff]+/g, ' ')
    .trim()
    .slice(0, MAX_LENGTH)

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** `error` and `error_description` of RFC 6749 §5.2, which OpenID4VCI and OpenID4VP also use. */
function oauthError(body: unknown): string | undefined {
  const { error, error_description: description } = (body ?? {}) as Record<string, unknown>
  const parts = [text(error), text(description)].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.join(': ')
}

/** A body as JSON; undefined if it is not JSON. */
export function parsedJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The error of an unsuccessful response; undefined if its body cannot be read. */
export const oauthErrorOfBody = (body: string): string | undefined => oauthError(parsedJson(body))

/**
 * The error of the outbound guard or of a check of this service. The libraries wrap this error, which is the most
 * specific reason.
 */
function ownReason(thrown: unknown): string | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 8; error = error.cause, depth += 1) {
    if (error instanceof OutboundError || error instanceof WalletError || error instanceof CredentialError)
      return error.message
  }
  return undefined
}

/** The error of this service in a chain of causes that has the certificates of an untrusted signer. */
function untrustedIn(thrown: unknown): WalletError | CredentialError | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 8; error = error.cause, depth += 1) {
    if (!(error instanceof WalletError || error instanceof CredentialError)) continue
    if (error.untrusted !== undefined) return error
  }
  return undefined
}

function reasonOf(thrown: unknown): string | undefined {
  const own = ownReason(thrown)
  if (own !== undefined) return own
  if (thrown instanceof Oauth2ClientErrorResponseError) {
    return `The authorization server refused the request: ${oauthError(thrown.errorResponse) ?? thrown.message}`
  }
  if (thrown instanceof Openid4vciRetrieveCredentialsError) {
    const refusal = oauthError(thrown.response.credentialErrorResponseResult?.data)
    return refusal === undefined ? thrown.message : `The credential issuer refused the request: ${refusal}`
  }
  if (thrown instanceof Oauth2ServerErrorResponseError) return oauthError(thrown.errorResponse) ?? thrown.message
  if (thrown instanceof InvalidFetchResponseError) {
    const [message = ''] = thrown.message.split('\n', 1)
    const said = oauthErrorOfBody(thrown.textResponse)
    return said === undefined ? message : `${message} (${said})`
  }
  if (thrown instanceof DcqlError) return `The DCQL query is not valid: ${thrown.message}`
  return isLibraryError(thrown) ? thrown.message : undefined
}

/** The reason why an exchange failed, in one line; undefined for an unexpected error. */
export function failureReason(thrown: unknown): string | undefined {
  const reason = reasonOf(thrown)
  return reason === undefined ? undefined : printable(reason)
}

/**
 * The error for a failed exchange with an issuer or verifier: 500 with the underlying reason, which production hides. The certificates
 * of an untrusted signer stay with the error.
 * Deliberate errors of this service and unexpected errors are returned unchanged. Errors of the libraries are not logged as
 * `cause`, because their text may hold data that the other side sent.
 */
export function walletFailure(thrown: unknown): unknown {
  if (thrown instanceof ServiceError) return thrown
  const reason = failureReason(thrown)
  if (reason === undefined) return thrown
  const untrusted = untrustedIn(thrown)
  const own = thrown instanceof WalletError || thrown instanceof CredentialError ? thrown : untrusted
  return errors.walletFailed(reason, own, untrusted?.untrusted)
}

/** Runs one exchange with an issuer or verifier and translates its error. */
export async function exchanging<T>(exchange: () => Promise<T>): Promise<T> {
  try {
    return await exchange()
  } catch (thrown) {
    throw walletFailure(thrown)
  }
}
