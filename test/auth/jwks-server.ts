import { createServer } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose'
import { closeServer, portOf } from '../support/local-server.js'

export interface SigningKey {
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  readonly publicJwk: JWK
}

export async function newSigningKey(alg: string, kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { privateKey, publicKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** A JWKS address with answers that a test chooses, and a count of its requests. */
export interface JwksServer extends AsyncDisposable {
  readonly url: string
  /** The body of the next answers. A string is sent unchanged, any other value as JSON. */
  answer: { readonly keys: readonly JWK[] } | string
  status: number
  requests: number
  /** Refuses connections until `start` is called. */
  stop(): Promise<void>
  start(): Promise<void>
}

export async function startJwksServer(keys: readonly JWK[] = []): Promise<JwksServer> {
  const server = createServer((_request, response) => {
    jwks.requests += 1
    response.writeHead(jwks.status, { 'content-type': 'application/json' })
    response.end(typeof jwks.answer === 'string' ? jwks.answer : JSON.stringify(jwks.answer))
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const port = portOf(server)
  const stop = () => closeServer(server)
  const jwks: JwksServer = {
    url: `http://127.0.0.1:${port}/jwks`,
    answer: { keys },
    status: 200,
    requests: 0,
    stop,
    start: () => listen(port),
    [Symbol.asyncDispose]: stop,
  }
  return jwks
}

/** An access token of `alice`, valid for five minutes. `claims` changes its claims; undefined removes a claim. */
export function accessToken(
  key: CryptoKey | Uint8Array,
  header: JWTHeaderParameters,
  claims: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const all = { sub: 'alice', iat: now, exp: now + 300, ...claims }
  return new SignJWT(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))
    .setProtectedHeader(header)
    .sign(key)
}
