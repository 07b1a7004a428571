import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import { createBearerCheck } from './bearer.js'
import { type Caller, LOCAL_ADMIN } from './caller.js'
import { createClientSecretCheck } from './client-secret.js'
import { keptTokenUser } from './kept-token.js'
import { rightsOf } from './rights.js'
import { createSigningKeys } from './signing-keys.js'

/** Credentials as a request sends them; whose session it has is found by this object, once. */
export interface SentCredentials {
  readonly authorization?: string | undefined
  readonly 'x-client-secret'?: string | string[] | undefined
}

/** Which half of the service a route belongs to. */
export type Half = 'issuer' | 'verifier'

/** A session of the console, on whose behalf a request is made. */
export interface ProvenSession {
  readonly accessToken: string
  /** Until when whoever holds it may be believed without being asked again. */
  readonly until: Date
}

/** Sessions of the console, as one more way to prove a caller. */
export interface Sessions {
  /**
   * The session that a request has; undefined where it has none that counts.
   *
   * @param isActivity whether the request makes the session last longer
   * @throws 401 where it is forged, unknown or has ended, 503 where it cannot be renewed at the moment
   */
  proven(sent: SentCredentials, isActivity: boolean): Promise<ProvenSession | undefined>
}

/** Authenticates callers by both schemes of the interface and by sessions of the console, or by nothing where AUTH_DISABLED is set. */
export interface Access {
  /** @throws the 401 that fits. */
  user(sent: SentCredentials, isActivity: boolean): Promise<Caller>
  /**
   * The secret, or a session whose user may do all of that half.
   *
   * @returns whose session it is, with AUTH_DISABLED the one admin; undefined for the secret
   * @throws 401 `Unauthorized` where the secret is missing, wrong or not configured, 403 for a session without the role.
   */
  client(sent: SentCredentials, half: Half, isActivity: boolean): Promise<Caller | undefined>
  /**
   * For routes that work without credentials and show more with them.
   *
   * @throws 401 where one is sent and wrong.
   */
  optional(sent: SentCredentials, isActivity: boolean): Promise<{ caller: Caller | undefined; client: boolean }>
}

/** Access tokens of the identity provider. */
export interface TokenCheck {
  /** @throws the 401 that fits. */
  user(authorization: string | undefined): Promise<Caller>
  /** Whether tokens can be checked; absent where nobody sends any. */
  readonly identityProvider?: () => Promise<'up' | 'degraded'>
}

export function createTokenCheck(config: Config, clock: () => Date): TokenCheck {
  if (config.authDisabled) return { user: async () => LOCAL_ADMIN }
  const { jwksUrl, ...oidc } = config.oidc
  if (jwksUrl === undefined) throw new Error('OIDC_JWKS_URL is required unless AUTH_DISABLED is set.')
  const keys = createSigningKeys(jwksUrl, oidc.algorithms)
  return { user: createBearerCheck({ ...oidc, keys, clock }), identityProvider: keys.check }
}

/** @param sessions those of the console; none where users cannot log in. */
export function createAccess(config: Config, tokens: Pick<TokenCheck, 'user'>, sessions?: Sessions): Access {
  if (config.authDisabled) {
    return {
      user: async () => LOCAL_ADMIN,
      client: async () => LOCAL_ADMIN,
      optional: async () => ({ caller: LOCAL_ADMIN, client: true }),
    }
  }
  const secretMatches = createClientSecretCheck(config.clientSecrets)
  const assertSecret = (secret: string | string[] | undefined) => {
    if (!secretMatches(Array.isArray(secret) ? undefined : secret)) throw errors.unauthorized()
  }

  /** Who is logged in. In the console `admin` may everything, so that it has the roles of both halves too. */
  const loggedIn = async (sent: SentCredentials, isActivity: boolean): Promise<Caller | undefined> => {
    if (sent.authorization !== undefined) return undefined
    const session = await sessions?.proven(sent, isActivity)
    if (session === undefined) return undefined
    const caller = await keptTokenUser(tokens, session.accessToken)
    const { issuerRole, verifierRole } = config
    const halves = rightsOf(caller.roles, config).isAdmin ? [issuerRole, verifierRole] : []
    const until = session.until.getTime()
    return {
      ...caller,
      roles: new Set([...caller.roles, ...halves.filter((role) => role !== undefined)]),
      expiresAt: Math.min(caller.expiresAt ?? until, until),
    }
  }

  return {
    user: async (sent, isActivity) => (await loggedIn(sent, isActivity)) ?? tokens.user(sent.authorization),
    client: async (sent, half, isActivity) => {
      const secret = sent['x-client-secret']
      const caller = secret === undefined ? await loggedIn(sent, isActivity) : undefined
      if (caller === undefined) {
        assertSecret(secret)
        return undefined
      }
      const { mayIssue, mayVerify } = rightsOf(caller.roles, config)
      if (!(half === 'issuer' ? mayIssue : mayVerify)) throw errors.insufficientRole()
      return caller
    },
    optional: async (sent, isActivity) => {
      const sentSecret = sent['x-client-secret'] !== undefined
      if (sentSecret) assertSecret(sent['x-client-secret'])
      const caller =
        sent.authorization === undefined ? await loggedIn(sent, isActivity) : await tokens.user(sent.authorization)
      return { caller, client: sentSecret }
    },
  }
}
