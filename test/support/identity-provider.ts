import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { KEPT_ALIVE } from './kept-alive.js'
import { closeServer, listenLocally } from './local-server.js'

export interface TokenClaims {
  readonly roles?: readonly string[]
  readonly clientRoles?: Readonly<Record<string, readonly string[]>>
  readonly did?: string | readonly string[]
  readonly iss?: string | undefined
  /** Lifetime of the token in seconds; an hour by default. */
  readonly expiresIn?: number
}

/** An identity provider that issues RS256 access tokens and publishes its keys. */
export interface IdentityProvider extends AsyncDisposable {
  readonly jwksUrl: string
  /** An access token for a `sub`. */
  token(sub: string, claims?: TokenClaims): Promise<string>
  /** A new signing key replaces the old one. */
  rotate(): Promise<void>
  close(): Promise<void>
}

async function newKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256' } }
}

/**
 * All providers of a worker share one key, because an RSA key takes long to make. No test needs to distinguish the
 * tokens of two providers.
 */
const firstKey = newKey('key-1')

export async function startIdentityProvider(): Promise<IdentityProvider> {
  let generation = 1
  let key = await firstKey
  const server = createServer(KEPT_ALIVE, (_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [key.jwk] }))
  })
  const url = await listenLocally(server)
  const close = () => closeServer(server)
  return {
    jwksUrl: `${url}/jwks`,
    token: (sub, { roles = [], clientRoles = {}, did, iss, expiresIn = 3600 } = {}) => {
      const now = Math.floor(Date.now() / 1000)
      const resourceAccess = Object.fromEntries(
        Object.entries(clientRoles).map(([client, list]) => [client, { roles: list }]),
      )
      return new SignJWT({
        realm_access: { roles },
        resource_access: resourceAccess,
        ...(did === undefined ? {} : { did }),
        ...(iss === undefined ? {} : { iss }),
      })
        .setProtectedHeader({ alg: 'RS256', kid: key.kid })
        .setSubject(sub)
        .setIssuedAt(now)
        .setExpirationTime(now + expiresIn)
        .sign(key.privateKey)
    },
    rotate: async () => {
      generation += 1
      key = await newKey(`key-${generation}`)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
