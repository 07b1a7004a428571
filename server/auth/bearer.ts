import { decodeProtectedHeader, type JWTPayload, errors as jose, jwtVerify } from 'jose'
import { errors, ServiceError } from '../errors.js'
import { notAnAccessToken } from './access-token.js'
import type { Caller } from './caller.js'
import type { SigningKeys, TokenAlgorithm } from './signing-keys.js'

export interface BearerOptions {
  readonly keys: SigningKeys
  readonly issuer?: string | undefined
  readonly audience?: string | undefined
  /** What access tokens may be signed with. */
  readonly algorithms: readonly TokenAlgorithm[]
  /** Token claim that holds a DID, or an array of DIDs, of the caller. */
  readonly didClaim: string
  readonly clock: () => Date
}

/** The token of an Authorization header (RFC 6750 §2.1). */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S.*)$/i.exec(authorization ?? '')?.[1]
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

/** The DIDs in a claim that holds one, or an array of them. */
export const didsIn = (claim: unknown): string[] => strings(claim).filter((did) => did.startsWith('did:'))

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
    tokenDids: didsIn(payload[didClaim]),
    ...(payload.exp === undefined ? {} : { expiresAt: payload.exp * 1000 }),
  }
}

/** `EdDSA` is also called `Ed25519` (RFC 9864). */
const headerAlgorithms = (algorithms: readonly TokenAlgorithm[]): string[] =>
  algorithms.flatMap((algorithm) => (algorithm === 'EdDSA' ? ['EdDSA', 'Ed25519'] : [algorithm]))

/**
 * Verifies access tokens of the external identity provider: the algorithms that are configured, key by `kid`, `exp`
 * required and without leeway, and no other token of the same provider.
 *
 * @returns a function from the Authorization header to the caller; it throws the 401 that fits.
 */
export function createBearerCheck(options: BearerOptions): (authorization: string | undefined) => Promise<Caller> {
  const algorithms = headerAlgorithms(options.algorithms)
  return async (authorization) => {
    const token = bearerToken(authorization)
    if (token === undefined) throw errors.unauthorized()
    assertDecodable(token)
    let payload: JWTPayload
    try {
      const verified = await jwtVerify(token, options.keys.find, {
        algorithms,
        requiredClaims: ['exp'],
        clockTolerance: 0,
        currentDate: options.clock(),
        ...(options.issuer === undefined ? {} : { issuer: options.issuer }),
        ...(options.audience === undefined ? {} : { audience: options.audience }),
      })
      payload = verified.payload
      const reason = notAnAccessToken(verified.protectedHeader, payload)
      if (reason !== undefined) throw errors.invalidToken(new Error(reason))
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause
      if (cause instanceof jose.JWTExpired) throw errors.tokenExpired()
      // Not a refusal of the token: its key cannot be used, since it is too short, say.
      throw cause instanceof jose.JOSEError ? errors.invalidToken(cause) : errors.signingKeysUnavailable(cause)
    }
    return callerOf(payload, options.didClaim)
  }
}
