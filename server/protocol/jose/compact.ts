import { isObject } from '../json/json-object.js'
import { decodeBase64url } from './base64url.js'
import { JwsError } from './jws-error.js'

/** The parts of a compact JWS whose payload is a JSON object, such as a JWT. */
export interface DecodedJws {
  header: Record<string, unknown>
  payload: Record<string, unknown>
  /** The signed text (RFC 7515 §5.1): the first two segments, unchanged. */
  signingInput: string
  signature: Uint8Array
}

/** The longest compact JWS that is read, in characters, unless a caller allows more. */
export const MAX_COMPACT_LENGTH = 256 * 1024

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes a compact JWS (RFC 7515 §7.1) WITHOUT verifying it. It must have three segments of unpadded base64url (the
 * signature may be empty), and header and payload must be JSON objects. Throws JwsError `malformed`.
 *
 * @param maxLength in characters; 256 KiB by default
 * @param understood names that `crit` may hold, because the caller processes these header parameters
 */
export function decodeCompact(
  compact: string,
  maxLength = MAX_COMPACT_LENGTH,
  understood: readonly string[] = [],
): DecodedJws {
  if (compact.length > maxLength) throw new JwsError('malformed', `The JWT is longer than ${maxLength / 1024} KiB.`)
  const [protectedHeader, payload, encodedSignature, ...others] = compact.split('.', 4)
  if (protectedHeader === undefined || payload === undefined || encodedSignature === undefined || others.length > 0) {
    throw new JwsError('malformed', 'A JWT consists of three segments separated by dots.')
  }
  const signature = decodeBase64url(encodedSignature)
  if (signature === undefined) throw new JwsError('malformed', 'The JWT signature is not base64url.')
  const header = decodeObject(protectedHeader, 'header')
  refuseExtensions(header, understood)
  const signingInput = compact.slice(0, protectedHeader.length + 1 + payload.length)
  return { header, payload: decodeObject(payload, 'payload'), signingInput, signature }
}

function decodeObject(segment: string, name: string): Record<string, unknown> {
  const octets = decodeBase64url(segment)
  if (octets === undefined) throw new JwsError('malformed', `The JWT ${name} is not base64url.`)
  const value = parseJson(octets, name)
  if (!isObject(value)) throw new JwsError('malformed', `The JWT ${name} is not a JSON object.`)
  return value
}

function parseJson(octets: Uint8Array, name: string): unknown {
  try {
    return JSON.parse(utf8.decode(octets))
  } catch (cause) {
    throw new JwsError('malformed', `The JWT ${name} is not JSON.`, { cause })
  }
}

function refuseExtensions(header: Record<string, unknown>, understood: readonly string[]): void {
  // RFC 7515 §4.1.11: a JWS whose `crit` names an extension that the caller does not process is invalid. So is an empty
  // `crit`, and one that names a parameter that the header lacks. RFC 7797 §3: `b64` changes the signed text, so it is
  // refused with or without `crit`.
  if ('crit' in header && !isUnderstood(header, understood))
    throw new JwsError('malformed', 'The JWT header has critical extensions that are not supported.')
  if ('b64' in header) throw new JwsError('malformed', 'The JWT header has the member b64, which is not supported.')
}

function isUnderstood(header: Record<string, unknown>, understood: readonly string[]): boolean {
  const { crit } = header
  if (!Array.isArray(crit) || crit.length === 0 || new Set(crit).size < crit.length) return false
  return crit.every((name) => typeof name === 'string' && understood.includes(name) && Object.hasOwn(header, name))
}
