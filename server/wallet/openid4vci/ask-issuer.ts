import { resourceRequest } from '@openid4vc/oauth2'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { oauthErrorOfBody, parsedJson } from '../exchange/failure.js'
import { WalletError } from '../exchange/wallet-error.js'
import { maxAnswerBytes } from './answer-size.js'
import { dpopOf, type Grant, type Session, withNonce } from './issuance.js'
import { messageEncryption, sentMessage } from './message-encryption.js'

/** A refusal of the credential issuer (OpenID4VCI 1.0 §8.3.1, §9.3). */
export class IssuerRefusal extends WalletError {
  constructor(
    readonly status: number,
    /** `error` of the answer; undefined if the answer has none. */
    readonly code: string | undefined,
    /** The whole body of the answer. */
    readonly body: unknown,
    said: string,
  ) {
    super(`The credential issuer refused the request: ${said}`)
  }
}

/** A successful answer of an issuer's endpoint. */
export interface IssuerAnswer {
  readonly status: number
  readonly body: unknown
  /** The grant with the server's newest DPoP nonce. */
  readonly grant: Grant
}

function refusalOf(status: number, text: string): IssuerRefusal {
  const body = parsedJson(text)
  const { error } = (body ?? {}) as { error?: unknown }
  const code = typeof error === 'string' ? error : undefined
  return new IssuerRefusal(status, code, body, oauthErrorOfBody(text) ?? `status ${status}`)
}

/**
 * Sends a Credential Request or Deferred Credential Request (OpenID4VCI 1.0 §8, §9), encrypted if the issuer's metadata
 * offer encryption.
 *
 * @throws IssuerRefusal; WalletError for an answer that cannot be read.
 */
export async function askIssuer(
  { callbacks, metadata, copies }: Pick<Session, 'callbacks' | 'metadata' | 'copies'>,
  grant: Grant,
  url: string,
  message: JsonObject,
): Promise<IssuerAnswer> {
  const { type, body, read } = sentMessage(message, messageEncryption(metadata), maxAnswerBytes(copies))
  const answer = await resourceRequest({
    url,
    accessToken: grant.token.access_token,
    callbacks,
    requestOptions: { method: 'POST', headers: { 'content-type': type }, body },
    ...dpopOf(grant),
  })
  const { status, headers } = answer.response
  const text = read(await answer.response.text(), headers.get('content-type'), answer.ok)
  if (!answer.ok) throw refusalOf(status, text)
  const parsed = parsedJson(text)
  if (parsed === undefined) throw new WalletError('The credential endpoint answered with something that is not JSON.')
  return { status, body: parsed, grant: withNonce(grant, answer.dpop) }
}
