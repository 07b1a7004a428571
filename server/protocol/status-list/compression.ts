import { deflateSync, gunzipSync, gzipSync, inflateSync, constants as zlib } from 'node:zlib'
import { CredentialError } from '../credential/verification.js'
import { decodeBase64url } from '../jose/base64url.js'

/** 2^20 entries of the largest size, 8 bits, are 1 MiB; what expands to more than twice that is no status list but an attack. */
const MAX_EXPANDED_BYTES = 2 * 1024 * 1024

/** base64url(gzip(bytes)), without the multibase prefix (Bitstring Status List v1.0 §2.2). */
export function gzipBase64url(bytes: Uint8Array): string {
  return gzipSync(bytes, { level: zlib.Z_BEST_COMPRESSION }).toString('base64url')
}

/** base64url(zlib(bytes)) (Token Status List §4.2). */
export function zlibBase64url(bytes: Uint8Array): string {
  return deflateSync(bytes, { level: zlib.Z_BEST_COMPRESSION }).toString('base64url')
}

/**
 * Undoes `gzipBase64url` or `zlibBase64url`. Never expands beyond 2 MiB, whatever the input claims to hold.
 *
 * @throws CredentialError when the text is not base64url, not compressed so, or expands to more.
 */
export function expandBase64url(text: string, format: 'gzip' | 'zlib'): Uint8Array {
  const compressed = decodeBase64url(text)
  if (compressed === undefined) throw new CredentialError('Status list is not base64url.')
  const options = { maxOutputLength: MAX_EXPANDED_BYTES }
  try {
    return format === 'gzip' ? gunzipSync(compressed, options) : inflateSync(compressed, options)
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') {
      throw new CredentialError(`Status list expands to more than ${MAX_EXPANDED_BYTES} bytes.`, { cause: error })
    }
    throw new CredentialError(`Status list is not ${format} data.`, { cause: error })
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
