import type { JWTPayload } from 'jose'
import { errors } from '../api/errors.js'
import { allowedAlgorithm, type DecodedJws, decodeCompact, isSignedWith, JwsError } from '../protocol/jose/jws.js'
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

/** Runs what reads a token, whose faults are the token's. */
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

/** RFC 7519 §4.1: a time is a number of seconds; @throws where a token has something else there */
function timeIn(payload: JWTPayload, claim: 'exp' | 'nbf' | 'iat'): number | undefined {
  const value: unknown = payload[claim]
  if (value === undefined || typeof value === 'number') return value
  throw errors.invalidToken(new Error(`${claim} is no number.`))
}

/** Whose token it is, for whom, and when it counts, in the order in which RFC 7519 §4.1 has them. */
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
 * Verifies access tokens of the external identity provider: the algorithms that are configured, key by `kid`, `exp`
 * required and without leeway, and no other token of the same provider.
 *
 * @returns a function from the Authorization header to the caller; it throws the 401 that fits.
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
    return callerOf(jws.payload, options.didClaim)
  }
}
