import { CompactEncrypt, decodeJwt, decodeProtectedHeader, importJWK } from 'jose'
import type { Jwk } from '../../server/protocol/jose/jws.js'
import { createVpJwt } from '../../server/protocol/jwt-vc/presentation.js'
import { createKeyBinding } from '../../server/protocol/sd-jwt-vc/key-binding.js'
import { presentSdJwtVc } from '../../server/protocol/sd-jwt-vc/present.js'
import type { Answer, TestService } from '../support/service.js'
import { newWallet, type WalletActor } from '../support/wallet-actor.js'

export const TYPE = 'ProofOfPurchase'
export const SUBJECT = { product: 'Espresso machine', price: 249, email: 'ada@example.com' }

export type Format = 'jwt_vc_json' | 'dc+sd-jwt'
export type ResponseMode = 'direct_post' | 'direct_post.jwt'

/** A query item that names the type and asks for one claim. */
export const ITEM = {
  fields: [
    { path: ['$.type'], filter: { type: 'array', contains: { const: TYPE } } },
    { path: ['$.credentialSubject.product'], filter: { type: 'string' } },
  ],
}

/** The same query in DCQL, for one format. */
export function dcql(service: TestService, format: Format, members: Record<string, unknown> = {}) {
  const credential =
    format === 'dc+sd-jwt'
      ? { id: 'purchase', format, meta: { vct_values: [vct(service)] }, claims: [{ path: ['product'] }] }
      : {
          id: 'purchase',
          format,
          meta: { type_values: [[TYPE]] },
          claims: [{ path: ['credentialSubject', 'product'] }],
        }
  return { credentials: [{ ...credential, ...members }] }
}

export const vct = (service: TestService): string => `${service.url}/vct/${TYPE}`

export async function makeSchema(service: TestService, name = TYPE): Promise<void> {
  const created = await service.request('POST', '/schemas', {
    authorization: await service.bearer('issuer'),
    body: {
      name,
      version: 1,
      schema: {
        type: 'object',
        properties: { product: { type: 'string' }, price: { type: 'number' }, email: { type: 'string' } },
        required: ['product'],
        additionalProperties: false,
      },
    },
  })
  if (created.status !== 201) throw new Error(`Schema was not made: ${created.text}`)
}

export interface Held {
  readonly id: string
  readonly credential: string
  readonly format: Format
}

/** Signs a credential of the service's own issuer, bound to a wallet. */
export async function issue(
  service: TestService,
  wallet: WalletActor | undefined,
  format: Format,
  subject: Record<string, unknown> = SUBJECT,
  type = TYPE,
): Promise<Held> {
  const signed = await service.request('POST', '/credentials/sign', {
    authorization: await service.bearer('issuer'),
    body: { type, credential_subject: subject, format, ...(wallet === undefined ? {} : { holder: wallet.did }) },
  })
  if (signed.status !== 201) throw new Error(`Credential was not signed: ${signed.text}`)
  return { id: signed.json.id, credential: signed.json.credential, format }
}

/** Creates a request with the body of POST /authorization-requests. */
export async function ask(service: TestService, body: Record<string, unknown>, sub = 'verifier'): Promise<Asked> {
  const created = await service.request('POST', '/authorization-requests', {
    authorization: await service.bearer(sub),
    body,
  })
  if (created.status !== 201) throw new Error(`Request was not made: ${created.text}`)
  return created.json
}

export interface Asked {
  readonly request_uri: string
  readonly qr_code_url: string
  readonly state: string
  readonly nonce: string
  readonly validity: number
  readonly verificationSessionId: string
  readonly authorizationRequestUri: string
  /** The address with a different scheme (HAIP), or at a wallet's address (`walletUrl`). */
  readonly walletUri?: string
}

/** The members of a request object that tests use. */
export interface RequestPayload {
  readonly client_id: string
  readonly response_uri: string
  readonly response_mode: ResponseMode
  readonly nonce: string
  readonly state: string
  readonly wallet_nonce?: string
  readonly dcql_query: { credentials: { id: string; format: Format }[]; credential_sets?: unknown }
  readonly client_metadata: { jwks?: { keys: [Jwk] }; encrypted_response_enc_values_supported?: string[] }
  readonly [name: string]: unknown
}

