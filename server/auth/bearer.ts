import { createRemoteJWKSet, decodeProtectedHeader, type JWTPayload, errors as jose, jwtVerify } from 'jose'
import { errors } from '../errors.js'
import type { Caller } from './caller.js'

const JWKS_CACHE_MS = 10 * 60 * 1000
/** How long an unknown `kid` cannot make the service ask the identity provider again. */
const JWKS_COOLDOWN_MS = 5_000

export interface BearerOptions {
  readonly jwksUrl: string
  readonly issuer?: string | undefined
  readonly audience?: string | undefined
  /** Token claim that holds a DID, or an array of DIDs, of the caller. */
  readonly didClaim: string
  readonly clock: () => Date
}

/** The token of an Authorization header (RFC 6750 §2.1). */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1]
}

function assertDecodable(token: string): void {
  let header: ReturnType<typeof decodeProtectedHeader>
  try {
    header = decodeProtectedHeader(token)
  } catch (cause) {
    throw errors.invalidToken(cause)
  }
  if (typeof header.kid !== 'string' || header.kid === '') throw errors.missingKid()
}

const strings = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((entry) => typeof entry === 'string')

const rolesOf = (access: unknown): string[] => {
  const roles = (access as { roles?: unknown } | null | undefined)?.roles
  return Array.isArray(roles) ? strings(roles) : []
}

/** Roles stand in `realm_access.roles` and in any `resource_access.<client>.roles`. */
function callerOf(payload: JWTPayload, didClaim: string): Caller {
  if (typeof payload.sub !== 'string' || payload.sub === '') throw errors.invalidToken()
  const clients = payload.resource_access
  const perClient = typeof clients === 'object' && clients !== null ? Object.values(clients).flatMap(rolesOf) : []
  return {
    sub: payload.sub,
    roles: new Set([...rolesOf(payload.realm_access), ...perClient]),
    tokenDids: strings(payload[didClaim]).filter((did) => did.startsWith('did:')),
  }
}

/**
 * Verifies access tokens of the external identity provider: RS256 only, key by `kid`, `exp` required and without leeway.
 * Keys are cached for 10 minutes; an unknown `kid` fetches them anew, at most every five seconds.
 *
 * @returns a function from the Authorization header to the caller; it throws the 401 that fits.
 */
export function createBearerCheck(options: BearerOptions): (authorization: string | undefined) => Promise<Caller> {
  const jwks = createRemoteJWKSet(new URL(options.jwksUrl), {
    cacheMaxAge: JWKS_CACHE_MS,
    cooldownDuration: JWKS_COOLDOWN_MS,
  })
  const refusal = (cause: unknown) => {
    if (cause instanceof jose.JWTExpired) return errors.tokenExpired()
    if (cause instanceof jose.JWKSNoMatchingKey) {
      const usable = (jwks.jwks()?.keys ?? []).some((key) => key.kty === 'RSA' && key.use !== 'enc')
      return usable ? errors.signingKeyNotFound() : errors.signingKeysUnavailable(cause)
    }
    if (cause instanceof jose.JWKSTimeout || cause instanceof jose.JWKSInvalid || !(cause instanceof jose.JOSEError)) {
      return errors.signingKeysUnavailable(cause)
    }
    // jose gives its generic error for an answer of the JWKS address that is not 200 or not JSON.
    return cause.code === 'ERR_JOSE_GENERIC' ? errors.signingKeysUnavailable(cause) : errors.invalidToken(cause)
  }
  return async (authorization) => {
    const token = bearerToken(authorization)
    if (token === undefined) throw errors.unauthorized()
    assertDecodable(token)
    let payload: JWTPayload
    try {
      const verified = await jwtVerify(token, jwks, {
        algorithms: ['RS256'],
        requiredClaims: ['exp'],
        clockTolerance: 0,
        currentDate: options.clock(),
        ...(options.issuer === undefined ? {} : { issuer: options.issuer }),
        ...(options.audience === undefined ? {} : { audience: options.audience }),
      })
      payload = verified.payload
    } catch (cause) {
      throw refusal(cause)
    }
    return callerOf(payload, options.didClaim)
  }
}
