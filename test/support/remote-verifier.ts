import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Openid4vpVerifier, type ParsedOpenid4vpAuthorizationResponse } from '@openid4vc/openid4vp'
import { CompactEncrypt, compactDecrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { z } from 'zod'
import { makeCertificate } from '../protocol/issuer-keys/certificates.js'
import { newRemoteKey, type RemoteKey, remoteCallbacks, signJwt } from './wallet-callbacks.js'
import { type RemoteAnswer, type RemoteHandler, type SeenRequest, startRemoteServer } from './wallet-http.js'

type JsonObject = Readonly<Record<string, unknown>>

export interface RemoteRequestOptions {
  readonly mode?: 'direct_post' | 'direct_post.jwt'
  readonly prefix?: 'decentralized_identifier' | 'redirect_uri' | 'x509_san_dns' | 'x509_hash'
  readonly method?: 'get' | 'post'
  /** Members that replace members of the request. An undefined value removes a member: an attack, or a draft. */
  readonly payload?: JsonObject
  /** The keys of `client_metadata`, made from the key for encrypted responses. */
  readonly keys?: (usable: JsonObject) => readonly JsonObject[]
  readonly header?: JsonObject
  /** A function that signs instead of the verifier: an attack. */
  readonly signer?: RemoteKey
  /** The client identifier in the address, if it differs from the request object: an attack, or a draft. */
  readonly clientId?: string
  /** Further parameters of the address. */
  readonly address?: Readonly<Record<string, string>>
  /**
   * Encrypts the request object for the key that the wallet published (OpenID4VP 1.0 §5.10). `header` replaces members
   * of the JWE header.
   */
  readonly encrypted?: RequestEncryption
  /** Omits the `wallet_nonce` in the request object: an attack. */
  readonly forgetsNonce?: boolean
}

export interface RequestEncryption {
  readonly header?: JsonObject
  /** The key that replaces the wallet's key: an attack. */
  readonly key?: JWK
  /** The text that replaces the signed request object: an attack. */
  readonly content?: string
}

/** A presentation as the verifier received it. */
export interface RemoteResponse {
  /** The presentations by credential query. With Presentation Exchange: by input descriptor. */
  readonly presentations: Readonly<Record<string, readonly unknown[]>>
  readonly nonce: string
  readonly clientId: string
  readonly responseUri: string
  /** The key of the request that encrypted the answer; undefined for an unencrypted answer. */
  readonly encryptionKey: JWK | undefined
  readonly encrypted: boolean
  readonly state: string | undefined
  /** `presentation_submission`, if the request used Presentation Exchange. */
  readonly submission?: Submission
}

const zSubmission = z.looseObject({
  id: z.string(),
  definition_id: z.string(),
  descriptor_map: z.array(z.looseObject({ id: z.string(), format: z.string(), path: z.string() })),
})
export type Submission = z.infer<typeof zSubmission>

/** Reads the value of a form field: a presentation, or several presentations as JSON. */
const textOrJson = (value: unknown): unknown =>
  typeof value === 'string' && value.startsWith('[') ? JSON.parse(value) : value

/**
 * Finds the presentations of a submission by descriptor (draft 21 §6.1). The path `$` means a single presentation,
 * `$[n]` one of several.
 */
function submitted(
  vpToken: unknown,
  read: Record<string, unknown>,
): Pick<RemoteResponse, 'presentations' | 'submission'> {
  const submission = zSubmission.parse(read)
  const at = (path: string) => {
    if (path === '$' && !Array.isArray(vpToken)) return [vpToken]
    const index = /^\$\[(\d+)\]$/.exec(path)?.[1]
    if (index === undefined || !Array.isArray(vpToken)) throw new Error(`${path} leads to no presentation.`)
    return [vpToken[Number(index)]]
  }
  const presentations = Object.fromEntries(submission.descriptor_map.map(({ id, path }) => [id, at(path)]))
  return { presentations, submission }
}

/** An error in a wallet's answer. */
export interface RemoteRefusal {
  readonly error: unknown
  readonly state: unknown
  readonly encrypted: boolean
}

/** A verifier that shares no code with the service: `@openid4vc/openid4vp`, jose. */
export interface RemoteVerifier extends AsyncDisposable {
  readonly url: string
  readonly key: RemoteKey
  readonly seen: readonly SeenRequest[]
  readonly responses: readonly RemoteResponse[]
  readonly refusals: readonly RemoteRefusal[]
  /** File with the root of the verifier's certificate, for VERIFIER_TRUST_ANCHORS. */
  readonly anchorFile: string
  /** `openid4vp://` address of a request for a DCQL query. */
  request(query: unknown, options?: RemoteRequestOptions): Promise<string>
  close(): Promise<void>
}

export interface RemoteVerifierOptions {
  /** Replaces the verifier's answer to a presentation. */
  readonly answer?: (response: RemoteResponse) => RemoteAnswer
}

interface StoredRequest {
  readonly payload: JsonObject
  readonly options: RemoteRequestOptions
}

const LONG = { notBefore: '2020-01-01T00:00:00Z', notAfter: '2099-12-31T23:59:59Z' }

export async function startRemoteVerifier(options: RemoteVerifierOptions = {}): Promise<RemoteVerifier> {
  const key = await newRemoteKey()
  const { privateKey, publicKey } = await generateKeyPair('ECDH-ES', { extractable: true })
  const decryptionKey = { ...(await exportJWK(privateKey)), kid: 'response-key', alg: 'ECDH-ES' }
  const encryptionKey = { ...(await exportJWK(publicKey)), kid: 'response-key', use: 'enc', alg: 'ECDH-ES' }
  const library = new Openid4vpVerifier({ callbacks: remoteCallbacks(key, decryptionKey) })
  const root = makeCertificate({ subject: 'Verifier Root', ca: true, keyUsage: 0x04, ...LONG })
  const leaf = makeCertificate({
    subject: 'Verifier',
    issuer: root,
    keyUsage: 0x80,
    dns: ['127.0.0.1'],
    // The purpose is serverAuth, because many verifiers use the certificate of a web server.
    purposes: ['1.3.6.1.5.5.7.3.1'],
    ...LONG,
  })
  const leafKey: RemoteKey = {
    ...key,
    privateJwk: leaf.privateKey.export({ format: 'jwk' }),
  }
  const leafHash = Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(leaf.certificate.raw))).toString(
    'base64url',
  )
  const requests = new Map<string, StoredRequest>()
  const responses: RemoteResponse[] = []
  const refusals: RemoteRefusal[] = []

  /** Returns the error in an answer, or undefined if the answer has no error. */
  const refusalIn = async (form: Record<string, string>): Promise<RemoteRefusal | undefined> => {
    const { response: jwe } = form
    const parameters =
      jwe === undefined
        ? form
        : JSON.parse(new TextDecoder().decode((await compactDecrypt(jwe, await importJWK(decryptionKey))).plaintext))
    const { error, state }: Record<string, unknown> = parameters
    return error === undefined ? undefined : { error, state, encrypted: jwe !== undefined }
  }

  const signed = async ({ payload, options: request }: StoredRequest, walletNonce: string | undefined) => {
    const x509 = request.prefix === 'x509_san_dns' || request.prefix === 'x509_hash'
    const header = { typ: 'oauth-authz-req+jwt', ...(x509 ? { x5c: [leaf.x5c] } : { kid: key.kid }), ...request.header }
    const nonce = walletNonce === undefined || request.forgetsNonce === true ? {} : { wallet_nonce: walletNonce }
    return signJwt(request.signer ?? (x509 ? leafKey : key), header, { ...payload, ...nonce })
  }

  /** A nested JWT: first signed, then encrypted for the wallet (RFC 7519 §11.2). */
  const encryptedFor = async (wallet: unknown, object: string, encryption: RequestEncryption) => {
    const { jwks } = wallet as { jwks: { keys: [JWK] } }
    const [published] = jwks.keys
    const header = {
      alg: 'ECDH-ES',
      enc: 'A256GCM',
      kid: published.kid,
      cty: 'JWT',
      ...encryption.header,
    }
    return new CompactEncrypt(new TextEncoder().encode(encryption.content ?? object))
      .setProtectedHeader(header as { alg: string; enc: string })
      .encrypt(await importJWK(encryption.key ?? published, header.alg))
  }

  const requestObject: RemoteHandler = async (seen) => {
    const stored = requests.get(new URL(seen.url, 'http://remote').searchParams.get('id') ?? '')
    if (stored === undefined) return { status: 404, body: { error: 'invalid_request' } }
    const form = new URLSearchParams(seen.text)
    const object = await signed(stored, form.get('wallet_nonce') ?? undefined)
    const { encrypted } = stored.options
    return {
      headers: { 'content-type': 'application/oauth-authz-req+jwt' },
      body:
        encrypted === undefined
          ? object
          : await encryptedFor(JSON.parse(form.get('wallet_metadata') ?? '{}'), object, encrypted),
    }
  }

  const response: RemoteHandler = async (seen) => {
    const stored = requests.get(new URL(seen.url, 'http://remote').searchParams.get('id') ?? '')
    if (stored === undefined) return { status: 400, body: { error: 'invalid_request' } }
    const form = Object.fromEntries(new URLSearchParams(seen.text))
    const refusal = await refusalIn(form)
    if (refusal !== undefined) {
      refusals.push(refusal)
      return { body: {} }
    }
    const parsed: ParsedOpenid4vpAuthorizationResponse = await library.parseOpenid4vpAuthorizationResponse({
      authorizationResponse: form,
      // The library's types forbid some payloads that a test sends to a wallet.
      authorizationRequestPayload: stored.payload as never,
      callbacks: remoteCallbacks(key, decryptionKey),
    })
    const { vp_token: vpToken } = parsed.authorizationResponsePayload
    const received: RemoteResponse = {
      ...(parsed.type === 'dcql'
        ? { presentations: parsed.dcql.presentations }
        : submitted(textOrJson(vpToken), parsed.pex.presentationSubmission)),
      nonce: parsed.expectedNonce,
      clientId: String(stored.payload.client_id),
      responseUri: String(stored.payload.response_uri),
      encryptionKey: parsed.jarm === undefined ? undefined : encryptionKey,
      encrypted: parsed.jarm !== undefined,
      state: parsed.authorizationResponsePayload.state,
    }
    responses.push(received)
    return options.answer?.(received) ?? { body: { redirect_uri: 'https://verifier.example/done?response_code=1' } }
  }

  const server = await startRemoteServer(() => ({ '/request': requestObject, '/response': response }))
  const { url } = server
  const directory = await mkdtemp(join(tmpdir(), 'credence-verifier-'))
  const anchorFile = join(directory, 'anchors.pem')
  await writeFile(anchorFile, root.certificate.toString())
  const close = async () => {
    await server.close()
    await rm(directory, { recursive: true })
  }

  const clientIdOf = (prefix: RemoteRequestOptions['prefix'], responseUri: string): string => {
    if (prefix === 'redirect_uri') return `redirect_uri:${responseUri}`
    if (prefix === 'x509_san_dns') return 'x509_san_dns:127.0.0.1'
    if (prefix === 'x509_hash') return `x509_hash:${leafHash}`
    return `decentralized_identifier:${key.did}`
  }

  return {
    url,
    key,
    seen: server.seen,
    responses,
    refusals,
    anchorFile,
    async request(query, request = {}) {
      const id = randomUUID()
      const responseUri = `${url}/response?id=${id}`
      const mode = request.mode ?? 'direct_post'
      const payload: JsonObject = {
        response_type: 'vp_token',
        response_mode: mode,
        client_id: clientIdOf(request.prefix, responseUri),
        response_uri: responseUri,
        nonce: randomUUID(),
        state: randomUUID(),
        dcql_query: query,
        client_metadata: {
          client_name: 'Remote verifier',
          vp_formats_supported: {
            'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] },
            jwt_vc_json: { alg_values: ['ES256'] },
          },
          ...(mode === 'direct_post.jwt' ? { jwks: { keys: request.keys?.(encryptionKey) ?? [encryptionKey] } } : {}),
        },
        ...(request.prefix === 'redirect_uri' ? {} : { aud: 'https://self-issued.me/v2' }),
        ...request.payload,
      }
      requests.set(id, { payload, options: request })
      if (request.prefix === 'redirect_uri') {
        const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
        const given = Object.entries(payload).filter(([, value]) => value !== undefined)
        const params = given.map(([name, value]): [string, string] => [name, text(value)])
        return `openid4vp://?${new URLSearchParams(params)}`
      }
      return `openid4vp://?${new URLSearchParams({
        client_id: request.clientId ?? String(payload.client_id),
        request_uri: `${url}/request?id=${id}`,
        ...request.address,
        ...(request.method === undefined ? {} : { request_uri_method: request.method }),
      })}`
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
