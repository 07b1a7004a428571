import type { JWTPayload } from 'jose'
import { errors } from '../api/errors.js'
import { allowedAlgorithm, type DecodedJws, decodeCompact, isSignedWith, JwsError } from '../protocol/jose/jws.js'
import { pointerTo, valueAt } from '../protocol/json/json-pointer.js'
import { notAnAccessToken } from './access-token.js'
import type { Caller } from './caller.js'
import type { SigningKeys, TokenAlgorithm } from './signing-keys.js'

export interface BearerOptions {
  readonly keys: SigningKeys
  readonly issuer?: string | undefined
  readonly audience?: string | undefined
  /** Algorithms that may sign access tokens. */
  readonly algorithms: readonly TokenAlgorithm[]
  /** Token claim with the caller's DID, or an array of the caller's DIDs. */
  readonly didClaim: string
  /** Member names that lead to the roles. If undefined, the roles are at the two places of Keycloak. */
  readonly rolesClaim?: readonly string[] | undefined
  /** The name that the identity provider gives to the role `admin`. */
  readonly adminRole: string
  readonly clock: () => Date
}

/** The token of an Authorization header (RFC 6750 §2.1). */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S.*)$/i.exec(authorization ?? '')?.[1]
}

/** Reads a part of a token. If this fails, the token is invalid. */
function orInvalid<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw cause instanceof JwsError ? errors.invalidToken(cause) : cause
  }
}

function decoded(token: string): DecodedJws {
  const jws = orInvalid(() => decodeCompact(token))
  const { kid } = jws.header
  if (typeof kid !== 'string' || kid === '') throw errors.missingKid()
  return jws
}

const strings = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((entry) => typeof entry === 'string')

/** The DIDs in a claim with one DID or an array of DIDs. */
export const didsIn = (claim: unknown): string[] => strings(claim).filter((did) => did.startsWith('did:'))

const rolesOf = (access: unknown): string[] => {
  const roles = (access as { roles?: unknown } | null | undefined)?.roles
  return Array.isArray(roles) ? strings(roles) : []
}

/** Roles at the two places where Keycloak writes them: `realm_access.roles` and `resource_access.<client>.roles`. */
function rolesOfKeycloak({ realm_access: realm, resource_access: clients }: JWTPayload): string[] {
  const perClient = typeof clients === 'object' && clients !== null ? Object.values(clients).flatMap(rolesOf) : []
  return [...rolesOf(realm), ...perClient]
}

/**
 * Returns the roles in a token. The role ADMIN_ROLE is the role `admin` of this service. If ADMIN_ROLE is a different
 * role, a role with the name `admin` has no effect.
 */
function rolesIn(payload: JWTPayload, { rolesClaim, adminRole }: Pick<BearerOptions, 'rolesClaim' | 'adminRole'>) {
  const given = rolesClaim === undefined ? rolesOfKeycloak(payload) : strings(valueAt(payload, pointerTo(rolesClaim)))
  const roles = new Set(given)
  if (adminRole === 'admin') return roles
  roles.delete('admin')
  return roles.has(adminRole) ? roles.add('admin') : roles
}

/** Reads the caller from a token. */
function callerOf(payload: JWTPayload, options: BearerOptions): Caller {
  if (typeof payload.sub !== 'string' || payload.sub === '') throw errors.invalidToken()
  return {
    sub: payload.sub,
    roles: rolesIn(payload, options),
    tokenDids: didsIn(payload[options.didClaim]),
    ...(payload.exp === undefined ? {} : { expiresAt: payload.exp * 1000 }),
  }
}

/** A time in seconds (RFC 7519 §4.1); @throws if the claim is no number */
function timeIn(payload: JWTPayload, claim: 'exp' | 'nbf' | 'iat'): number | undefined {
  const value: unknown = payload[claim]
  if (value === undefined || typeof value === 'number') return value
  throw errors.invalidToken(new Error(`${claim} is no number.`))
}

/** Checks issuer, audience and period of validity, in the order of RFC 7519 §4.1. */
function assertClaims(payload: JWTPayload, { issuer, audience, clock }: BearerOptions): void {
  if (issuer !== undefined && payload.iss !== issuer) throw errors.invalidToken(new Error('iss is another.'))
  const audiences: unknown[] = [payload.aud].flat()
  if (audience !== undefined && !audiences.includes(audience)) throw errors.invalidToken(new Error('aud is another.'))
  const now = Math.floor(clock().getTime() / 1000)
  timeIn(payload, 'iat')
  const [exp, nbf] = [timeIn(payload, 'exp'), timeIn(payload, 'nbf')]
  if (exp === undefined) throw errors.invalidToken(new Error('There is no exp.'))
  if (nbf !== undefined && nbf > now) throw errors.invalidToken(new Error('nbf is in the future.'))
  if (exp <= now) throw errors.tokenExpired()
}

/**
 * Verifies access tokens of the external identity provider. Only the configured algorithms are accepted, and `kid`
 * selects the key. `exp` is required and has no leeway. Tokens of the same provider that are no access tokens, such as
 * ID tokens, are refused.
 *
 * @returns a function that returns the caller for an Authorization header, or throws the matching 401.
 */
export function createBearerCheck(options: BearerOptions): (authorization: string | undefined) => Promise<Caller> {
  const { keys, algorithms } = options
  return async (authorization) => {
    const token = bearerToken(authorization)
    if (token === undefined) throw errors.unauthorized()
    const jws = decoded(token)
    const alg = orInvalid(() => allowedAlgorithm(jws.header.alg, algorithms))
    const key = await keys.find(jws.header)
    if (!isSignedWith(jws, key, alg)) throw errors.invalidToken(new Error('The signature is not valid.'))
    assertClaims(jws.payload, options)
    const reason = notAnAccessToken(jws.header, jws.payload)
    if (reason !== undefined) throw errors.invalidToken(new Error(reason))
    return callerOf(jws.payload, options)
  }
}
