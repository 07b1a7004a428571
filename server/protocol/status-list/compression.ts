import { deflateSync, gunzipSync, gzipSync, inflateSync, constants as zlib } from 'node:zlib'
import { CredentialError } from '../credential/verification.js'
import { decodeBase64url } from '../jose/base64url.js'
import { type Work, WorkExceededError } from '../work.js'

/**
 * Limit for the size of a status list, both before and after it is expanded. 2^20 entries of the largest size, 8 bits,
 * are 1 MiB. If compression does not shrink them, encoding them in base64url twice gives about 1.8 MB. A larger
 * document can only be an attack.
 */
export const MAX_STATUS_LIST_BYTES = 2 * 1024 * 1024

const UNITS_OF_AN_EXPANDED_BYTE = 0.1

/** base64url(gzip(bytes)), without the multibase prefix (Bitstring Status List v1.0 §2.2). */
export function gzipBase64url(bytes: Uint8Array): string {
  return gzipSync(bytes, { level: zlib.Z_BEST_COMPRESSION }).toString('base64url')
}

/** base64url(zlib(bytes)) (Token Status List §4.2). */
export function zlibBase64url(bytes: Uint8Array): string {
  return deflateSync(bytes, { level: zlib.Z_BEST_COMPRESSION }).toString('base64url')
}

/**
 * Reverses `gzipBase64url` or `zlibBase64url`. The result is never larger than 2 MiB.
 *
 * @param work the budget for the expanded bytes
 * @throws CredentialError if the text is not base64url, not compressed in this format, or expands to more than 2 MiB.
 */
export function expandBase64url(text: string, format: 'gzip' | 'zlib', work?: Work): Uint8Array {
  const compressed = decodeBase64url(text)
  if (compressed === undefined) throw new CredentialError('Status list is not base64url.')
  const options = { maxOutputLength: MAX_STATUS_LIST_BYTES }
  try {
    const expanded = format === 'gzip' ? gunzipSync(compressed, options) : inflateSync(compressed, options)
    work?.spend(expanded.length * UNITS_OF_AN_EXPANDED_BYTE)
    return expanded
  } catch (error) {
    if (error instanceof WorkExceededError) throw error
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') {
      throw new CredentialError(`Status list expands to more than ${MAX_STATUS_LIST_BYTES} bytes.`, { cause: error })
    }
    throw new CredentialError(`Status list is not ${format} data.`, { cause: error })
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
