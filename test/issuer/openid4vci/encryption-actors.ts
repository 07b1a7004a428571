import {
  CompactEncrypt,
  type CompactJWEHeaderParameters,
  compactDecrypt,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose'
import type { Answer, TestService } from '../../support/service.js'

export const ISSUER_METADATA = '/.well-known/openid-credential-issuer'

/** What a wallet chooses for an encrypted message. */
export interface Choice {
  readonly enc?: string
  readonly zip?: 'DEF'
}

/** Reads the key for the encryption of requests from the current metadata. */
export async function requestKey(service: Pick<TestService, 'request'>): Promise<JWK> {
  const { json } = await service.request('GET', ISSUER_METADATA)
  return json.credential_request_encryption.jwks.keys[0]
}

/** Makes a JWE with an independent library. `header` changes members of the header. */
export async function encryptFor(
  key: JWK,
  content: string | Uint8Array,
  { enc = 'A128GCM', zip }: Choice = {},
  header: Readonly<Partial<CompactJWEHeaderParameters>> = {},
): Promise<string> {
  const members = { alg: 'ECDH-ES', enc, ...(zip === undefined ? {} : { zip }), kid: String(key.kid), ...header }
  return new CompactEncrypt(typeof content === 'string' ? new TextEncoder().encode(content) : content)
    .setProtectedHeader(members)
    .encrypt(await importJWK(key, members.alg))
}

/** A wallet's key for the encryption of answers. */
export interface AnswerKey {
  readonly publicJwk: JWK
  /** Decrypts an answer. Returns the content, and the header without the ephemeral key. */
  open(jwe: string): Promise<{ readonly header: object; readonly json: Answer['json'] }>
}

export async function newAnswerKey(members: Readonly<Partial<JWK>> = { kid: 'answer-1' }): Promise<AnswerKey> {
  const { privateKey, publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256' })
  return {
    publicJwk: { ...(await exportJWK(publicKey)), alg: 'ECDH-ES', ...members },
    open: async (jwe) => {
      const { plaintext, protectedHeader } = await compactDecrypt(jwe, privateKey)
      const { epk: _, ...header } = protectedHeader
      return { header, json: JSON.parse(new TextDecoder().decode(plaintext)) }
    },
  }
}

/** Sends a text with the content type of an encrypted request. */
export const sendJwe = (
  service: Pick<TestService, 'request'>,
  token: string,
  jwe: string,
  endpoint: 'credential' | 'deferred-credential' = 'credential',
): Promise<Answer> =>
  service.request('POST', `/openid4vci/${endpoint}`, {
    authorization: `Bearer ${token}`,
    headers: { 'content-type': 'application/jwt' },
    body: jwe,
  })

/**
 * Makes a `fetch` for a wallet whose library cannot encrypt. It encrypts credential requests and asks for encrypted
 * answers. It gives the decrypted answers to the library.
 */
export function encryptingFetch(choice: Choice, seen: { encrypted: number }): typeof fetch {
  return async (input, init) => {
    const url = String(input)
    if (!url.endsWith('/openid4vci/credential')) return fetch(input, init)
    const key = await newAnswerKey()
    const { enc = 'A128GCM', zip } = choice
    const request = {
      ...JSON.parse(String(init?.body)),
      credential_response_encryption: { jwk: key.publicJwk, enc, ...(zip === undefined ? {} : { zip }) },
    }
    const metadata: Answer['json'] = await (await fetch(new URL(ISSUER_METADATA, url))).json()
    const [requestJwk] = metadata.credential_request_encryption.jwks.keys
    const headers = new Headers(init?.headers)
    headers.set('content-type', 'application/jwt')
    const body = await encryptFor(requestJwk, JSON.stringify(request), choice)
    const answer = await fetch(url, { ...init, headers, body })
    if (answer.headers.get('content-type') !== 'application/jwt') return answer
    seen.encrypted += 1
    const { json } = await key.open(await answer.text())
    return Response.json(json, { status: answer.status })
  }
}
