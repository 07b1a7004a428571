import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { Answer, TestService } from '../support/service.js'
import type { WalletActor } from '../support/wallet-actor.js'
import { ask, encrypt, type Held, type PresentOptions, present, type RequestPayload } from './actors.js'

/** The origin of the page that sends the request, as browsers write it. */
export const SHOP = 'https://shop.example'

/** An element of `requests` of `navigator.credentials.get({digital: {requests}})`. */
export interface BrowserRequest {
  readonly protocol: string
  readonly data: Record<string, unknown>
}

/** The answer of `POST /authorization-requests` for the Digital Credentials API. */
export interface AskedOverBrowser {
  readonly response_uri: string
  readonly digitalCredentialRequest: BrowserRequest
  readonly nonce: string
  readonly verificationSessionId: string
}

export const askBrowser = (service: TestService, body: Record<string, unknown>): Promise<AskedOverBrowser> =>
  ask(service, { expectedOrigins: [SHOP], ...body }) as Promise<unknown> as Promise<AskedOverBrowser>

interface JwsJson {
  readonly payload: string
  readonly signatures: readonly { readonly protected: string; readonly signature: string }[]
}

/** The signatures of a multi-signed request, each as a compact JWS. */
export function signaturesOf({ data }: BrowserRequest) {
  const { payload, signatures } = data.request as JwsJson
  return signatures.map((one) => {
    const compact = `${one.protected}.${payload}.${one.signature}`
    return { compact, header: decodeProtectedHeader(compact) as Record<string, unknown> }
  })
}

/** The parameters of a signed, multi-signed or unsigned request. */
export function parametersOf({ protocol, data }: BrowserRequest): RequestPayload & { expected_origins?: string[] } {
  if (protocol === 'openid4vp-v1-unsigned') return data as never
  const { request } = data
  return decodeJwt(
    typeof request === 'string' ? request : (signaturesOf({ protocol, data })[0]?.compact ?? ''),
  ) as never
}

export interface BrowserWallet extends PresentOptions {
  /** The origin of the page, as the browser reports it. */
  readonly origin?: string
}

/**
 * The answer that a wallet gives the browser for a request (OpenID4VP 1.0 Appendix A.4). Its audience is the origin that the
 * browser reports. It is encrypted if the response mode demands it.
 */
export async function answerInBrowser(
  request: BrowserRequest,
  wallet: WalletActor,
  held: Held,
  { origin = SHOP, ...options }: BrowserWallet = {},
): Promise<BrowserRequest> {
  const parameters = parametersOf(request)
  const [query] = parameters.dcql_query.credentials
  const shown = await present(held, wallet, parameters, { audience: `origin:${origin}`, ...options })
  return credentialWith(request, { vp_token: { [query?.id ?? '']: [shown] } })
}

/** Makes a `DigitalCredential` with an answer in the protocol that the request names. */
export async function credentialWith(
  request: BrowserRequest,
  answer: Record<string, unknown>,
): Promise<BrowserRequest> {
  const { protocol } = request
  const parameters = parametersOf(request)
  if (!parameters.response_mode.endsWith('.jwt')) return { protocol, data: answer }
  return { protocol, data: { response: await encrypt(parameters, answer) } }
}

/** Posts the browser's response, as a page does. */
export async function postFrom(
  origin: string | undefined,
  { response_uri: uri }: Pick<AskedOverBrowser, 'response_uri'>,
  credential: unknown,
): Promise<Answer> {
  const response = await fetch(uri, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(origin === undefined ? {} : { origin }) },
    body: JSON.stringify(credential),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
}
