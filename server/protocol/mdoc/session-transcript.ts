import { hash } from 'node:crypto'
import { type Jwk, thumbprint } from '../jose/jws.js'
import { encodeCbor } from './cbor/encode.js'
import type { Encodable } from './cbor/values.js'

interface Requested {
  readonly nonce: string
  /** The public key that encrypts the answer; undefined if the answer is not encrypted. */
  readonly encryptionKey?: Jwk | undefined
}

/** A request whose answer is sent to `response_uri`. */
export interface RedirectRequest extends Requested {
  /** The client identifier, with its prefix. */
  readonly clientId: string
  /** `response_uri`, or `redirect_uri` if there is none. */
  readonly responseUri: string
}

/** A request over the Digital Credentials API. */
export interface DcApiRequest extends Requested {
  /** Origin of the page that asks, without the prefix `origin:`. */
  readonly origin: string
}

/** The encoded SessionTranscript of an answer by redirect or to a `response_uri` (OpenID4VP 1.0 Appendix B.2.6.1). */
export function redirectTranscript({ clientId, nonce, encryptionKey, responseUri }: RedirectRequest): Uint8Array {
  return transcript('OpenID4VPHandover', [clientId, nonce, thumbprintBytes(encryptionKey), responseUri])
}

/** The encoded SessionTranscript of an answer over the Digital Credentials API (OpenID4VP 1.0 Appendix B.2.6.2). */
export function dcApiTranscript({ origin, nonce, encryptionKey }: DcApiRequest): Uint8Array {
  return transcript('OpenID4VPDCAPIHandover', [origin, nonce, thumbprintBytes(encryptionKey)])
}

function transcript(handover: string, info: readonly Encodable[]): Uint8Array {
  return encodeCbor([null, null, [handover, hash('sha256', encodeCbor(info), 'buffer')]])
}

const thumbprintBytes = (jwk: Jwk | undefined) => (jwk === undefined ? null : Buffer.from(thumbprint(jwk), 'base64url'))