/** Fetches the request object, as a wallet does. */
export async function fetchRequest(asked: Pick<Asked, 'request_uri'>): Promise<RequestPayload> {
  const response = await fetch(asked.request_uri)
  if (response.status !== 200) throw new Error(`Request object: ${response.status} ${await response.text()}`)
  return decodeJwt<RequestPayload>(await response.text())
}

export interface PresentOptions {
  /** Members of the Key Binding JWT or VP that a test can make wrong. */
  readonly nonce?: string
  readonly audience?: string
  readonly issuedAt?: Date
  readonly disclose?: readonly (readonly string[])[]
  /** Additional claims of the Key Binding JWT. */
  readonly claims?: Record<string, unknown>
}

/** Makes a presentation of a credential for a request. */
export async function present(
  held: Held,
  wallet: WalletActor,
  request: Pick<RequestPayload, 'nonce' | 'client_id'>,
  options: PresentOptions = {},
): Promise<string> {
  const { nonce = request.nonce, audience = request.client_id, issuedAt = new Date() } = options
  if (held.format === 'jwt_vc_json') {
    const { did: holder, signer } = wallet
    return createVpJwt({ signer, holder, credentials: [held.credential], nonce, audience, issuedAt })
  }
  const sdJwt = presentSdJwtVc(held.credential, options.disclose ?? [['product']])
  const { claims = {} } = options
  return createKeyBinding({ signer: wallet.signer, sdJwt, nonce, audience, issuedAt, claims })
}

export interface EncryptOptions {
  readonly enc?: string
  readonly header?: Record<string, unknown>
  /** Party information of the key agreement (RFC 7518 §4.6.1.2, §4.6.1.3). */
  readonly parties?: { readonly apu?: Uint8Array; readonly apv?: Uint8Array }
}

/** Encrypts a wallet's answer for the key of a request. */
export async function encrypt(
  request: RequestPayload,
  payload: Record<string, unknown>,
  { enc = 'A128GCM', header = {}, parties = {} }: EncryptOptions = {},
): Promise<string> {
  const jwk = request.client_metadata.jwks?.keys[0]
  if (jwk === undefined) throw new Error('The request has no encryption key.')
  return new CompactEncrypt(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc, kid: jwk.kid ?? '', ...header })
    .setKeyManagementParameters(parties)
    .encrypt(await importJWK(jwk, 'ECDH-ES'))
}

/** POSTs a form to an address of the service. */
export async function postForm(url: string, form: Record<string, string>): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
  const text = await response.text()
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    json = undefined
  }
  return { status: response.status, headers: response.headers, text, json }
}

/** Answers a request as its response mode demands. */
export async function answer(
  request: RequestPayload,
  vpToken: Record<string, unknown>,
  state: string = request.state,
): Promise<Answer> {
  if (request.response_mode === 'direct_post') {
    return postForm(request.response_uri, { vp_token: JSON.stringify(vpToken), state })
  }
  return postForm(request.response_uri, { response: await encrypt(request, { vp_token: vpToken, state }) })
}

/** The credential queries of a request that ask for a format. */
export const queryIds = (request: RequestPayload, format: Format): string[] =>
  request.dcql_query.credentials.filter((query) => query.format === format).map(({ id }) => id)

/** Reads the session with GET /verification-sessions/{id}. */
export async function sessionOf(service: TestService, asked: Pick<Asked, 'verificationSessionId'>) {
  const read = await service.request('GET', `/verification-sessions/${asked.verificationSessionId}`, {
    authorization: await service.bearer('verifier'),
  })
  return read.json
}

/** A service with the type, a wallet, and a credential in each format. */
export async function makeWorld(service: TestService) {
  await makeSchema(service)
  const wallet = await newWallet()
  const [sdJwt, jwtVc] = await Promise.all([issue(service, wallet, 'dc+sd-jwt'), issue(service, wallet, 'jwt_vc_json')])
  return { wallet, held: { 'dc+sd-jwt': sdJwt, jwt_vc_json: jwtVc } as const }
}

export { decodeJwt, decodeProtectedHeader }
