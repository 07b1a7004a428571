import type { Jwk } from '../../protocol/jose/jws.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { isObject } from '../../protocol/json/json-object.js'
import type {
  DigitalCredentialProtocol,
  DigitalCredentialRequest,
} from '../../protocol/openid4vp/digital-credentials.js'

/** A request in the form in which it is sent: signed, or as its parameters. */
export interface SentRequest {
  /** Over the Digital Credentials API only. */
  readonly protocol?: DigitalCredentialProtocol
  /** A compact JWS, or a JWS in the general JSON serialization. */
  readonly signed?: string | JsonObject
  /** The public key that signed it. */
  readonly key?: Jwk
  /** The parameters of an unsigned request. */
  readonly parameters?: JsonObject
  /** The newest copies for wallets that sent a `wallet_nonce` or their metadata, each a compact JWS. */
  readonly copies?: readonly string[]
}

const MAX_COPIES = 5

/** The request with one more copy for a wallet. The oldest copy beyond five is dropped. */
export const withCopy = (sent: SentRequest, copy: string): SentRequest => ({
  ...sent,
  copies: [...(sent.copies ?? []), copy].slice(-MAX_COPIES),
})

/** The request object for each wallet that does not need a copy of its own; undefined if none is stored. */
export const sentRequestObject = ({ sent }: { readonly sent?: SentRequest }): string | undefined =>
  typeof sent?.signed === 'string' ? sent.signed : undefined

/** The stored request over the Digital Credentials API. */
export function sentDigitalCredentialRequest({ protocol, signed, parameters }: SentRequest): DigitalCredentialRequest {
  if (protocol === undefined) throw new Error('The stored request is of another way.')
  return { protocol, data: parameters ?? { request: signed } }
}

/** The request that a page passes to the browser, in the form for evidence. */
export function sentOverBrowser({ protocol, data }: DigitalCredentialRequest, key: Jwk): SentRequest {
  const { request } = data
  if (typeof request === 'string' || isObject(request)) return { protocol, signed: request, key }
  return { protocol, parameters: data }
}
