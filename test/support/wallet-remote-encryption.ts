import {
  CompactEncrypt,
  type CryptoKey,
  compactDecrypt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose'
import type { RemoteAnswer, RemoteHandler } from './wallet-http.js'

/** The encryption that an independent issuer demands (OpenID4VCI 1.0 §10), and the encryption of its answers. */
export interface RemoteEncryptionOptions {
  readonly required: 'requests' | 'answers' | 'nothing'
  readonly enc?: string
  /** Compresses answers. */
  readonly zip?: boolean
  /** Changes the encrypted answer, or replaces it by a text that is not a JWE: an attack. */
  readonly answer?: (jwe: string, wallet: JWK) => Promise<RemoteAnswer> | RemoteAnswer
}

/** The encryption of an independent issuer's messages, made with jose. */
export interface RemoteEncryption {
  /** Members of the metadata. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** `alg`, `enc`, `kid`… of every encrypted request. */
  readonly requests: Readonly<Record<string, unknown>>[]
  /** The encryption that wallets requested for answers. */
  readonly asked: Readonly<Record<string, unknown>>[]
  /** Wraps the handler of an endpoint. */
  around(handler: RemoteHandler): RemoteHandler
}

/** Makes a JWE with jose. */
export async function jweFor(key: JWK, content: string | Uint8Array, header: Record<string, unknown> = {}) {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return new CompactEncrypt(bytes)
    .setProtectedHeader({
      alg: 'ECDH-ES',
      enc: 'A128GCM',
      ...(key.kid === undefined ? {} : { kid: key.kid }),
      ...header,
    })
    .encrypt(await importJWK(key, 'ECDH-ES'))
}

export async function newRemoteEncryption(options: RemoteEncryptionOptions): Promise<RemoteEncryption> {
  const { enc = 'A128GCM', required } = options
  const { privateKey, publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'request-key', use: 'enc', alg: 'ECDH-ES' }
  const common = { enc_values_supported: [enc], ...(options.zip === true ? { zip_values_supported: ['DEF'] } : {}) }
  const other = { kty: 'EC', crv: 'P-384', x: jwk.x, y: jwk.y, kid: 'another', alg: 'ECDH-ES+A256KW' }
  const requests: Readonly<Record<string, unknown>>[] = []
  const asked: Readonly<Record<string, unknown>>[] = []
  const answered = async (answer: RemoteAnswer, parameters: { jwk: JWK; enc: string }): Promise<RemoteAnswer> => {
    const zip = options.zip === true ? { zip: 'DEF' } : {}
    const jwe = await jweFor(parameters.jwk, JSON.stringify(answer.body), { enc: parameters.enc, ...zip })
    if (options.answer !== undefined) return options.answer(jwe, parameters.jwk)
    return { status: answer.status ?? 200, headers: { 'content-type': 'application/jwt' }, body: jwe }
  }
  return {
    metadata: {
      credential_request_encryption: {
        jwks: { keys: [other, jwk] },
        ...common,
        encryption_required: required !== 'nothing',
      },
      credential_response_encryption: {
        alg_values_supported: ['ECDH-ES'],
        ...common,
        encryption_required: required === 'answers',
      },
    },
    requests,
    asked,
    around: (handler) => async (request) => {
      if (request.headers.get('content-type') !== 'application/jwt' && required === 'nothing') return handler(request)
      if (request.headers.get('content-type') !== 'application/jwt')
        return { status: 400, body: { error: 'invalid_encryption_parameters', error_description: 'Not encrypted.' } }
      requests.push({ ...decodeProtectedHeader(request.text) })
      const { plaintext } = await compactDecrypt(request.text, privateKey as CryptoKey)
      const text = new TextDecoder().decode(plaintext)
      const { credential_response_encryption: parameters } = JSON.parse(text)
      const answer = await handler({ ...request, text })
      if (parameters !== undefined) asked.push(parameters)
      return parameters === undefined || (answer.status ?? 200) > 299 ? answer : answered(answer, parameters)
    },
  }
}
