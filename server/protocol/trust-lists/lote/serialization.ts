import { isObject } from '../../json/json-object.js'
import { ListRefusedError } from '../refusal.js'

const ascii = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The compact form of a signed list. A JSON serialization with exactly one signature (RFC 7515 §7.2) is rewritten: the
 * signed text is the same. A list without a signature is refused as unsigned. Throws ListRefusedError.
 */
export function compactOf(bytes: Uint8Array): string {
  const text = textOf(bytes).trim()
  if (!text.startsWith('{')) return text
  const value = parse(text)
  if (isObject(value) && 'LoTE' in value)
    throw new ListRefusedError('unsigned', 'The list is not signed: it is plain JSON.')
  const { payload, signatures, protected: header, signature } = isObject(value) ? value : {}
  const [only, ...others] = Array.isArray(signatures) ? signatures : [{ protected: header, signature }]
  if (others.length > 0) {
    throw new ListRefusedError('several-signatures', 'The list has several signatures, and one is expected.')
  }
  const parts = isObject(only) ? [only.protected, payload, only.signature] : []
  if (parts.length > 0 && parts.every((part) => typeof part === 'string')) return parts.join('.')
  throw new ListRefusedError('malformed', 'The list is no JWS: it is JSON without a payload and a protected header.')
}

function textOf(bytes: Uint8Array): string {
  try {
    return ascii.decode(bytes)
  } catch (cause) {
    throw new ListRefusedError('malformed', 'The list is no JWS: it is not text.', { cause })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ListRefusedError('malformed', 'The list is no JWS: it is neither JSON nor in compact form.', { cause })
  }
}
